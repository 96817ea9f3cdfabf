// The text is judged as bytes first, then by the parser; yaml-cpp and its exceptions stay in this file.
#include "reconciler/load/load.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "reconciler/base/utf8.h"
#include "reconciler/load/envelope.h"
#include "reconciler/load/tree.h"

namespace quorate::load {
namespace {

using model::Code;
using model::NodeKind;

Mark mark_of(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column};
}

Tag tag_of(const std::string& tag) {
  if (tag.empty() || tag == "?" || tag == "!") return Tag::None;
  if (tag == "tag:yaml.org,2002:str") return Tag::Text;
  if (tag == "tag:yaml.org,2002:map" || tag == "tag:yaml.org,2002:seq") return Tag::Collection;
  return Tag::Other;
}

// yaml-cpp marks a quoted scalar by the tag "!", a plain one by "?".
class Events : public YAML::EventHandler {
 public:
  explicit Events(TreeBuilder& tree) : tree_(tree) {}

  void OnDocumentStart(const YAML::Mark& mark) override { tree_.document(mark_of(mark)); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { tree_.null(mark_of(mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { tree_.alias(mark_of(mark), anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    tree_.scalar(mark_of(mark), tag_of(tag), tag, tag == "!", anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    tree_.open(NodeKind::Sequence, mark_of(mark), tag_of(tag), tag, anchor);
  }
  void OnSequenceEnd() override { tree_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    tree_.open(NodeKind::Mapping, mark_of(mark), tag_of(tag), tag, anchor);
  }
  void OnMapEnd() override { tree_.close(); }

 private:
  TreeBuilder& tree_;
};

// Things that must be so before a parser sees the text; true when it may.
bool check_bytes(const model::Source& source, TreeBuilder& tree, std::vector<model::Finding>& findings) {
  const std::string& text = source.text();
  if (text.size() > kMostBytes) {
    tree.report(Code::E002, {}, "the file is larger than 1 MiB", "",
                "a desired-cluster file has a few hundred lines; is this the right file?");
    return false;
  }
  const auto at_byte = [&](std::size_t offset) {
    const std::string_view before = std::string_view(text).substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto start = before.rfind('\n');
    return Mark{static_cast<int>(line), static_cast<int>(start == before.npos ? offset : offset - start - 1)};
  };
  if (const auto nul = text.find('\0'); nul != std::string::npos) {
    tree.report(Code::E003, tree.span(at_byte(nul), 1), "the file holds a NUL byte", "expected text",
                "save the file as UTF-8 text; UTF-16 is full of NUL bytes");
    return false;
  }
  for (auto sign = text.find('%'); sign != std::string::npos; sign = text.find('%', sign + 1)) {
    if (sign > 0 && text[sign - 1] != '\n') continue;
    tree.report(Code::E005, tree.span(at_byte(sign), 1), "a line starts with %",
                "expected a key, or the text in quotes", "parsers take such a line for a directive and drop it");
    return false;
  }
  if (const auto bad = base::first_invalid_utf8(text)) {
    tree.report(Code::E004, tree.span(at_byte(*bad), 1), "the file is not UTF-8", "expected UTF-8 text",
                "save the file as UTF-8");
    findings.back().place.line.clear();  // what is no text cannot be shown, in no format
    return false;
  }
  return true;
}

// yaml-cpp's messages, in our words where they are its most common ones.
std::string in_our_words(const std::string& message) {
  if (message.find("end of map not found") != std::string::npos) return "this line does not fit the mapping above it";
  if (message.find("illegal map value") != std::string::npos) return "a colon stands where no key can end";
  if (message.find("end of sequence flow") != std::string::npos) return "a list in brackets is not closed";
  if (message.find("end of map flow") != std::string::npos) return "a mapping in braces is not closed";
  return "this is not YAML: " + message;
}

void parse(const model::Source& source, TreeBuilder& tree) {
  std::istringstream stream(source.text());
  Events events(tree);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::Exception& error) {
    const Mark mark = mark_of(error.mark);
    const bool placed = !error.mark.is_null();
    tree.report(Code::E005, placed ? tree.span(mark, 1) : model::Span{}, in_our_words(error.msg), "expected valid YAML",
                "look at the indentation and the quotes here and in the line before");
    throw Stop{};
  }
}

bool check_root(const model::Spec& spec, TreeBuilder& tree) {
  if (spec.root == nullptr || spec.root->kind == NodeKind::Null) {
    tree.report(Code::E011, {}, "the file is empty", "", "three lines are enough: apiVersion, name and members");
    return false;
  }
  if (spec.root->kind != NodeKind::Mapping) {
    tree.report(Code::E011, spec.root->span, "the file holds " + std::string(name_of(spec.root->kind)),
                "expected a mapping that starts with apiVersion: quorate/v1");
    return false;
  }
  return true;
}

}  // namespace

LoadResult load(model::Source source) {
  LoadResult result;
  model::Spec spec;
  spec.source = std::make_shared<const model::Source>(std::move(source));
  TreeBuilder tree(*spec.source, spec, result.findings);
  try {
    if (!check_bytes(*spec.source, tree, result.findings)) return result;
    parse(*spec.source, tree);
    if (!check_root(spec, tree)) return result;
  } catch (const Stop&) {
    return result;
  }
  unwrap_envelope(spec, result.findings);
  result.spec = std::move(spec);
  return result;
}

}  // namespace quorate::load
