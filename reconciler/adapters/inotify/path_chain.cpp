// The kernel's own walk along a path, done by hand.
#include "reconciler/adapters/inotify/path_chain.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/base/path.h"

namespace quorate::inotify {
namespace {

constexpr int kLinks = 40;  // as many as the kernel follows

// The names of a path in front of those that are left, last one first.
void push_names(std::string_view path, std::vector<std::string>& left) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!name.empty() && name != ".") left.emplace_back(name);
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
}

std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  return length <= 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(length));
}

}  // namespace

Meaning follow(const std::string& absolute_path, const Visit& visit) {
  Meaning meaning;
  std::vector<std::string> left;
  push_names(absolute_path, left);
  std::string folder = "/";
  struct stat about {};
  bool looked = ::lstat("/", &about) == 0;
  for (int links = 0; !left.empty();) {
    const std::string name = left.back();
    left.pop_back();
    if (name == "..") {
      folder = base::parent_path(folder);
      looked = ::lstat(folder.c_str(), &about) == 0;
      continue;
    }
    const std::string path = (folder == "/" ? "" : folder) + "/" + name;
    meaning.real_path = path;
    visit(folder, name, left.empty());
    looked = ::lstat(path.c_str(), &about) == 0;
    if (!looked) return meaning;
    if (S_ISLNK(about.st_mode)) {
      const std::string target = link_target(path);
      if (target.empty() || ++links > kLinks) return meaning;
      push_names(target, left);
      if (base::is_absolute(target)) folder = "/";
      looked = ::lstat(folder.c_str(), &about) == 0;
      continue;
    }
    if (!left.empty() && !S_ISDIR(about.st_mode)) return meaning;
    folder = path;
  }
  if (!looked) return meaning;
  meaning.there = true;
  meaning.regular = S_ISREG(about.st_mode);
  meaning.real_path = folder;
  meaning.device = about.st_dev;
  meaning.inode = about.st_ino;
  meaning.size = static_cast<std::uint64_t>(about.st_size);
  meaning.changed_s = about.st_ctim.tv_sec;
  meaning.changed_ns = about.st_ctim.tv_nsec;
  return meaning;
}

}  // namespace quorate::inotify
