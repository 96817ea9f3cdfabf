// Fields of a document by their dotted path, with the schema's default where the document is silent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/units.h"
#include "reconciler/model/spec.h"
#include "reconciler/validate/schema.h"

namespace quorate::validate {

class Fields {
 public:
  Fields(const model::Node& root, const Schema& file) : root_(root), file_(file) {}

  const model::Node* node(std::string_view path) const;

  // Only a value of a type that the schema allows counts as given.
  std::optional<std::string> text(std::string_view path) const;
  std::optional<std::int64_t> number(std::string_view path) const;

  // For fields whose default the schema names; asking for another is a bug.
  std::string text_or_default(std::string_view path) const;
  std::int64_t number_or_default(std::string_view path) const;
  bool boolean_or_default(std::string_view path) const;
  base::Duration duration_or_default(std::string_view path) const;
  std::vector<std::string> texts_or_default(std::string_view path) const;

 private:
  const std::string& default_of(std::string_view path) const;

  const model::Node& root_;
  const Schema& file_;
};

std::optional<bool> truth(const model::Node& node);

}  // namespace quorate::validate
