// Runs the laws for logs and databases over every file of the given folders: first those of logs, then of databases.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/fuzz/disk_files.h"

int main(int count, char** folders) {
  int files = 0;
  for (int index = 1; index < count; ++index) {
    for (const auto& entry : std::filesystem::directory_iterator(folders[index])) {
      std::cout << entry.path().string() << std::endl;  // flushed: the last name is the one that stopped the process
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      index == 1 ? quorate::fuzz::check_wal(bytes) : quorate::fuzz::check_database(bytes);
      ++files;
    }
  }
  std::cout << files << " files\n";
  return files == 0 ? 1 : 0;
}
