// Runs the laws over every file of the given folders: the committed corpus and all inputs that once broke a law.
#include "tests/fuzz/desired_file.h"
#include "tests/fuzz/replay_files.h"

int main(int count, char** folders) {
  return quorate::fuzz::replay(count, folders,
                               [](int, std::string_view bytes) { quorate::fuzz::check_desired_file(bytes); });
}
