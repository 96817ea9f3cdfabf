// What somebody wrote: a YAML document as a tree in which every key and value knows its place.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/source.h"

namespace quorate::model {

// What a plain scalar means under YAML 1.2's core schema; quoted scalars are always Text.
enum class NodeKind { Null, Boolean, Integer, Float, Text, Mapping, Sequence };

std::string_view name_of(NodeKind kind);  // "a mapping", "the number", "nothing"

struct Node;

struct Entry {
  const Node* key = nullptr;
  const Node* value = nullptr;
};

struct Node {
  NodeKind kind = NodeKind::Null;
  bool quoted = false;
  Span span;
  std::string text;                // a scalar, as written but for quotes and escapes
  std::vector<Entry> entries;      // a mapping, in the order of the text
  std::vector<const Node*> items;  // a sequence

  bool is_scalar() const { return kind != NodeKind::Mapping && kind != NodeKind::Sequence; }
  const Entry* entry(std::string_view key) const;
  const Node* get(std::string_view key) const;
};

struct Spec {
  std::shared_ptr<const Source> source;
  std::deque<Node> nodes;  // owns every node; addresses stay when a Spec is moved
  const Node* root = nullptr;

  Spec() = default;
  Spec(Spec&&) = default;
  Spec& operator=(Spec&&) = default;
};

}  // namespace quorate::model
