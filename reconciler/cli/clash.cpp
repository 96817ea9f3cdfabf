// Paths are compared as the system resolves them, links and all.
#include "reconciler/cli/clash.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "reconciler/cli/commands.h"

namespace quorate::cli {
namespace {

namespace fs = std::filesystem;

struct Named {
  std::string flag;
  std::string path;
};

bool is_one_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::exists(a, ignored) && !fs::is_regular_file(a, ignored)) return false;
  if (a == b || fs::equivalent(a, b, ignored)) return true;
  const fs::path left = fs::weakly_canonical(fs::absolute(a, ignored), ignored);
  return !left.empty() && left == fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

std::vector<Named> written(const Arguments& arguments) {
  std::vector<Named> all;
  for (const std::string& report : arguments.reports) {
    all.push_back({"--report", report.substr(report.find('=') + 1)});
  }
  if (!arguments.out.empty()) all.push_back({"--out", arguments.out});
  return all;
}

std::vector<Named> read(const Arguments& arguments) {
  std::vector<Named> all = {{"-f", chosen_file(arguments)},
                            {"--observed", arguments.observed},
                            {"--observed-signers", arguments.observed_signers},
                            {"--password-file", arguments.password_file}};
  for (const std::string& file : arguments.files) all.push_back({"a file to check", file});
  if (arguments.command == Command::Show) all.push_back({"the plan", arguments.topic});
  return all;
}

}  // namespace

std::string clash_of_files(const Arguments& arguments) {
  const std::vector<Named> targets = written(arguments);
  const std::vector<Named> sources = read(arguments);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_one_file(targets[i].path, targets[j].path)) continue;
      return targets[j].flag + " and " + targets[i].flag + " would both write " + targets[i].path;
    }
    for (const Named& source : sources) {
      if (source.path.empty() || source.path == "-" || !is_one_file(targets[i].path, source.path)) continue;
      return targets[i].flag + " would write over " + source.path + ", which is read as " + source.flag;
    }
  }
  return {};
}

}  // namespace quorate::cli
