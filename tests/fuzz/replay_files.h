// What all replays share: every file below the given folders goes through one check.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::fuzz {

// `check` hears which folder it is, from 1. Says 1 when there were no files.
inline int replay(int count, char** folders, const std::function<void(int folder, std::string_view bytes)>& check) {
  int files = 0;
  for (int folder = 1; folder < count; ++folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folders[folder])) {
      if (entry.is_regular_file() && entry.path().filename() != "README.md") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      std::cout << path.string() << std::endl;  // flushed: the last name is the one that stopped the process
      std::ifstream file(path, std::ios::binary);
      check(folder, std::string(std::istreambuf_iterator<char>(file), {}));
      ++files;
    }
  }
  std::cout << files << " files\n";
  return files == 0 ? 1 : 0;
}

}  // namespace quorate::fuzz
