// Lenient reading.
#include "reconciler/validate/read.h"

#include <charconv>

namespace quorate::validate {

using model::Node;
using model::NodeKind;

const Node* at(const Node& from, std::initializer_list<std::string_view> keys) {
  const Node* node = &from;
  for (const std::string_view key : keys) {
    node = node->get(key);
    if (node == nullptr) return nullptr;
  }
  return node;
}

const Node* at_dotted(const Node& from, std::string_view dotted_path) {
  const Node* node = &from;
  while (node != nullptr) {
    const auto dot = dotted_path.find('.');
    node = node->get(dotted_path.substr(0, dot));
    if (dot == std::string_view::npos) break;
    dotted_path.remove_prefix(dot + 1);
  }
  return node;
}

std::optional<std::int64_t> integer(const Node& node) {
  if (node.kind != NodeKind::Integer) return std::nullopt;
  std::string_view digits = node.text;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<std::string> text(const Node& node) {
  if (!node.is_scalar() || node.kind == NodeKind::Null) return std::nullopt;
  return node.text;
}

std::vector<std::string> texts(const Node& node, std::size_t most) {
  std::vector<std::string> result;
  for (const Node* item : node.items) {
    if (result.size() == most) break;
    if (auto value = text(*item)) result.push_back(std::move(*value));
  }
  return result;
}

}  // namespace quorate::validate
