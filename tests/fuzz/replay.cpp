// Runs the laws over every file of the given folders: the committed corpus and all inputs that once broke a law.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/desired_file.h"

int main(int count, char** folders) {
  std::vector<std::filesystem::path> files;
  for (int index = 1; index < count; ++index) {
    for (const auto& entry : std::filesystem::directory_iterator(folders[index])) {
      if (entry.path().filename() != "README.md") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::cout << path.filename().string() << std::endl;  // flushed: the last name is the one that stopped the process
    std::ifstream file(path, std::ios::binary);
    quorate::fuzz::check_desired_file(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  std::cout << files.size() << " files\n";
  return files.empty() ? 1 : 0;
}
