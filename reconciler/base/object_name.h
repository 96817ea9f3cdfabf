// Which names the objects of a store may have, the same in every store.
#pragma once

#include <string_view>

namespace quorate::base {

// Parts between slashes, none of them empty, "." or "..", at most 255 bytes each and 1000 in all; UTF-8 without control
// characters and backslashes. Such a name leads nowhere but below the base, in folders and in URLs.
bool is_object_name(std::string_view name);

}  // namespace quorate::base
