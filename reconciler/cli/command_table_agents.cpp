// The commands that run agents.
#include "reconciler/cli/command_table_agents.h"

#include "reconciler/cli/option_checks.h"

namespace quorate::cli {
namespace {

void add_client_access(CLI::App& command, Arguments& arguments) {
  const std::string group = "Reaching etcd";
  const auto text = [&](const char* flag, std::string& value, const char* what, const char* type) {
    command.add_option(flag, value, what)->type_name(type)->group(group);
  };
  text("--cacert", arguments.cacert,
       "authorities that sign servers; else tls.client of the file (QUORATE_CACERT, ETCDCTL_CACERT)", "FILE");
  text("--cert", arguments.cert, "our client certificate; else tls.client of the file (QUORATE_CERT, ETCDCTL_CERT)",
       "FILE");
  text("--key", arguments.key, "its key; else tls.client of the file (QUORATE_KEY, ETCDCTL_KEY)", "FILE");
  text("--user", arguments.user,
       "etcd's user; the password is asked for, or stands in --password-file (QUORATE_USER, ETCDCTL_USER)", "NAME");
  text("--password-file", arguments.password_file, "file with the password of --user (QUORATE_PASSWORD_FILE)", "FILE");
}

void add_agent(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--agent", arguments.agent,
                  "socket of the agent; else .quorate/agent.sock beside the file, else /run/quorate/agent.sock "
                  "(QUORATE_AGENT)")
      ->type_name("ADDR")
      ->check(not_empty);
}

ClusterCommand add_up(CLI::App& app, Arguments& arguments) {
  CLI::App* up = app.add_subcommand("up", "keep all members of a file as processes of this machine, until stopped");
  up->add_flag("--create", arguments.create,
               "form the cluster where there is none and never was one, whatever bootstrap.ifNoCluster says");
  up->add_flag("--keep-members", arguments.keep_members, "leave the members running when this ends");
  up->add_option("--state-dir", arguments.state_directory,
                 "what the agents remember; else .quorate beside the file (QUORATE_STATE_DIR)")
      ->type_name("DIR");
  add_client_access(*up, arguments);
  return {up, "  quorate up --create -f desired/local.yaml\n"};
}

ClusterCommand add_daemon(CLI::App& app, Arguments& arguments) {
  CLI::App* agent = app.add_subcommand("agent", "the daemon: keeps the member of this node, and watches the others");
  agent
      ->add_option("--config", arguments.config, "node file; else /etc/quorate/agent.yaml where it is (QUORATE_CONFIG)")
      ->type_name("FILE")
      ->check(not_empty);
  agent->add_option("--member", arguments.member, "the member to keep; else the one whose node this is")
      ->type_name("NAME")
      ->check(not_empty);
  agent->add_flag("--stop-members", arguments.stop_members, "stop the member when this ends; else it keeps running");
  agent
      ->add_option("--state-dir", arguments.state_directory,
                   "what it remembers; else as the node file says, else /var/lib/quorate (QUORATE_STATE_DIR)")
      ->type_name("DIR");
  agent->add_option("--agent", arguments.agent, "socket to listen at; else as the node file says (QUORATE_AGENT)")
      ->type_name("ADDR")
      ->check(not_empty);
  add_client_access(*agent, arguments);
  return {agent, "  quorate agent\n  quorate agent --config /etc/quorate/agent.yaml -v\n"};
}

ClusterCommand add_apply(CLI::App& app, Arguments& arguments) {
  CLI::App* apply = app.add_subcommand("apply", "show the plan, ask, and let the agents carry it out");
  apply->add_option("plan", arguments.topic, "ID of a plan or file of plan --out: only if nothing has changed since")
      ->type_name("PLAN")
      ->check(not_empty);
  apply->add_flag("--yes", arguments.yes, "do not ask");
  apply->add_option("--resume", arguments.resume, "go on with a plan that was begun")
      ->type_name("PLAN")
      ->check(not_empty);
  apply->add_option("--reason", arguments.reason, "why, for history")->type_name("TEXT");
  apply->add_option("--by", arguments.by, "who asks; else your user name")->type_name("NAME")->check(not_empty);
  apply->add_option("--timeout", arguments.timeout, "how long to watch; 30m unless given (QUORATE_TIMEOUT)")
      ->type_name("DURATION")
      ->check(a_duration);
  add_agent(*apply, arguments);
  return {apply, "  quorate apply\n  quorate apply 7f3a9c2e --yes\n  quorate apply --resume 7f3a9c2e\n"};
}

ClusterCommand add_restore(CLI::App& app, Arguments& arguments) {
  CLI::App* restore =
      app.add_subcommand("restore", "show the plan that restores the cluster from a backup, ask, and have it done");
  restore
      ->add_option("backup", arguments.topic,
                   "name of a backup or the beginning of it; latest unless given. What was written after it is lost")
      ->type_name("BACKUP")
      ->check(not_empty);
  restore->add_flag("--yes", arguments.yes, "do not ask");
  restore->add_flag("--dry-run", arguments.backup.dry_run, "show the plan, and do nothing");
  restore->add_option("--reason", arguments.reason, "why, for everybody who looks")->type_name("TEXT");
  restore->add_option("--by", arguments.by, "who asks; else your user name")->type_name("NAME")->check(not_empty);
  restore->add_option("--timeout", arguments.timeout, "how long to watch; 30m unless given (QUORATE_TIMEOUT)")
      ->type_name("DURATION")
      ->check(a_duration);
  add_agent(*restore, arguments);
  return {restore,
          "  quorate restore --dry-run\n  quorate restore 2026-09-24T13:30 --reason \"rollback after a bad "
          "migration\"\n"};
}

ClusterCommand add_wait(CLI::App& app, Arguments& arguments) {
  CLI::App* wait = app.add_subcommand("wait", "until the cluster is as the file says; for scripts");
  wait->add_option("--for", arguments.until,
                   "synced: nothing is left to do; healthy: all voters are up, and one leads; approved: "
                   "nothing waits for a person. With -f: as that file has it")
      ->type_name("STATE")
      ->check(CLI::IsMember({"synced", "healthy", "approved"}))
      ->capture_default_str();
  wait->add_option("--timeout", arguments.timeout, "10m unless given (QUORATE_TIMEOUT)")
      ->type_name("DURATION")
      ->check(a_duration);
  add_agent(*wait, arguments);
  return {wait, "  quorate wait --for synced --timeout 5m\n"};
}

ClusterCommand add_pause(CLI::App& app, Arguments& arguments) {
  CLI::App* pause = app.add_subcommand("pause", "stop changes and healing for a while; watching goes on");
  pause->add_option("--reason", arguments.reason, "why, for everybody who looks")
      ->type_name("TEXT")
      ->required()
      ->check(not_empty);
  pause->add_option("--for", arguments.span, "how long; 4h unless given, at most 7d")
      ->type_name("DURATION")
      ->check(a_duration);
  pause->add_option("--member", arguments.members, "only what is done to this member; repeatable")
      ->type_name("NAME")
      ->check(not_empty)
      ->allow_extra_args(false);
  pause->add_option("--by", arguments.by, "who asks; else your user name")->type_name("NAME")->check(not_empty);
  add_agent(*pause, arguments);
  return {pause, "  quorate pause --reason \"new switch in rack 4\" --for 2h\n"};
}

ClusterCommand add_resume(CLI::App& app, Arguments& arguments) {
  CLI::App* resume = app.add_subcommand("resume", "end a pause");
  add_agent(*resume, arguments);
  return {resume, "  quorate resume\n"};
}

}  // namespace

std::vector<ClusterCommand> add_agent_commands(CLI::App& app, Arguments& arguments) {
  return {add_up(app, arguments),   add_daemon(app, arguments), add_apply(app, arguments), add_restore(app, arguments),
          add_wait(app, arguments), add_pause(app, arguments),  add_resume(app, arguments)};
}

}  // namespace quorate::cli
