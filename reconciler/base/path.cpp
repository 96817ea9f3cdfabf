// Paths are compared as text, so each must have one spelling.
#include "reconciler/base/path.h"

namespace quorate::base {

bool is_absolute(std::string_view path) {
  return !path.empty() && path.front() == '/';
}

std::string join_path(std::string_view directory, std::string_view path) {
  const std::string whole = is_absolute(path) ? std::string(path) : std::string(directory) + "/" + std::string(path);
  std::string normal;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const auto slash = rest.find('/');
    const auto part = rest.substr(0, slash);
    if (!part.empty() && part != ".") {
      if (!normal.empty() || is_absolute(whole)) normal += "/";
      normal += part;
    }
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (normal.empty()) return is_absolute(whole) ? "/" : ".";
  return normal;
}

std::string parent_path(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

bool is_within(std::string_view inner, std::string_view outer) {
  if (outer == "/") return true;
  return inner.substr(0, outer.size()) == outer && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

}  // namespace quorate::base
