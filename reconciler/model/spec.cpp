// Looking things up in a document.
#include "reconciler/model/spec.h"

namespace quorate::model {

std::string_view name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::Null:
      return "nothing";
    case NodeKind::Boolean:
      return "a boolean";
    case NodeKind::Integer:
      return "a whole number";
    case NodeKind::Float:
      return "a number";
    case NodeKind::Text:
      return "text";
    case NodeKind::Mapping:
      return "a mapping";
    case NodeKind::Sequence:
      return "a list";
  }
  return "";
}

const Entry* Node::entry(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key->text == key) return &entry;
  }
  return nullptr;
}

const Node* Node::get(std::string_view key) const {
  const Entry* found = entry(key);
  return found != nullptr ? found->value : nullptr;
}

}  // namespace quorate::model
