// Runs the laws for backups over every file of the given folders.
#include "tests/fuzz/backup_files.h"
#include "tests/fuzz/replay_files.h"

int main(int count, char** folders) {
  return quorate::fuzz::replay(count, folders, [](int, std::string_view bytes) { quorate::fuzz::check_backup(bytes); });
}
