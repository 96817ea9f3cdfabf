// Runs the laws for logs and databases over every file of the given folders: first those of logs, then of databases.
#include "tests/fuzz/disk_files.h"
#include "tests/fuzz/replay_files.h"

int main(int count, char** folders) {
  return quorate::fuzz::replay(count, folders, [](int folder, std::string_view bytes) {
    folder == 1 ? quorate::fuzz::check_wal(bytes) : quorate::fuzz::check_database(bytes);
  });
}
