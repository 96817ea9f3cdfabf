// Defaults come from the schema alone, so that what is documented is what happens.
#include "reconciler/validate/fields.h"

#include "reconciler/base/check.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/schema_check.h"

namespace quorate::validate {
namespace {

constexpr std::size_t kMostEntries = 64;  // lists with a default are short; the schema reports more

}  // namespace

const std::string& Fields::default_of(std::string_view path) const {
  const auto& text = field(file_, path).default_text;
  QUORATE_CHECK(text.has_value());
  return *text;
}

const model::Node* Fields::node(std::string_view path) const {
  return at_dotted(root_, path);
}

std::optional<std::string> Fields::text(std::string_view path) const {
  const model::Node* found = node(path);
  if (found == nullptr || !found->is_scalar() || !has_type(*found, field(file_, path).types)) return std::nullopt;
  return found->text;
}

std::optional<std::int64_t> Fields::number(std::string_view path) const {
  const model::Node* found = node(path);
  return found != nullptr ? integer(*found) : std::nullopt;
}

std::string Fields::text_or_default(std::string_view path) const {
  if (auto given = text(path)) return std::move(*given);
  return default_of(path);
}

std::int64_t Fields::number_or_default(std::string_view path) const {
  if (const auto given = number(path)) return *given;
  return std::stoll(default_of(path));
}

bool Fields::boolean_or_default(std::string_view path) const {
  const model::Node* found = node(path);
  const auto given = found != nullptr ? truth(*found) : std::nullopt;
  return given.value_or(default_of(path) == "true");
}

base::Duration Fields::duration_or_default(std::string_view path) const {
  const auto given = text(path);
  const auto parsed = given ? base::parse_duration(*given) : std::nullopt;
  return parsed ? *parsed : base::parse_duration(default_of(path)).value_or(base::Duration{});
}

std::vector<std::string> Fields::texts_or_default(std::string_view path) const {
  const model::Node* found = node(path);
  if (found == nullptr || found->kind != model::NodeKind::Sequence) return field(file_, path).default_texts;
  return validate::texts(*found, kMostEntries);
}

std::optional<bool> truth(const model::Node& node) {
  if (node.kind != model::NodeKind::Boolean) return std::nullopt;
  return node.text.front() == 't' || node.text.front() == 'T';
}

}  // namespace quorate::validate
