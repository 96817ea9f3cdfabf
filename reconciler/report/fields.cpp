// Walks a JSON Schema and writes down each field it meets. What the keywords mean to a checker is not its business.
#include "reconciler/report/fields.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using base::Json;

// A missing keyword reads as null.
const Json& keyword(const Json& schema, const char* name) {
  static const Json kNothing;
  if (!schema.is_object()) return kNothing;
  const auto found = schema.find(name);
  return found == schema.end() ? kNothing : *found;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& item : list) texts.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return texts;
}

bool has_fields(const Json& schema) {
  return keyword(schema, "properties").is_object();
}

// The schema of a map's values; nothing when other keys are forbidden or anything goes.
const Json& values_of(const Json& schema) {
  const Json& values = keyword(schema, "additionalProperties");
  return values.is_object() ? values : keyword(values, "");
}

std::string format_name(const std::string& format) {
  static const std::map<std::string, std::string> kNames = {
      {"dns-label", "DNS label"},
      {"dns-subdomain", "DNS name"},
      {"host", "address"},
      {"listen", "listener"},
      {"prose", "text"},
      {"retention", "duration"},
      {"token", "text"},
      {"unit", "unit name"},
      {"url", "URL"},
      {"user", "user name"},
      {"image", "image name"},
  };
  const auto known = kNames.find(format);
  if (known != kNames.end()) return known->second;
  std::string name = format;
  std::replace(name.begin(), name.end(), '-', ' ');
  return name;
}

std::string plural(std::string noun) {
  if (noun == "text" || noun == "values" || noun == "true or false") return noun;
  const bool ends_in_y = noun.back() == 'y';
  if (ends_in_y) noun.back() = 'i';
  return noun + (ends_in_y || noun.back() == 's' ? "es" : "s");
}

// Each type that the schema allows, by the name that people give it.
std::vector<std::string> type_names(const Json& schema);

std::string collection_text(const std::string& kind, const Json& element) {
  if (element.is_null()) return kind;
  std::vector<std::string> names = type_names(element);
  for (std::string& name : names) name = plural(name);
  return kind + " of " + joined(names, "or");
}

std::string plain_type(const Json& schema, const std::string& type) {
  if (type == "string") {
    const std::string format = text_of(keyword(schema, "x-format"));
    return format.empty() ? "text" : format_name(format);
  }
  if (type == "integer") return "whole number";
  if (type == "boolean") return "true or false";
  if (type == "array") return collection_text("list", keyword(schema, "items"));
  if (type != "object") return type;  // number, null
  return has_fields(schema) ? "block" : collection_text("map", values_of(schema));
}

std::vector<std::string> type_names(const Json& schema) {
  const Json& type = keyword(schema, "type");
  if (type.is_null()) return {has_fields(schema) ? "block" : "text"};  // enum and const need no type
  // More than two are no help to a reader; the description says what counts.
  if (type.is_array() && type.size() > 2) return {"values"};
  std::vector<std::string> names;
  for (const std::string& name : texts_of(type.is_array() ? type : Json::array({type}))) {
    names.push_back(plain_type(schema, name));
  }
  return names;
}

// `noun` is what is counted; empty: the value itself is limited.
std::string range_text(const Json& least, const Json& most, std::string_view noun) {
  const auto counted = [&](const Json& number) {
    return noun.empty() || !number.is_number_unsigned() ? number.dump() : count_of(number.get<std::size_t>(), noun);
  };
  if (!least.is_null() && !most.is_null()) return least.dump() + " to " + counted(most);
  if (!least.is_null()) return "at least " + counted(least);
  return most.is_null() ? "" : "at most " + counted(most);
}

std::string limits_text(const Json& schema) {
  std::vector<std::string> limits;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) limits.push_back(text);
  };
  add(range_text(keyword(schema, "minimum"), keyword(schema, "maximum"), ""));
  add(range_text(keyword(schema, "minProperties"), keyword(schema, "maxProperties"), "item"));
  add(range_text(keyword(schema, "minItems"), keyword(schema, "maxItems"), "item"));
  if (keyword(schema, "minLength") == 1) add("not empty");
  return joined(limits, "and");
}

// As it would be written in a file; sizes and durations need no quotes although they begin with a digit.
std::string default_text(const Json& schema) {
  const Json& in_words = keyword(schema, "x-default");
  if (in_words.is_string()) return text_of(in_words);
  const Json& value = keyword(schema, "default");
  if (value.is_null()) return "";
  if (value.is_structured()) return value.dump();
  const std::string format = text_of(keyword(schema, "x-format"));
  if (value.is_string() && (format == "size" || format == "duration")) return text_of(value);
  std::string text = base::to_yaml(value);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// A value of the kind the schema asks for: its own example if it has one, else the simplest that fits.
Json sample(const Json& schema) {
  const Json& examples = keyword(schema, "examples");
  if (examples.is_array() && !examples.empty()) return examples.front();
  for (const char* name : {"default", "const"}) {
    const Json& value = keyword(schema, name);
    if (!value.is_null() && !(value.is_structured() && value.empty())) return value;
  }
  const Json& words = keyword(schema, "enum");
  if (words.is_array() && !words.empty()) return words.front();

  const Json& types = keyword(schema, "type");
  const std::string type = types.is_array() && !types.empty() ? text_of(types.front()) : text_of(types);
  if (type == "integer" || type == "number")
    return keyword(schema, "minimum").is_null() ? Json(1) : keyword(schema, "minimum");
  if (type == "boolean") return true;
  if (type == "array") return Json::array({sample(keyword(schema, "items"))});
  if (type == "string") {
    static const std::map<std::string, std::string> kByFormat = {
        {"duration", "30s"}, {"size", "8Gi"}, {"version", "3.5.21"}, {"path", "/path"}, {"host", "10.0.0.11"}};
    const auto known = kByFormat.find(text_of(keyword(schema, "x-format")));
    return known == kByFormat.end() ? "text" : known->second;
  }
  Json object = Json::object();
  if (!has_fields(schema)) {
    if (!values_of(schema).is_null()) object["name"] = sample(values_of(schema));
    return object;
  }
  const Json& properties = keyword(schema, "properties");
  const std::vector<std::string> required = texts_of(keyword(schema, "required"));
  for (const std::string& name : required) object[name] = sample(keyword(properties, name.c_str()));
  if (object.empty() && !properties.empty()) object[properties.begin().key()] = sample(properties.front());
  return object;
}

// The name that examples give to an entry of a map.
std::string sample_key(const Json& map) {
  const Json& examples = keyword(map, "examples");
  const bool has_one = examples.is_array() && !examples.empty() && examples.front().is_object();
  return has_one && !examples.front().empty() ? examples.front().begin().key() : "name";
}

constexpr std::string_view kItem = "[]";

class Walk {
 public:
  std::vector<Field> fields;

  void block(const Json& schema, const std::string& path) {
    const std::vector<std::string> required = texts_of(keyword(schema, "required"));
    for (const auto& [name, property] : keyword(schema, "properties").items()) {
      const bool is_required = std::find(required.begin(), required.end(), name) != required.end();
      steps_.push_back(name);
      field(property, path.empty() ? name : path + "." + name, is_required);
      steps_.pop_back();
    }
  }

 private:
  void field(const Json& schema, const std::string& path, bool required) {
    const Json& items = keyword(schema, "items");
    const Json& values = values_of(schema);
    fields.push_back(described(schema, items, path, required));
    if (has_fields(schema)) block(schema, path);
    if (has_fields(values)) {
      steps_.push_back(sample_key(schema));
      field(values, path + ".<name>", false);
      steps_.pop_back();
    }
    if (has_fields(items)) {
      steps_.emplace_back(kItem);
      block(items, path + std::string(kItem));
      steps_.pop_back();
    }
  }

  Field described(const Json& schema, const Json& items, const std::string& path, bool required) const {
    Field result;
    result.path = path;
    result.type = joined(type_names(schema), "or");
    result.default_text = default_text(schema);
    // The words that items of a list may be are the words of the list.
    result.allowed = texts_of(keyword(schema, "enum").is_null() ? keyword(items, "enum") : keyword(schema, "enum"));
    if (!keyword(schema, "const").is_null()) result.allowed = texts_of(Json::array({keyword(schema, "const")}));
    result.limits = limits_text(schema);
    result.runtimes = texts_of(keyword(schema, "x-runtime"));
    result.description = text_of(keyword(schema, "description"));
    result.since = text_of(keyword(schema, "x-since"));
    result.required = required;
    result.example = example(sample(schema));
    if (has_fields(schema)) {
      result.holds = Holds::Block;
    } else if (!items.is_null() && keyword(schema, "type") == "array") {
      result.holds = Holds::Items;
    } else if (keyword(schema, "type") == "object") {
      result.holds = has_fields(values_of(schema)) ? Holds::Block : Holds::Entries;
    }
    return result;
  }

  // The value inside the blocks that lead to it.
  Json example(Json value) const {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      value = *step == kItem ? Json::array({std::move(value)}) : Json::object({{*step, std::move(value)}});
    }
    return value;
  }

  std::vector<std::string> steps_;
};

}  // namespace

std::vector<Field> list_fields(const Json& schema) {
  Walk walk;
  walk.block(schema, "");
  return std::move(walk.fields);
}

}  // namespace quorate::report
