// The command line as a value: argv goes in, a struct comes out, and nothing happens on the way.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reconciler/model/exit_code.h"

namespace quorate::cli {

enum class Command {
  Validate,
  Render,
  Plan,
  Show,
  Status,
  Drift,
  Observe,
  Member,
  CheckStart,
  History,
  Doctor,
  Approve,
  Up,
  Agent,
  Apply,
  Backup,
  Restore,
  Wait,
  Pause,
  Resume,
  Deny,
  Schema,
  Explain,
  Completion,
  Man,
  Version
};

struct BackupArguments {
  std::string store;       // "file:///mnt/backups"
  std::string packing;     // empty: as the desired file says, else gzip
  std::string key_file;    // empty: nothing is encrypted
  std::string cluster_id;  // prune; empty: the one that --endpoints names, or the only one in the store
  std::string how;         // verify: "checksum" or "restore"; empty: checksum
  std::string etcd;        // verify by restore: the program; empty: the one along PATH
  std::string etcdutl;     // empty: beside etcd, then along PATH
  std::string scratch;     // empty: the folder for temporary files
  std::string keep_within;
  int keep_last = 0;
  int keep_hourly = 0;
  int keep_daily = 0;
  int keep_weekly = 0;
  int keep_monthly = 0;
  bool always = false;  // create: also when nothing has changed
  bool dry_run = false;
  bool all = false;
};

struct Arguments;
// quorate backup inspect FILE: a snapshot, and no backup of a store.
bool is_of_a_file(const Arguments& arguments);

struct Arguments {
  Command command = Command::Version;
  std::string name;  // of the command

  // global
  std::string file;
  std::string output;  // empty: text
  std::vector<std::string> reports;
  std::string color = "auto";
  bool quiet = false;
  int verbose = 0;
  bool no_input = false;

  // of one command each
  std::vector<std::string> files;  // validate
  std::string member;              // render, and so on
  std::string directory;
  std::string compare_with;
  std::string boot = "keep";
  std::string token;
  std::string initial_cluster;
  std::string state_directory = "/var/lib/quorate";
  bool state_directory_given = false;  // by the flag or the environment
  std::string config;                  // the node file; empty: the usual one where it is
  std::string renderer;
  std::string topic;   // explain, schema; the plan of show; the action of member; what check-start and approve name
  std::string action;  // history
  bool origin = false;
  std::string shell;  // completion

  // of those that run agents
  std::string agent;  // where it listens; empty: the usual places
  bool create = false;
  bool keep_members = false;
  bool stop_members = false;

  // of those that talk to agents
  bool yes = false;
  std::string resume;  // apply: a plan that was begun
  std::string reason;
  std::vector<std::string> members;  // pause
  std::string until = "synced";      // wait

  // of those that look at a cluster
  std::string endpoints;
  std::string cacert;
  std::string cert;
  std::string key;
  std::string server_name;
  std::string user;  // NAME or NAME:PASSWORD
  std::string password_file;
  std::string timeout;         // of the whole look; empty: the usual one
  std::string answer_timeout;  // of each answer; empty: the usual one
  std::string observed;        // empty: etcd is asked
  std::string observed_signers;
  std::string max_age;  // empty: the usual one
  std::vector<std::string> assume_up;
  bool exit_code = false;
  std::string out;
  std::string sign;

  BackupArguments backup;

  // approve
  bool print_only = false;
  std::string span;  // empty: the usual one
  std::string by;
};

// What to print instead of running a command.
struct Answer {
  std::string text;
  model::ExitCode code = model::ExitCode::Ok;
};

std::variant<Arguments, Answer> parse(int argc, const char* const* argv);

}  // namespace quorate::cli
