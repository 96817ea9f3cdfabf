// Only keywords that the walk honours are read; any other one is a bug in the schema and stops the process in a test.
#include "reconciler/validate/schema.h"

#include <nlohmann/json.hpp>

#include "reconciler/base/check.h"
#include "schema/embedded.h"

namespace quorate::validate {
namespace {

using Json = nlohmann::json;
using FieldNames = std::map<std::string, std::vector<std::string>, std::less<>>;

unsigned type_bit(const std::string& name) {
  if (name == "string") return kText;
  if (name == "integer") return kInteger;
  if (name == "number") return kNumber | kInteger;
  if (name == "boolean") return kBoolean;
  if (name == "array") return kList;
  QUORATE_CHECK(name == "object");
  return kMapping;
}

unsigned types_of(const Json& value) {
  if (value.is_string()) return type_bit(value.get<std::string>());
  unsigned bits = 0;
  for (const Json& name : value) bits |= type_bit(name.get<std::string>());
  return bits;
}

std::string scalar_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool only_for_readers(const std::string& keyword) {
  return keyword == "description" || keyword == "examples" || keyword == "x-since" || keyword == "x-default" ||
         keyword == "$schema" || keyword == "$id" || keyword == "title" || keyword == "pattern";
}

std::unique_ptr<Schema> read(const Json& json);

// True when `keyword` is one of the limits.
bool read_limit(Schema& schema, const std::string& keyword, const Json& value) {
  if (keyword == "minimum") {
    schema.minimum = value.get<std::int64_t>();
  } else if (keyword == "maximum") {
    schema.maximum = value.get<std::int64_t>();
  } else if (keyword == "minLength") {
    schema.min_length = value.get<std::size_t>();
  } else if (keyword == "minItems") {
    schema.min_items = value.get<std::size_t>();
  } else if (keyword == "maxItems") {
    schema.max_items = value.get<std::size_t>();
  } else if (keyword == "minProperties") {
    schema.min_properties = value.get<std::size_t>();
  } else if (keyword == "maxProperties") {
    schema.max_properties = value.get<std::size_t>();
  } else {
    return false;
  }
  return true;
}

// True when `keyword` says something about the parts of a mapping or a list.
bool read_parts(Schema& schema, const std::string& keyword, const Json& value) {
  if (keyword == "properties") {
    for (const auto& [name, property] : value.items()) {
      schema.properties.emplace(name, read(property));
      schema.known.push_back(name);
    }
  } else if (keyword == "required") {
    schema.required = value.get<std::vector<std::string>>();
  } else if (keyword == "additionalProperties") {
    if (value.is_object()) schema.values = read(value);
  } else if (keyword == "propertyNames") {
    schema.keys = read(value);
  } else if (keyword == "patternProperties") {
    QUORATE_CHECK(value.size() == 1 && value.contains("^x-"));
    schema.extensions = true;
  } else if (keyword == "items") {
    schema.items = read(value);
  } else {
    return false;
  }
  return true;
}

std::unique_ptr<Schema> read(const Json& json) {
  auto schema = std::make_unique<Schema>();
  for (const auto& [keyword, value] : json.items()) {
    if (only_for_readers(keyword) || read_limit(*schema, keyword, value) || read_parts(*schema, keyword, value)) {
      continue;
    }
    if (keyword == "type") {
      schema->types = types_of(value);
    } else if (keyword == "const") {
      schema->allowed = {value.get<std::string>()};
      schema->types = kText;
    } else if (keyword == "enum") {
      schema->allowed = value.get<std::vector<std::string>>();
      schema->types = kText;
    } else if (keyword == "x-format") {
      const auto format = format_named(value.get<std::string>());
      QUORATE_CHECK(format.has_value());
      schema->format = *format;
    } else if (keyword == "x-runtime") {
      schema->runtimes = value.get<std::vector<std::string>>();
    } else {
      QUORATE_CHECK(keyword == "default");
      if (value.is_primitive()) schema->default_text = scalar_text(value);
      if (value.is_array()) schema->default_texts = value.get<std::vector<std::string>>();
    }
  }
  return schema;
}

void collect(const Schema& schema, const std::string& path, FieldNames& names) {
  for (const auto& [name, property] : schema.properties) {
    const std::string here = path.empty() ? name : path + "." + name;
    names[name].push_back(here);
    collect(*property, here, names);
  }
  if (schema.values != nullptr) collect(*schema.values, path + ".<name>", names);
}

FieldNames names_in(const Schema& file) {
  FieldNames all;
  collect(file, "", all);
  return all;
}

}  // namespace

const Schema& cluster_schema() {
  static const std::unique_ptr<Schema> schema = read(Json::parse(schema::cluster()));
  return *schema;
}

const Schema& agent_schema() {
  static const std::unique_ptr<Schema> schema = read(Json::parse(schema::agent()));
  return *schema;
}

const Schema& field(const Schema& file, std::string_view dotted_path) {
  const Schema* at = &file;
  while (true) {
    const auto dot = dotted_path.find('.');
    const auto found = at->properties.find(dotted_path.substr(0, dot));
    QUORATE_CHECK(found != at->properties.end());
    at = found->second.get();
    if (dot == std::string_view::npos) return *at;
    dotted_path.remove_prefix(dot + 1);
  }
}

const std::vector<std::string>& fields_named(const Schema& file, std::string_view key) {
  static const FieldNames of_cluster = names_in(cluster_schema());
  static const FieldNames of_agent = names_in(agent_schema());
  static const std::vector<std::string> none;
  const FieldNames& names = &file == &agent_schema() ? of_agent : of_cluster;
  const auto found = names.find(key);
  return found != names.end() ? found->second : none;
}

}  // namespace quorate::validate
