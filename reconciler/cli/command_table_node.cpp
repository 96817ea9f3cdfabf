// Commands that need no agent to answer: they read what agents have left on this machine, or look for themselves.
#include "reconciler/cli/command_table_node.h"

#include <string>

#include "reconciler/cli/option_checks.h"

namespace quorate::cli {
namespace {

void add_places(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--state-dir", arguments.state_directory,
                  "what agents remember; else as the node file says, else .quorate beside the desired file where it "
                  "is, else /var/lib/quorate (QUORATE_STATE_DIR)")
      ->type_name("DIR")
      ->check(not_empty);
  command
      .add_option("--config", arguments.config, "node file; else /etc/quorate/agent.yaml where it is (QUORATE_CONFIG)")
      ->type_name("FILE")
      ->check(not_empty);
}

ClusterCommand add_check_start(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand(
      "check-start", "may this member start on the data that lie here? Exit code 4: no. Nobody is asked");
  command->add_option("member", arguments.topic, "name of the member")
      ->type_name("MEMBER")
      ->required()
      ->check(not_empty);
  add_places(*command, arguments);
  return {command,
          "  quorate check-start etcd-a -f /etc/quorate/cluster.yaml\n"
          "  ExecStartPre=/usr/bin/quorate check-start etcd-a     # in a unit of systemd\n"};
}

ClusterCommand add_history(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand("history", "what the agents of this machine did, out of their journals");
  command->add_option("action", arguments.action, "show: one step or plan, with its reasons and results")
      ->type_name("show");
  command->add_option("id", arguments.topic, "ID of a plan or of a step")->type_name("ID");
  command->add_option("--member", arguments.member, "only what the agent of this member did")
      ->type_name("NAME")
      ->check(not_empty);
  add_places(*command, arguments);
  return {command,
          "  quorate history\n"
          "  quorate history --state-dir .quorate -o json\n"
          "  quorate history show remove/etcd-c@fd422379fda50e48\n"};
}

ClusterCommand add_doctor(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand(
      "doctor", "look at the ways to the members, and at folders, disk, ports, certificates and etcd of this machine");
  add_places(*command, arguments);
  add_access(*command, arguments);
  return {command, "  sudo quorate doctor -f quorate.yaml\n  quorate doctor -q -o json\n"};
}

ClusterCommand add_answer(CLI::App& app, Arguments& arguments, const char* name, const char* what,
                          const char* examples) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("what", arguments.topic, "ID of a step, or a plan: its ID, or the file of plan --out")
      ->type_name("STEP|PLAN")
      ->required()
      ->check(not_empty);
  command->add_flag("--print", arguments.print_only,
                    "say it to no agent; print the entry for approvals: of the desired file, for somebody to commit");
  command->add_option("--reason", arguments.reason, "why, for history")->type_name("TEXT");
  command->add_option("--agent", arguments.agent, "socket of the agent (QUORATE_AGENT)")
      ->type_name("ADDR")
      ->check(not_empty);
  command->add_option("--for", arguments.span, "how long it holds; 24h unless given")
      ->type_name("DURATION")
      ->check(a_duration);
  command->add_option("--by", arguments.by, "who agrees, for people to read")->type_name("NAME")->check(not_empty);
  add_observed(*command, arguments);
  add_access(*command, arguments);
  return {command, examples};
}

ClusterCommand add_approve(CLI::App& app, Arguments& arguments) {
  return add_answer(app, arguments, "approve", "agree to a step that waits for a person",
                    "  quorate approve remove/etcd-c@fd422379fda50e48 --reason \"disk is gone\"\n"
                    "  quorate approve remove/etcd-c@fd422379fda50e48 --print --by ana@example.com\n"
                    "  quorate plan --out plan.json; quorate approve plan.json --print --for 4h >> quorate.yaml\n");
}

ClusterCommand add_deny(CLI::App& app, Arguments& arguments) {
  return add_answer(app, arguments, "deny", "say no to a step that waits for a person",
                    "  quorate deny remove/etcd-c@fd422379fda50e48 --reason \"it comes back tomorrow\"\n");
}

}  // namespace

std::vector<ClusterCommand> add_node_commands(CLI::App& app, Arguments& arguments) {
  return {add_check_start(app, arguments), add_history(app, arguments), add_doctor(app, arguments),
          add_approve(app, arguments), add_deny(app, arguments)};
}

}  // namespace quorate::cli
