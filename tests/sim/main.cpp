// The simulator from the command line: many seeds, one seed with its trace, or the planted bugs.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "tests/sim/run.h"

namespace {

using quorate::sim::Bug;
using quorate::sim::Options;
using quorate::sim::Outcome;

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t seeds = 200;
  bool bugs = false;
  bool twice = false;
  std::string list;
  bool trace = false;
  bool verbose = false;
  int kinds = 0;
  std::string bug;
};

int usage() {
  std::cerr << "usage: quorate_sim [--seed S] [--seeds N] [--twice] [--list FILE] [--bugs] [--bug NAME] [--kinds K] "
               "[--trace] [--verbose]\n";
  return 64;
}

void print_trace(const Outcome& outcome) {
  for (const std::string& line : outcome.lines) std::cout << line << "\n";
}

void report(const Options& options, const std::string& problem) {
  std::cout << "seed " << options.seed << ": " << problem << "\n  again, with its trace: ci/sim --seed " << options.seed
            << " --seeds 1 --trace" << (options.kinds == 0 ? "" : " --kinds " + std::to_string(options.kinds))
            << (options.bug == Bug::None ? "" : " --bug " + std::string(name_of(options.bug))) << "\n"
            << std::flush;
}

// In a list two numbers in each line, and after them what the seed has shown once. The second is how many kinds of
// faults there were then: with more of them the seed is another world.
std::vector<Options> worlds_of(const Arguments& arguments, Bug bug) {
  std::vector<Options> worlds;
  if (arguments.list.empty()) {
    for (std::uint64_t i = 0; i < arguments.seeds; ++i) {
      worlds.push_back({arguments.seed + i, bug, arguments.verbose, arguments.kinds});
    }
    return worlds;
  }
  std::ifstream file(arguments.list);
  for (std::string line; std::getline(file, line);) {
    Options options{0, bug, arguments.verbose, 0};
    if (std::istringstream(line) >> options.seed >> options.kinds) worlds.push_back(options);
  }
  return worlds;
}

// 0: none of the seeds shows anything wrong.
int run_seeds(const Arguments& arguments, Bug bug) {
  int failed = 0;
  std::uint64_t passes = 0;
  std::uint64_t lost = 0;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Options> worlds = worlds_of(arguments, bug);
  for (const Options& options : worlds) {
    Outcome outcome = run_seed(options);
    passes += outcome.passes;
    lost += outcome.lost_for_good ? 1 : 0;
    if (arguments.trace) print_trace(outcome);
    if (arguments.twice && run_seed(options).trace_hash != outcome.trace_hash) {
      outcome.problem = "it does not run the same way twice";
    }
    if (outcome.problem.empty()) continue;
    ++failed;
    report(options, outcome.problem);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << worlds.size() << " seeds from " << (worlds.empty() ? 0 : worlds.front().seed) << ": " << failed
            << " wrong; " << passes << " passes, " << lost << " lost for good, " << took.count() << " s\n";
  return failed == 0 && !worlds.empty() ? 0 : 1;
}

int run_bugs(const Arguments& arguments, Bug only) {
  int missed = 0;
  for (const auto& bug : quorate::sim::all_bugs()) {
    if (only != Bug::None && only != bug.bug) continue;
    std::string caught;
    for (std::uint64_t seed = arguments.seed; seed < arguments.seed + 500 && caught.empty(); ++seed) {
      const Outcome outcome = run_seed(Options{seed, bug.bug});
      // A seed that is wrong by itself has caught nothing.
      if (outcome.problem.empty() || !run_seed(Options{seed}).problem.empty()) continue;
      caught = "seed " + std::to_string(seed) + ": " + outcome.problem;
    }
    missed += caught.empty() ? 1 : 0;
    std::cout << bug.name << " (" << bug.text << "): " << (caught.empty() ? "NOT CAUGHT" : caught) << "\n"
              << std::flush;
  }
  return missed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--seed" && has_value) {
      arguments.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--seeds" && has_value) {
      arguments.seeds = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--kinds" && has_value) {
      arguments.kinds = std::atoi(argv[++i]);
    } else if (argument == "--bug" && has_value) {
      arguments.bug = argv[++i];
    } else if (argument == "--list" && has_value) {
      arguments.list = argv[++i];
    } else if (argument == "--bugs") {
      arguments.bugs = true;
    } else if (argument == "--twice") {
      arguments.twice = true;
    } else if (argument == "--trace") {
      arguments.trace = true;
    } else if (argument == "--verbose") {
      arguments.verbose = arguments.trace = true;
    } else {
      return usage();
    }
  }
  Bug bug = Bug::None;
  for (const auto& each : quorate::sim::all_bugs()) {
    if (each.name == arguments.bug) bug = each.bug;
  }
  if (!arguments.bug.empty() && bug == Bug::None) return usage();
  if (arguments.bugs) return run_bugs(arguments, bug);
  return run_seeds(arguments, bug);
}
