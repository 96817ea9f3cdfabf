// The commands that look at a cluster, with the flags that say how to reach it.
#include "reconciler/cli/command_table_cluster.h"

#include <string>

#include "reconciler/cli/option_checks.h"

namespace quorate::cli {
namespace {

void add_node_places(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--state-dir", arguments.state_directory,
                  "where the etcd configuration files stand on a node (QUORATE_STATE_DIR)")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option("--config", arguments.config, "node file; else /etc/quorate/agent.yaml where it is (QUORATE_CONFIG)")
      ->type_name("FILE")
      ->check(not_empty);
}

CLI::App* add_plan(CLI::App& app, Arguments& arguments) {
  CLI::App* command =
      app.add_subcommand("plan", "what would be done, in which order and at which risk; changes nothing");
  command->add_flag("--exit-code,--detailed-exitcode", arguments.exit_code,
                    "end with 2 when something would be done; else 0 (other codes show always)");
  command->add_option("--out", arguments.out, "also save the plan, for quorate show")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_option("--assume-up", arguments.assume_up, "plan as if this member answered; repeatable")
      ->type_name("NAME")
      ->check(not_empty)
      ->allow_extra_args(false);
  add_node_places(*command, arguments);
  add_observed(*command, arguments);
  add_access(*command, arguments);
  return command;
}

}  // namespace

void add_access(CLI::App& command, Arguments& arguments) {
  const std::string group = "Reaching etcd";
  const auto text = [&](const char* flag, std::string& value, const char* what, const char* type) {
    command.add_option(flag, value, what)->type_name(type)->group(group);
  };
  text("--endpoints", arguments.endpoints,
       "where etcd answers, comma-separated; else those of the file (QUORATE_ENDPOINTS, ETCDCTL_ENDPOINTS)", "LIST");
  text("--cacert", arguments.cacert,
       "authorities that sign servers; else tls.client of the file (QUORATE_CACERT, ETCDCTL_CACERT)", "FILE");
  text("--cert", arguments.cert, "our client certificate; else tls.client of the file (QUORATE_CERT, ETCDCTL_CERT)",
       "FILE");
  text("--key", arguments.key, "its key; else tls.client of the file (QUORATE_KEY, ETCDCTL_KEY)", "FILE");
  text("--server-name", arguments.server_name,
       "what servers' certificates must name instead of the endpoint's host (QUORATE_SERVER_NAME)", "NAME");
  text("--user", arguments.user,
       "etcd's user; the password is asked for, or stands in --password-file (QUORATE_USER, ETCDCTL_USER)", "NAME");
  text("--password-file", arguments.password_file, "file with the password of --user (QUORATE_PASSWORD_FILE)", "FILE");
  command.add_option("--timeout", arguments.timeout, "for the whole look, at most; 6s unless given (QUORATE_TIMEOUT)")
      ->type_name("DURATION")
      ->check(a_duration)
      ->group(group);
  command
      .add_option("--command-timeout,--dial-timeout", arguments.answer_timeout,
                  "for each answer, at most; 2s unless given. All are waited for at once (QUORATE_COMMAND_TIMEOUT, "
                  "ETCDCTL_COMMAND_TIMEOUT, ETCDCTL_DIAL_TIMEOUT)")
      ->type_name("DURATION")
      ->check(a_duration)
      ->group(group);
}

void add_observed(CLI::App& command, Arguments& arguments) {
  const std::string group = "Looking at an observation instead of etcd";
  command.add_option("--observed", arguments.observed, "what quorate observe wrote, or - for stdin; contacts nothing")
      ->type_name("FILE")
      ->check(not_empty)
      ->group(group);
  command
      .add_option("--observed-signers", arguments.observed_signers,
                  "accept only what one of these signed (a file of allowed signers, as of ssh-keygen)")
      ->type_name("FILE")
      ->check(not_empty)
      ->group(group);
  command.add_option("--max-age", arguments.max_age, "exit code 6 for an older one; 1h unless given")
      ->type_name("DURATION")
      ->check(a_duration)
      ->group(group);
}

std::vector<ClusterCommand> add_cluster_commands(CLI::App& app, Arguments& arguments) {
  std::vector<ClusterCommand> commands;
  commands.push_back({add_plan(app, arguments),
                      "  quorate plan -f quorate.yaml\n"
                      "  quorate plan --exit-code --report markdown=plan.md --out plan.json\n"
                      "  quorate plan --observed observed.json --observed-signers signers --max-age 10m\n"
                      "  quorate plan --assume-up etcd-c\n"});

  CLI::App* show = app.add_subcommand("show", "print a saved plan in any format, however old it is");
  show->add_option("plan", arguments.topic, "what quorate plan --out wrote; - for stdin")
      ->type_name("PLAN")
      ->required()
      ->check(not_empty);
  commands.push_back({show, "  quorate show plan.json\n  quorate show plan.json -o markdown\n"});

  CLI::App* status =
      app.add_subcommand("status",
                         "one screen: sync, health, members, what happens next; ends with 0, with 6 where "
                         "nobody could look, with 3 where the file is wrong and this is about what it last said: "
                         "the check is drift");
  add_node_places(*status, arguments);
  add_observed(*status, arguments);
  add_access(*status, arguments);
  commands.push_back({status, "  quorate status -f quorate.yaml\n  quorate status -o json\n"});

  CLI::App* drift = app.add_subcommand("drift", "compare the cluster with its file; exit code 2 where they differ");
  add_node_places(*drift, arguments);
  add_observed(*drift, arguments);
  add_access(*drift, arguments);
  commands.push_back({drift, "  quorate drift -f quorate.yaml\n  quorate drift -q || mail -s drift ops\n"});

  CLI::App* observe = app.add_subcommand("observe", "write what can be seen, for plan --observed");
  observe->add_option("--sign", arguments.sign, "sign it with this SSH key, by ssh-keygen")
      ->type_name("KEY")
      ->check(not_empty);
  observe->add_option("--out", arguments.out, "write to this file instead of stdout")
      ->type_name("FILE")
      ->check(not_empty);
  add_node_places(*observe, arguments);
  add_access(*observe, arguments);
  commands.push_back({observe, "  quorate observe -f quorate.yaml --sign ~/.ssh/id_ed25519 --out observed.json\n"});

  CLI::App* member = app.add_subcommand("member", "list the members of the cluster");
  member->add_option("action", arguments.topic, "list")->type_name("list")->required()->check(CLI::IsMember({"list"}));
  add_observed(*member, arguments);
  add_access(*member, arguments);
  commands.push_back({member, "  quorate member list --endpoints https://10.0.0.11:2379\n"});
  return commands;
}

}  // namespace quorate::cli
