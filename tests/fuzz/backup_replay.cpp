// Runs the laws for backups over every file of the given folders.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/fuzz/backup_files.h"

int main(int count, char** folders) {
  int files = 0;
  for (int index = 1; index < count; ++index) {
    for (const auto& entry : std::filesystem::directory_iterator(folders[index])) {
      std::cout << entry.path().string() << std::endl;  // flushed: the last name is the one that stopped the process
      std::ifstream file(entry.path(), std::ios::binary);
      quorate::fuzz::check_backup(std::string(std::istreambuf_iterator<char>(file), {}));
      ++files;
    }
  }
  std::cout << files << " files\n";
  return files == 0 ? 1 : 0;
}
