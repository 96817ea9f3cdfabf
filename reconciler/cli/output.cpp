// stdout carries the result, stderr the talk.
#include <filesystem>
#include <iostream>

#include <unistd.h>

#include "reconciler/cli/commands.h"

namespace quorate::cli {

model::ExitCode print(const std::string& result, model::ExitCode code) {
  std::cout << result << std::flush;
  if (std::cout.good()) return code;
  talk("quorate: the result could not be written to stdout");
  return model::worst(code, model::ExitCode::Failed);
}

void talk(const std::string& line) {
  std::cerr << line << (line.empty() || line.back() != '\n' ? "\n" : "");
}

std::string chosen_file(const Arguments& arguments) {
  if (!arguments.file.empty()) return arguments.file;
  for (const char* usual : {"quorate.yaml", "/etc/quorate/cluster.yaml"}) {
    std::error_code ignored;
    if (std::filesystem::exists(usual, ignored)) return usual;
  }
  return {};
}

}  // namespace quorate::cli
