// One visit per value; a value of the wrong type is reported and not looked into.
#include "reconciler/validate/schema_check.h"

#include <algorithm>
#include <string>

#include "reconciler/base/suggest.h"
#include "reconciler/model/secrets.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/schema.h"

namespace quorate::validate {
namespace {

using model::Code;
using model::Entry;
using model::Finding;
using model::Node;
using model::NodeKind;

std::string in_words(unsigned types) {
  std::string words;
  const auto add = [&](unsigned bit, std::string_view word) {
    if ((types & bit) == bit) words += (words.empty() ? "" : " or ") + std::string(word);
  };
  add(kText, "text");
  add((types & kNumber) != 0 ? kNumber : kInteger, (types & kNumber) != 0 ? "a number" : "a whole number");
  add(kBoolean, "true or false");
  add(kList, "a list");
  add(kMapping, "a mapping");
  return words;
}

std::string joined(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at > 0) text += at + 1 == words.size() ? " " + std::string(last) + " " : std::string(", ");
    text += words[at];
  }
  return text;
}

// Words that YAML 1.1 readers turn into booleans and YAML 1.2 readers leave alone.
bool is_old_boolean(const Node& node) {
  if (node.quoted || node.kind != NodeKind::Text || node.text.size() > 3) return false;
  std::string lower = node.text;
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower == "yes" || lower == "no" || lower == "on" || lower == "off" || lower == "y" || lower == "n";
}

bool is_id(Format format) {
  return format == Format::MemberId || format == Format::ClusterId || format == Format::Lost;
}

bool is_extension(std::string_view key) {
  return key.substr(0, 2) == "x-";
}

class Walk {
 public:
  Walk(const Schema& file, Findings& findings) : file_(file), findings_(findings) {}

  void value(const Node& node, const Schema& schema, const Path& path) {
    if (findings_.full()) return;
    if (schema.types != 0 && !has_type(node, schema.types)) return wrong_type(node, schema, path);
    if (node.kind == NodeKind::Mapping) return mapping(node, schema, path);
    if (node.kind == NodeKind::Sequence) return list(node, schema, path);
    scalar(node, schema, path);
  }

 private:
  static std::string name(const Path& path) {
    std::string text = path.text();
    return text.empty() ? "the file" : text;
  }

  Finding& add(Code code, const Node& at, const Path& path, std::string message, std::string expected) {
    if (!expected.empty()) expected = "expected " + expected;
    return findings_.add(code, at, std::move(message), std::move(expected), path.text());
  }

  void wrong_type(const Node& node, const Schema& schema, const Path& path) {
    const bool amount = schema.format == Format::Size || schema.format == Format::Duration;
    const bool number = node.kind == NodeKind::Integer || node.kind == NodeKind::Float;
    if (amount && number) {
      add(Code::E104, node, path, name(path) + " needs a unit", std::string(expectation(schema.format)));
      return;
    }
    std::string expected = in_words(schema.types);
    if (!schema.allowed.empty()) {
      expected = joined(schema.allowed, "or");
    } else if (schema.types == kText) {
      expected = number || node.kind == NodeKind::Boolean ? "text, in quotes" : "text";
      if (schema.format == Format::Version || is_id(schema.format) || amount) expected = expectation(schema.format);
    }
    Finding& finding = add(Code::E101, node, path,
                           name(path) + " must be " + in_words(schema.types) + ", found " + describe(node, path.key),
                           std::move(expected));
    if (schema.format == Format::Version && number) {
      finding.help.push_back("write  " + std::string(path.key) + ": \"" + node.text +
                             "\"   (unquoted, 3.10 would be read as 3.1)");
    } else if (is_id(schema.format) && number) {
      const std::string digits = node.text.substr(node.text.compare(0, 2, "0x") == 0 ? 2 : 0, 40);
      finding.help.push_back(
          "write  " + (path.key.empty() ? "" : std::string(path.key) + ": ") + "\"" + digits +
          "\"   (unquoted, YAML reads digits with an e among them, or without letters, as a number)");
    } else if (is_old_boolean(node) && schema.types == kBoolean) {
      finding.help.push_back("YAML 1.2 knows only true and false");
    } else if (path.parent != nullptr && path.parent->key == "members" && schema.types == (kText | kMapping) &&
               file_.properties.count(path.key) == 1) {
      finding.help.push_back("\"" + std::string(path.key) + "\" belongs at the top level");
    } else if (schema.types == kText && schema.allowed.empty() && node.is_scalar() && node.kind != NodeKind::Null &&
               node.text.size() < 60 && !path.key.empty() && !model::looks_secret(path.key, node.text)) {
      finding.help.push_back("write  " + Path{nullptr, path.key}.text() + ": \"" + node.text + "\"");
    }
  }

  void scalar(const Node& node, const Schema& schema, const Path& path) {
    if (!schema.allowed.empty()) {
      if (std::find(schema.allowed.begin(), schema.allowed.end(), node.text) == schema.allowed.end()) {
        return not_allowed(node, schema, path);
      }
    } else if (node.kind == NodeKind::Integer) {
      check_range(node, schema, path);
    } else if (node.text.size() < schema.min_length) {
      add(Code::E106, node, path, name(path) + " is empty", "some text");
      return;
    }
    if ((schema.types & kText) != 0) {
      if (auto problem = check_format(schema.format, node.text)) return wrong_form(node, path, *problem);
    }
    if (is_old_boolean(node) && (schema.types & kText) != 0) {
      add(Code::W202, node, path, name(path) + " is read as the text \"" + node.text + "\"",
          "\"" + node.text + "\", in quotes")
          .help.push_back("readers of YAML 1.1 take the bare word for a boolean; quoted, it is text everywhere");
    }
  }

  void not_allowed(const Node& node, const Schema& schema, const Path& path) {
    std::string expected = schema.allowed.size() == 1 ? schema.allowed[0] : "one of: " + joined(schema.allowed, "or");
    Finding& finding =
        add(Code::E105, node, path, name(path) + " cannot be " + describe(node, path.key), std::move(expected));
    const auto near = base::nearest(node.text, schema.allowed, 1);
    if (!near.empty()) finding.help.push_back("did you mean " + near[0] + "?");
  }

  void wrong_form(const Node& node, const Path& path, const FormatProblem& problem) {
    const bool must = problem.what.compare(0, 5, "must ") == 0;
    Finding& finding =
        add(problem.code, node, path,
            name(path) + " " + problem.what + (must ? ", found " + describe(node, path.key) : ""), problem.expected);
    if (!problem.help.empty()) finding.help.push_back(problem.help);
  }

  void check_range(const Node& node, const Schema& schema, const Path& path) {
    if (!schema.minimum && !schema.maximum) return;
    const auto number = integer(node);
    const bool low = number && schema.minimum && *number < *schema.minimum;
    const bool high = number && schema.maximum && *number > *schema.maximum;
    if (number && !low && !high) return;
    std::string expected = "a decimal number";
    if (schema.minimum && schema.maximum) {
      expected += " from " + std::to_string(*schema.minimum) + " to " + std::to_string(*schema.maximum);
    } else if (schema.minimum) {
      expected += " of at least " + std::to_string(*schema.minimum);
    }
    add(Code::E107, node, path, name(path) + " is out of range: " + node.text.substr(0, 40), std::move(expected));
  }

  void list(const Node& node, const Schema& schema, const Path& path) {
    if (node.items.size() < schema.min_items) {
      add(Code::E107, node, path, name(path) + " is an empty list", "at least one entry");
    }
    if (node.items.size() > schema.max_items.value_or(node.items.size())) {
      add(Code::E107, node, path, name(path) + " has " + std::to_string(node.items.size()) + " entries",
          "at most " + std::to_string(*schema.max_items));
      return;
    }
    if (schema.items == nullptr) return;
    int index = 0;
    for (const Node* item : node.items) value(*item, *schema.items, Path{&path, {}, index++});
  }

  void mapping(const Node& node, const Schema& schema, const Path& path) {
    check_count(node, schema, path);
    for (const Entry& entry : node.entries) {
      const std::string& key = entry.key->text;
      const Path here{&path, key};
      const auto property = schema.properties.find(key);
      if (property != schema.properties.end()) {
        value(*entry.value, *property->second, here);
      } else if (schema.extensions && is_extension(key)) {
        continue;
      } else if (schema.values != nullptr) {
        if (schema.keys != nullptr) check_key(*entry.key, *schema.keys, path);
        value(*entry.value, *schema.values, here);
      } else if (!schema.properties.empty()) {
        unknown_key(entry, schema, path);
      }
    }
    for (const std::string& key : schema.required) {
      if (node.get(key) == nullptr) missing(node, key, schema, path);
    }
  }

  void check_count(const Node& node, const Schema& schema, const Path& path) {
    const std::size_t count = node.entries.size();
    if (count >= schema.min_properties && count <= schema.max_properties.value_or(count)) return;
    std::string expected = "at least " + std::to_string(schema.min_properties);
    if (schema.max_properties) {
      expected = std::to_string(schema.min_properties) + " to " + std::to_string(*schema.max_properties);
    }
    add(Code::E107, node, path, name(path) + " has " + std::to_string(count) + " entries", std::move(expected));
  }

  void check_key(const Node& key, const Schema& schema, const Path& path) {
    if (!schema.allowed.empty()) {
      if (std::find(schema.allowed.begin(), schema.allowed.end(), key.text) != schema.allowed.end()) return;
      add(Code::E102, key, path, "unknown key \"" + Path{nullptr, key.text}.text() + "\" in " + name(path),
          "one of: " + joined(schema.allowed, "or"));
      return;
    }
    const auto problem = check_format(schema.format, key.text);
    if (!problem) return;
    const bool must = problem->what.compare(0, 5, "must ") == 0;
    const std::string quoted = "\"" + Path{nullptr, key.text}.text() + "\"";
    add(problem->code, key, Path{&path, key.text},
        must ? "a name in " + name(path) + " " + problem->what + ", found " + quoted
             : "the name " + quoted + " in " + name(path) + " " + problem->what,
        problem->expected);
  }

  void missing(const Node& node, const std::string& key, const Schema& schema, const Path& path) {
    const auto property = schema.properties.find(key);
    std::string expected = key;
    if (property != schema.properties.end()) {
      const Schema& wanted = *property->second;
      expected += wanted.allowed.size() == 1      ? ": " + wanted.allowed[0]
                  : wanted.format != Format::None ? ": " + std::string(expectation(wanted.format))
                                                  : "";
    }
    add(Code::E100, node, Path{&path, key}, Path{&path, key}.text() + " is missing", std::move(expected));
  }

  void unknown_key(const Entry& entry, const Schema& schema, const Path& path) {
    const std::string key = Path{nullptr, entry.key->text}.text();
    const auto near = base::nearest(entry.key->text, schema.known);
    const auto& elsewhere = fields_named(file_, entry.key->text);
    std::string note;
    if (!near.empty() && base::edit_distance(near[0], entry.key->text) <= 1) {
      note = "did you mean \"" + joined(near, "or") + "\"?";
    } else if (!elsewhere.empty()) {
      const bool top = elsewhere.front().find('.') == std::string::npos;
      note = top ? "\"" + key + "\" belongs at the top level" : "did you mean " + joined(elsewhere, "or") + "?";
    } else if (!near.empty()) {
      note = "did you mean \"" + joined(near, "or") + "\"?";
    } else {
      note = "known here: " + joined(schema.known, "and");
    }
    const std::string where = path.text();
    Finding& finding =
        findings_.add(Code::E102, *entry.key, "unknown key \"" + key + "\"" + (where.empty() ? "" : " in " + where),
                      std::move(note), Path{&path, entry.key->text}.text());
    if (where.empty() && (key == "metadata" || key == "spec")) {
      finding.help.push_back("a Kubernetes envelope has both metadata and spec, and both are mappings");
    }
    if (const Node* secret = secret_in(*entry.value, entry.key->text)) {
      finding.help.push_back("line " + std::to_string(secret->span.at.line) +
                             " looks like a secret: take it out of the file and rotate it");
    }
  }

  // The first secret below a key that nobody knows; deeper rules do not look there.
  static const Node* secret_in(const Node& node, std::string_view key) {
    if (node.is_scalar()) return model::looks_secret(key, node.text) ? &node : nullptr;
    for (const Entry& entry : node.entries) {
      if (const Node* found = secret_in(*entry.value, entry.key->text)) return found;
    }
    for (const Node* item : node.items) {
      if (const Node* found = secret_in(*item, key)) return found;
    }
    return nullptr;
  }

  const Schema& file_;
  Findings& findings_;
};

}  // namespace

bool has_type(const Node& node, unsigned types) {
  switch (node.kind) {
    case NodeKind::Null:
      return false;
    case NodeKind::Boolean:
      return (types & kBoolean) != 0;
    case NodeKind::Integer:
      return (types & kInteger) != 0;
    case NodeKind::Float:
      return (types & kNumber) != 0;
    case NodeKind::Text:
      return (types & kText) != 0;
    case NodeKind::Mapping:
      return (types & kMapping) != 0;
    case NodeKind::Sequence:
      return (types & kList) != 0;
  }
  return false;
}

void check_schema(const model::Spec& spec, const Schema& file, Findings& findings) {
  Walk(file, findings).value(*spec.root, file, Path{});
}

}  // namespace quorate::validate
