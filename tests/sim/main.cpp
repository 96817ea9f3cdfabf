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
  std::string bug;
};

int usage() {
  std::cerr << "usage: quorate_sim [--seed S] [--seeds N] [--twice] [--list FILE] [--bugs] [--bug NAME] [--trace] "
               "[--verbose]\n";
  return 64;
}

void print_trace(const Outcome& outcome) {
  for (const std::string& line : outcome.lines) std::cout << line << "\n";
}

void report(std::uint64_t seed, const std::string& problem, Bug bug) {
  std::cout << "seed " << seed << ": " << problem << "\n  again, with its trace: ci/sim --seed " << seed
            << " --seeds 1 --trace" << (bug == Bug::None ? "" : " --bug " + std::string(name_of(bug))) << "\n"
            << std::flush;
}

// One number in each line, and after it what the seed has shown once.
std::vector<std::uint64_t> seeds_of(const Arguments& arguments) {
  std::vector<std::uint64_t> seeds;
  if (arguments.list.empty()) {
    for (std::uint64_t i = 0; i < arguments.seeds; ++i) seeds.push_back(arguments.seed + i);
    return seeds;
  }
  std::ifstream file(arguments.list);
  for (std::string line; std::getline(file, line);) {
    std::uint64_t seed = 0;
    if (std::istringstream(line) >> seed) seeds.push_back(seed);
  }
  return seeds;
}

// 0: none of the seeds shows anything wrong.
int run_seeds(const Arguments& arguments, Bug bug) {
  int failed = 0;
  std::uint64_t passes = 0;
  std::uint64_t lost = 0;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::uint64_t> seeds = seeds_of(arguments);
  for (const std::uint64_t seed : seeds) {
    Outcome outcome = run_seed(Options{seed, bug, arguments.verbose});
    passes += outcome.passes;
    lost += outcome.lost_for_good ? 1 : 0;
    if (arguments.trace) print_trace(outcome);
    if (arguments.twice && run_seed(Options{seed, bug, arguments.verbose}).trace_hash != outcome.trace_hash) {
      outcome.problem = "it does not run the same way twice";
    }
    if (outcome.problem.empty()) continue;
    ++failed;
    report(seed, outcome.problem, bug);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << seeds.size() << " seeds from " << (seeds.empty() ? 0 : seeds.front()) << ": " << failed << " wrong; "
            << passes << " passes, " << lost << " lost for good, " << took.count() << " s\n";
  return failed == 0 && !seeds.empty() ? 0 : 1;
}

int run_bugs(const Arguments& arguments) {
  int missed = 0;
  for (const auto& bug : quorate::sim::all_bugs()) {
    std::string caught;
    for (std::uint64_t seed = arguments.seed; seed < arguments.seed + 500 && caught.empty(); ++seed) {
      const Outcome outcome = run_seed(Options{seed, bug.bug, false});
      // A seed that is wrong by itself has caught nothing.
      if (outcome.problem.empty() || !run_seed(Options{seed, Bug::None, false}).problem.empty()) continue;
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
  if (arguments.bugs) return run_bugs(arguments);
  Bug bug = Bug::None;
  for (const auto& each : quorate::sim::all_bugs()) {
    if (each.name == arguments.bug) bug = each.bug;
  }
  if (!arguments.bug.empty() && bug == Bug::None) return usage();
  return run_seeds(arguments, bug);
}
