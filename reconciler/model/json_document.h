// A JSON text from outside as a tree, or the place where it stops being one; hostile texts end in an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "reconciler/base/result.h"

namespace quorate::model {

using JsonTree = nlohmann::json;  // keys sorted: looking one up is cheap however many there are

inline constexpr std::size_t kMaxDocumentBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxDocumentDepth = 64;

// Refuses what is no JSON, nests too deep, is too long, or names a key twice in one object.
base::Result<JsonTree> parse_json(std::string_view text, std::string_view name,
                                  std::size_t max_bytes = kMaxDocumentBytes);

// The same for one of our own documents: an object of this `kind`, written under format_version 1.
base::Result<JsonTree> open_document(std::string_view text, std::string_view name, std::string_view kind,
                                     std::size_t max_bytes = kMaxDocumentBytes);

// Foreign text short and harmless enough to stand in a message, in quotes.
std::string in_quotes(std::string_view text);

}  // namespace quorate::model
