// File paths as text: joined and written one way, without looking at any file.
#pragma once

#include <string>
#include <string_view>

namespace quorate::base {

bool is_absolute(std::string_view path);

// `path` itself when it is absolute, else below `directory`; without doubled slashes, "." and a slash at the end.
std::string join_path(std::string_view directory, std::string_view path);

// Up to the last slash; "/" for what stands at the top.
std::string parent_path(std::string_view path);

// Is `inner` the same as `outer` or below it? Both normal, as join_path makes them.
bool is_within(std::string_view inner, std::string_view outer);

}  // namespace quorate::base
