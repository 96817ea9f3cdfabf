// The tree grows with the events; a refused key or value is reported and left out, so that one look shows all mistakes.
#include "reconciler/load/tree.h"

#include <algorithm>
#include <utility>

#include "reconciler/base/utf8.h"
#include "reconciler/model/excerpt.h"

namespace quorate::load {
namespace {

using model::Code;
using model::Node;
using model::NodeKind;
using model::Span;

constexpr std::size_t kLargeMapping = 16;  // from here on a table finds doubled keys faster than looking at all

int characters(std::string_view text) {
  return static_cast<int>(base::count_characters(text));
}

// How many characters of its first line a scalar takes up, so that carets underline all of it.
int written_length(std::string_view rest, bool quoted, const std::string& value) {
  if (quoted && rest.size() > 1) {
    std::size_t at = 1;
    for (; at < rest.size() && rest[at] != '\n'; ++at) {
      if (rest[0] == '"' && rest[at] == '\\') {
        ++at;
      } else if (rest[at] == rest[0]) {
        if (rest[0] == '\'' && at + 1 < rest.size() && rest[at + 1] == '\'') {
          ++at;
        } else {
          return characters(rest.substr(0, at + 1));
        }
      }
    }
    return characters(rest.substr(0, std::min(at, rest.size())));
  }
  return rest.substr(0, value.size()) == value ? std::max(1, characters(value)) : 1;
}

// The parser marks a scalar where its anchor or tag starts.
std::string_view after_properties(std::string_view rest) {
  while (!rest.empty() && (rest.front() == '&' || rest.front() == '!')) {
    rest.remove_prefix(std::min(rest.find_first_of(" \n\t"), rest.size()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \n\t"), rest.size()));
  }
  return rest;
}

// The parser takes the end of the text for the end of a quote.
bool is_closed(std::string_view written) {
  if (written.empty() || (written.front() != '"' && written.front() != '\'')) return true;
  const char quote = written.front();
  for (std::size_t at = 1; at < written.size(); ++at) {
    if (quote == '"' && written[at] == '\\') {
      ++at;
    } else if (written[at] == quote) {
      if (quote == '"' || at + 1 == written.size() || written[at + 1] != quote) return true;
      ++at;
    }
  }
  return false;
}

}  // namespace

TreeBuilder::TreeBuilder(const model::Source& source, model::Spec& spec, std::vector<model::Finding>& findings)
    : source_(source), spec_(spec), findings_(findings) {}

Span TreeBuilder::span(Mark mark, int length) {
  mark.line = std::clamp(mark.line, 1, source_.line_count());
  const std::string_view line = source_.line(mark.line);
  const auto byte = std::min(static_cast<std::size_t>(std::max(mark.byte, 0)), line.size());
  if (mark.line != counted_.line || byte < static_cast<std::size_t>(counted_.byte)) {
    counted_ = {mark.line, 0};
    counted_column_ = 1;
  }
  const auto from = static_cast<std::size_t>(counted_.byte);
  counted_column_ += characters(line.substr(from, byte - from));
  counted_.byte = static_cast<int>(byte);
  return {{mark.line, counted_column_}, length};
}

void TreeBuilder::report(Code code, Span span, std::string message, std::string expected, std::string help) {
  findings_.push_back(model::make_finding(source_, code, span, std::move(message), std::move(expected)));
  if (!help.empty()) findings_.back().help.push_back(std::move(help));
  if (findings_.size() >= kMostFindings) throw Stop{};
}

void TreeBuilder::document(Mark mark) {
  if (++documents_ == 1) return;
  report(Code::E006, span(mark, 1), "the file holds more than one document", "expected the end of the file",
         "put each cluster into a file of its own");
  throw Stop{};
}

Node& TreeBuilder::make(NodeKind kind, Mark mark) {
  Node& node = spec_.nodes.emplace_back();
  node.kind = kind;
  node.span = span(mark, 1);
  return node;
}

void TreeBuilder::check_tag(Tag tag, std::string_view text, Span span) {
  if (tag != Tag::Other) return;
  report(Code::E012, span, "the tag " + std::string(text.substr(0, 60)) + " is not supported",
         "expected a value without a tag", "remove the tag; quote the value if it is text");
}

void TreeBuilder::check_tab(Mark mark, Span span) {
  if (mark.line < 1 || mark.line > source_.line_count()) return;
  const std::string_view before = source_.line(mark.line).substr(0, static_cast<std::size_t>(std::max(mark.byte, 0)));
  if (before.find_first_not_of(" \t") != std::string_view::npos) return;
  const auto tab = before.find('\t');
  if (tab == std::string_view::npos) return;
  span.at.column = static_cast<int>(tab) + 1;
  report(Code::E005, span, "a tab stands in the indentation", "expected spaces",
         "replace the tab by spaces; how wide a tab is differs from reader to reader");
  throw Stop{};
}

void TreeBuilder::scalar(Mark mark, Tag tag, std::string_view tag_text, bool quoted, std::size_t anchor,
                         const std::string& value) {
  Node& node = make(NodeKind::Text, mark);
  check_tab(mark, node.span);
  check_tag(tag, tag_text, node.span);
  node.quoted = quoted;
  node.text = value;
  if (!quoted && tag == Tag::None) node.kind = kind_of_plain(value);
  const std::string_view written = after_properties(std::string_view(source_.text()).substr(offset_of(mark)));
  if (quoted && !is_closed(written)) {
    report(Code::E005, node.span, "a quote is opened here and never closed", "expected it to end on this line");
    throw Stop{};
  }
  if (tag == Tag::None && anchor == 0) {
    node.span.length = written_length(written, quoted, value);
  }
  // Bytes count, too: one long text under many aliases is a bomb like any other.
  const std::size_t weight = 1 + value.size() / kBytesOfAValue;
  if (anchor != 0) anchors_[anchor] = {&node, weight, false};
  place(&node, weight);
}

std::size_t TreeBuilder::offset_of(Mark mark) const {
  const std::string_view line = source_.line(std::clamp(mark.line, 1, source_.line_count()));
  const auto byte = std::min(static_cast<std::size_t>(std::max(mark.byte, 0)), line.size());
  return static_cast<std::size_t>(line.data() - source_.text().data()) + byte;
}

void TreeBuilder::null(Mark mark, std::size_t anchor) {
  Node& node = make(NodeKind::Null, mark);
  // Nothing has no place of its own; the parser names the token that comes next.
  if (!frames_.empty() && frames_.back().key != nullptr) node.span = frames_.back().key->span;
  if (anchor != 0) anchors_[anchor] = {&node, 1, false};
  place(&node, 1);
}

void TreeBuilder::alias(Mark mark, std::size_t anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end() || found->second.open) {
    report(Code::E008, span(mark, 1), "an alias stands inside the value that it stands for",
           "expected an alias of a value that is complete before it");
    throw Stop{};
  }
  place(found->second.node, found->second.weight);
}

void TreeBuilder::open(NodeKind kind, Mark mark, Tag tag, std::string_view tag_text, std::size_t anchor) {
  Node& node = make(kind, mark);
  check_tab(mark, node.span);
  check_tag(tag, tag_text, node.span);
  if (frames_.size() >= kMostDepth) {
    report(Code::E007, node.span, "values are nested deeper than " + std::to_string(kMostDepth) + " levels",
           "expected at most " + std::to_string(kMostDepth) + " levels");
    throw Stop{};
  }
  Frame frame;
  frame.node = &node;
  frame.anchor = anchor;
  if (anchor != 0) anchors_[anchor] = {};
  frames_.push_back(std::move(frame));
}

void TreeBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.anchor != 0) anchors_[frame.anchor] = {frame.node, frame.weight, false};
  place(frame.node, frame.weight);
}

void TreeBuilder::place(const Node* node, std::size_t weight) {
  if (frames_.empty()) {
    if (documents_ <= 1) spec_.root = node;
    return;
  }
  Frame& frame = frames_.back();
  frame.weight += weight;
  if (frame.weight > kMostValues) {
    report(Code::E008, node->span, "the file expands to more than " + std::to_string(kMostValues) + " values",
           "expected fewer values or fewer aliases");
    throw Stop{};
  }
  if (frame.node->kind == NodeKind::Sequence) {
    frame.node->items.push_back(node);
  } else if (frame.key == nullptr && !frame.skip_value) {
    place_key(frame, node);
  } else {
    if (!frame.skip_value) frame.node->entries.push_back({frame.key, node});
    frame.key = nullptr;
    frame.skip_value = false;
  }
}

void TreeBuilder::place_key(Frame& frame, const Node* key) {
  if (!key->is_scalar() || key->kind == NodeKind::Null) {
    frame.skip_value = true;
    report(Code::E013, key->span, "a key must be text, found " + std::string(name_of(key->kind)),
           "expected a name in front of the colon");
    return;
  }
  if (!key->quoted && key->text == "<<") {
    frame.skip_value = true;
    report(Code::E010, key->span, "merge keys are not part of YAML 1.2 and are not applied",
           "expected the fields themselves", "write the fields out, or give the whole value an alias: key: *name");
    return;
  }
  if (const Node* first = seen(frame, *key)) {
    frame.skip_value = true;
    report(Code::E009, key->span, "the key \"" + key->text.substr(0, 80) + "\" stands here twice",
           "expected each key once", "keep one of the two; other readers silently drop one of them");
    findings_.back().related.push_back(model::excerpt(source_, first->span, "first used here"));
    return;
  }
  frame.key = key;
}

const Node* TreeBuilder::seen(Frame& frame, const Node& key) {
  const auto& entries = frame.node->entries;
  if (entries.size() < kLargeMapping) {
    const model::Entry* entry = frame.node->entry(key.text);
    return entry != nullptr ? entry->key : nullptr;
  }
  for (std::size_t at = frame.keys.size(); at < entries.size(); ++at) {
    frame.keys.emplace(entries[at].key->text, entries[at].key);
  }
  const auto found = frame.keys.find(key.text);
  return found != frame.keys.end() ? found->second : nullptr;
}

}  // namespace quorate::load
