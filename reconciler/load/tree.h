// Building the tree of a document from parser events; the limits and the YAML traps are looked for here.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reconciler/model/finding.h"
#include "reconciler/model/source.h"
#include "reconciler/model/spec.h"

namespace quorate::load {

inline constexpr std::size_t kMostBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostDepth = 32;
inline constexpr std::size_t kMostValues = 50'000;  // with every alias counted as often as it is used
inline constexpr std::size_t kBytesOfAValue = 64;   // a longer text counts as several values
inline constexpr std::size_t kMostFindings = 100;   // of one file; more would only hide the first

// Ends the parse: what follows could not be trusted or not be borne.
struct Stop {};

// Line from 1, byte offset within the line from 0: what the parser knows of a place.
struct Mark {
  int line = 1;
  int byte = 0;
};

enum class Tag { None, Text, Collection, Other };

class TreeBuilder {
 public:
  TreeBuilder(const model::Source& source, model::Spec& spec, std::vector<model::Finding>& findings);

  void document(Mark mark);
  void scalar(Mark mark, Tag tag, std::string_view tag_text, bool quoted, std::size_t anchor, const std::string& value);
  void null(Mark mark, std::size_t anchor);
  void alias(Mark mark, std::size_t anchor);
  void open(model::NodeKind kind, Mark mark, Tag tag, std::string_view tag_text, std::size_t anchor);
  void close();

  model::Span span(Mark mark, int length);
  void report(model::Code code, model::Span span, std::string message, std::string expected, std::string help = {});

 private:
  struct Frame {
    model::Node* node = nullptr;
    const model::Node* key = nullptr;  // of a mapping: a key that waits for its value
    bool skip_value = false;           // the value belongs to a key that was refused
    bool has_bad_key = false;
    std::size_t anchor = 0;
    std::size_t weight = 1;
    std::unordered_map<std::string_view, const model::Node*> keys;  // only filled in large mappings
  };

  struct Anchor {
    const model::Node* node = nullptr;
    std::size_t weight = 0;
    bool open = true;
  };

  std::size_t offset_of(Mark mark) const;
  model::Node& make(model::NodeKind kind, Mark mark);
  void place(const model::Node* node, std::size_t weight);
  void place_key(Frame& frame, const model::Node* key);
  const model::Node* seen(Frame& frame, const model::Node& key);
  void check_tag(Tag tag, std::string_view text, model::Span span);
  void check_tab(Mark mark, model::Span span);

  const model::Source& source_;
  model::Spec& spec_;
  std::vector<model::Finding>& findings_;
  std::vector<Frame> frames_;
  std::unordered_map<std::size_t, Anchor> anchors_;
  std::size_t documents_ = 0;
  // Characters of the current line are counted on from here; a long line is walked once, not once per value.
  Mark counted_;
  int counted_column_ = 1;
};

// YAML 1.2's core schema for plain scalars.
model::NodeKind kind_of_plain(std::string_view text);

}  // namespace quorate::load
