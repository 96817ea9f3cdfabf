// The writer by hand, since the bytes are the contract; the reader over a tree.
#include "reconciler/model/backup_meta.h"

#include <charconv>
#include <limits>
#include <vector>

#include "reconciler/model/json_document.h"

namespace quorate::model {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;
constexpr std::size_t kLongestVersion = 64;

using Lines = std::vector<std::string>;

std::string quoted(const std::string& text) {
  return JsonTree(text).dump(-1, ' ', false, JsonTree::error_handler_t::replace);
}

std::string object(const Lines& fields, const std::string& indent) {
  std::string text = "{";
  for (const std::string& field : fields) text += (&field == &fields.front() ? "\n" : ",\n") + indent + "  " + field;
  return text + "\n" + indent + "}";
}

std::string in_file(const std::string& name, const std::string& problem) {
  return name + ": " + problem;
}

class Fields {
 public:
  Fields(std::string name, std::string& problem) : name_(std::move(name)), problem_(problem) {}

  void text(const JsonTree& value, std::string& into) {
    if (value.is_null()) return;
    if (!value.is_string() || value.get_ref<const std::string&>().size() > kLongestVersion)
      return fail("no short text");
    into = value.get<std::string>();
  }

  template <class Number>
  void number(const JsonTree& value, Number& into) {
    if (value.is_null()) return;
    std::string digits = value.is_string() ? value.get<std::string>() : value.dump();
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    if (end.ec != std::errc{} || end.ptr != digits.data() + digits.size()) fail("no number that fits");
  }

  void fail(const char* what) {
    if (problem_.empty()) problem_ = name_ + " is " + what;
  }

 private:
  std::string name_;
  std::string& problem_;
};

std::string unknown(const std::string& key, const char* where) {
  return "unknown field " + in_quotes(key) + " in " + where;
}

void read_spec(const JsonTree& spec, BackupMeta& meta, std::string& problem) {
  if (spec.is_null()) return;
  if (!spec.is_object()) problem = "clusterSpec is no object";
  if (!problem.empty()) return;
  for (const auto& [key, value] : spec.items()) {
    Fields field(key, problem);
    if (key == "memberCount" || key == "member_count") {
      field.number(value, meta.member_count);
    } else if (key == "etcdVersion" || key == "etcd_version") {
      field.text(value, meta.cluster_version);
    } else if (problem.empty()) {
      problem = unknown(key, "clusterSpec");
    }
  }
}

}  // namespace

std::string meta_text(const BackupMeta& meta) {
  Lines spec;
  if (meta.member_count != 0) spec.push_back("\"memberCount\": " + std::to_string(meta.member_count));
  if (!meta.cluster_version.empty()) spec.push_back("\"etcdVersion\": " + quoted(meta.cluster_version));
  Lines fields;
  if (!meta.etcd_version.empty()) fields.push_back("\"etcdVersion\": " + quoted(meta.etcd_version));
  if (meta.timestamp != 0) fields.push_back("\"timestamp\": \"" + std::to_string(meta.timestamp) + "\"");
  fields.push_back("\"clusterSpec\": " + object(spec, "  "));
  return object(fields, "");
}

base::Result<BackupMeta> read_meta(std::string_view text, const std::string& name) {
  const auto tree = parse_json(text, name, kMostBytes);
  if (!tree) return tl::unexpected(tree.error());
  if (!tree->is_object()) return base::invalid(in_file(name, "must be an object"));
  BackupMeta meta;
  std::string problem;
  for (const auto& [key, value] : tree->items()) {
    Fields field(key, problem);
    if (key == "etcdVersion" || key == "etcd_version") {
      field.text(value, meta.etcd_version);
    } else if (key == "timestamp") {
      field.number(value, meta.timestamp);
    } else if (key == "clusterSpec" || key == "cluster_spec") {
      read_spec(value, meta, problem);
    } else if (problem.empty()) {
      problem = unknown(key, "the backup");
    }
  }
  if (!problem.empty()) return base::invalid(in_file(name, problem));
  return meta;
}

}  // namespace quorate::model
