// The tree is built by hand while the text is walked, so that depth and duplicate keys are seen before they cost
// anything.
#include "reconciler/model/json_document.h"

#include <charconv>
#include <utility>
#include <vector>

namespace quorate::model {
namespace {

// Where a byte stands, as editors count; a byte that continues a character is no column of its own.
std::string place_of(std::string_view text, std::size_t offset) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      ++line;
      column = 1;
    } else if ((byte & 0xC0U) != 0x80U) {
      ++column;
    }
  }
  return std::to_string(line) + ":" + std::to_string(column);
}

// What the parser says it wanted there; its own words hold pieces of the text, so nothing else of them is shown.
std::string wanted(const std::string& words) {
  const auto at = words.rfind("; expected ");
  return at == std::string::npos ? "" : " (" + words.substr(at + 2) + ")";
}

class TreeBuilder : public nlohmann::json_sax<JsonTree> {
 public:
  JsonTree root;
  std::string problem;         // a clause about the text; empty: none
  std::size_t problem_at = 0;  // bytes that were read before it showed
  bool placed = false;         // whether problem_at means anything

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonTree::object()); }
  bool start_array(std::size_t) override { return open(JsonTree::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const auto [slot, fresh] = open_.back()->get_ref<JsonTree::object_t&>().try_emplace(name);
    if (!fresh) {
      problem = "the key " + in_quotes(name) + " stands twice in one object";
      return false;
    }
    slot_ = &slot->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    placed = true;
    problem_at = position;
    // 406 is the parser's number for a number that no double holds.
    problem = error.id == 406 ? "a number that is too large" : "this is not JSON" + wanted(error.what());
    return false;
  }

 private:
  JsonTree* place(JsonTree value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    JsonTree* parent = open_.back();
    if (parent->is_array()) {
      parent->push_back(std::move(value));
      return &parent->back();
    }
    *slot_ = std::move(value);
    return slot_;
  }

  bool put(JsonTree value) {
    place(std::move(value));
    return true;
  }

  bool open(JsonTree value) {
    if (open_.size() == kMaxDocumentDepth) {
      problem = "it nests deeper than " + std::to_string(kMaxDocumentDepth) + " levels";
      return false;
    }
    open_.push_back(place(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<JsonTree*> open_;
  JsonTree* slot_ = nullptr;
};

const std::string* text_at(const JsonTree& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string shown;
  for (const char c : text.substr(0, kShown)) shown += c >= ' ' && c <= '~' ? c : '?';
  return "\"" + shown + (text.size() > kShown ? "...\"" : "\"");
}

base::Result<JsonTree> parse_json(std::string_view text, std::string_view name, std::size_t max_bytes) {
  const std::string file(name);
  if (text.size() > max_bytes) {
    return base::invalid(file + " is larger than " + std::to_string(max_bytes >> 20) + " MiB",
                         "a document of ours is smaller by far; is this the right file?");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return base::invalid(file + " is empty", "write it anew");
  }
  TreeBuilder builder;
  if (JsonTree::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root);
  if (!builder.placed) return base::invalid(file + ": " + builder.problem);
  if (builder.problem_at > text.size()) {
    return base::invalid(file + ":" + place_of(text, text.size()) + ": the text ends in the middle: truncated",
                         "write or copy it anew, whole");
  }
  const std::size_t offset = builder.problem_at == 0 ? 0 : builder.problem_at - 1;
  return base::invalid(file + ":" + place_of(text, offset) + ": " + builder.problem);
}

base::Result<JsonTree> open_document(std::string_view text, std::string_view name, std::string_view kind,
                                     std::size_t max_bytes) {
  auto tree = parse_json(text, name, max_bytes);
  if (!tree) return tree;
  const std::string file(name);
  if (!tree->is_object()) return base::invalid(file + ": the document is not an object");
  const std::string* found = text_at(*tree, "kind");
  if (found == nullptr || *found != kind) {
    return base::invalid(file + ": /kind must be \"" + std::string(kind) + "\"" +
                         (found == nullptr ? "" : ", found " + in_quotes(*found)));
  }
  const std::string* version = text_at(*tree, "format_version");
  unsigned major = 0;
  unsigned minor = 0;
  bool sound = version != nullptr;
  if (sound) {
    const char* end = version->data() + version->size();
    const auto first = std::from_chars(version->data(), end, major);
    sound = first.ec == std::errc{} && first.ptr != end && *first.ptr == '.';
    if (sound) {
      const auto second = std::from_chars(first.ptr + 1, end, minor);
      sound = second.ec == std::errc{} && second.ptr == end;
    }
  }
  if (!sound) return base::invalid(file + ": /format_version must be text such as \"1.0\"");
  if (major != 1) {
    return base::invalid(file + " has format_version " + *version + ", this quorate reads 1.x",
                         "use the release of quorate that wrote it");
  }
  return tree;
}

}  // namespace quorate::model
