// Runs the laws for observations over every file below the given folders.
#include "tests/fuzz/observation.h"
#include "tests/fuzz/replay_files.h"

int main(int count, char** folders) {
  return quorate::fuzz::replay(count, folders,
                               [](int, std::string_view bytes) { quorate::fuzz::check_observation(bytes); });
}
