// Real ports, a file read or a cluster asked, and one value at the end.
#include "reconciler/cli/wiring.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reconciler/adapters/signature/signature.h"
#include "reconciler/adapters/system/local_host.h"
#include "reconciler/adapters/system/node.h"
#include "reconciler/adapters/system/programs.h"
#include "reconciler/adapters/system/zones.h"
#include "reconciler/base/suggest.h"
#include "reconciler/base/words.h"
#include "reconciler/cli/access.h"
#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/patience.h"
#include "reconciler/cli/state.h"
#include "reconciler/loop/followed.h"
#include "reconciler/model/assume.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/model/plan_context.h"
#include "reconciler/model/signed_observation.h"
#include "reconciler/observe/agents.h"
#include "reconciler/observe/observe.h"
#include "reconciler/report/prose.h"
#include "reconciler/report/status.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualPatience{2000};
constexpr base::Duration kAgentPatience{20000};
constexpr base::Duration kUsualAge{std::chrono::hours{1}};
constexpr std::size_t kThreads = 512;  // five questions for each of as many endpoints as are taken, all at once

void complain(base::Error error, ExitCode code, Look& look) {
  look.code = cli::complain(error, code);
  look.why = std::move(error);
}

base::Duration duration_or(const std::string& text, base::Duration usual) {
  return text.empty() ? usual : base::parse_duration(text).value_or(usual);
}

// A look has three rounds: the endpoints, members that only they know of, and what is asked of those once more.
base::Duration patience_of(const Arguments& arguments) {
  const base::Duration each = duration_or(arguments.answer_timeout, kUsualPatience);
  return arguments.timeout.empty() ? each : std::min(each, duration_or(arguments.timeout, 3 * each) / 3);
}

base::Duration time_in_all(const Arguments& arguments) {
  return duration_or(arguments.timeout, 3 * duration_or(arguments.answer_timeout, kUsualPatience));
}

bool is_https(const std::string& endpoint) {
  return endpoint.compare(0, 8, "https://") == 0;
}

// What the agents tell each other of the store, for people who look from elsewhere.
void ask_for_backups(ports::EtcdAdmin& etcd, base::Duration within, Look& look) {
  const std::string serving = model::serving_endpoint(look.observed);
  if (!look.desired || !look.desired->backup || serving.empty()) return;
  const auto kept = etcd.get(serving, model::kStoreKey, ports::Consistency::Linearizable, within);
  if (!kept) return;
  std::vector<model::Record> records;
  if (*kept) records.push_back({(*kept)->key, (*kept)->value, (*kept)->mod_revision});
  const auto read = model::read_records(records, look.observed.membership->cluster);
  observe::add_store(look.observed, read.store, look.desired->backup->to);
}

void ask_the_cluster(const Arguments& arguments, Look& look) {
  const model::Desired* desired = look.desired ? &*look.desired : nullptr;
  const auto endpoints = endpoints_of(arguments, desired);
  if (!endpoints) return complain(endpoints.error(), ExitCode::Usage, look);
  auto access = access_of(arguments, desired);
  if (!access) return complain(access.error(), ExitCode::Usage, look);
  access->log_in_over_tls_only = std::any_of(endpoints->begin(), endpoints->end(), is_https);
  etcd_grpc::Access as_nobody = *access;
  as_nobody.never_log_in = true;
  as_nobody.password.clear();
  const bool has_user = !access->user.empty();
  auto etcd = etcd_grpc::connect(*std::move(access));
  if (!etcd) return complain(etcd.error(), ExitCode::Unknown, look);
  std::unique_ptr<ports::EtcdAdmin> stranger;
  if (has_user) {
    auto second = etcd_grpc::connect(std::move(as_nobody));
    if (!second) return complain(second.error(), ExitCode::Unknown, look);
    stranger = *std::move(second);
  }
  const auto node = adapters::system::make_node();
  const auto clock = adapters::system::make_clock();
  const auto parallel = adapters::system::make_parallel(kThreads);
  observe::Question question;
  question.endpoints = *endpoints;
  question.desired = desired;
  for (const auto& [member, bundle] : look.bundles) question.bundles.emplace(member, bundle);
  question.within = patience_of(arguments);
  question.in_all = time_in_all(arguments);
  question.by = "quorate " + arguments.name + " on " + adapters::system::local_host().name;
  const Patience patience(arguments.quiet
                              ? ""
                              : "quorate: waiting for " + report::printable(base::joined(*endpoints, ", ")) +
                                    ", at most " + base::to_string(question.within) + " for an answer");
  look.observed = observe::observe({**etcd, *node, *parallel, *clock, stranger.get()}, question);
  ask_for_backups(**etcd, question.within, look);
}

// An agent on this machine knows more than an outsider can see; endpoints that somebody names are asked themselves.
std::optional<std::string> agent_to_ask(const Arguments& arguments) {
  if (!arguments.observed.empty() || !arguments.endpoints.empty()) return std::nullopt;
  return agent_socket(arguments);
}

model::Notice notice(std::string code, model::Notice::Level level, std::string text, std::string help) {
  model::Notice notice;
  notice.code = std::move(code);
  notice.object = "cluster";
  notice.level = level;
  notice.text = std::move(text);
  notice.help = std::move(help);
  return notice;
}

// An agent that refuses its file says so here, since nobody reads its log before something else goes wrong.
void tell_of_the_agents_file(const std::string& socket, Look& look) {
  const auto file = ask_for_file(socket);
  if (!file || file->problem.empty()) return;
  const std::string name = file->followed.name();
  look.notices.push_back(notice(
      "FileRefused", model::Notice::Level::Warning,
      "the agent here refuses " + name + " as it is now (" + file->problem + "), and follows what was valid last",
      "quorate validate " + name + " says what is wrong"));
}

void ask_the_agent(const std::string& socket, const Arguments& arguments, Look& look) {
  const Patience patience(arguments.quiet ? "" : "quorate: waiting for the agent at " + socket);
  auto observed = ask_agent(socket, duration_or(arguments.timeout, kAgentPatience));
  if (!observed) return complain(observed.error(), ExitCode::Unknown, look);
  look.observed = *std::move(observed);
  tell_of_the_agents_file(socket, look);
}

// Only a signature that is missing or wrong is no trust; a file of signers that cannot be read is a wrong command line.
ExitCode code_of_signature(const base::Error& error) {
  if (error.kind == base::ErrorKind::Refused) return ExitCode::Untrusted;
  return error.kind == base::ErrorKind::Invalid ? ExitCode::Usage : ExitCode::Failed;
}

void read_observation(const Arguments& arguments, Look& look) {
  const std::string name = arguments.observed == "-" ? "stdin" : arguments.observed;
  auto text = read_file(arguments.observed);
  if (!text) {
    if (text.error().help.empty()) text.error().help = "write it with quorate observe --out FILE";
    return complain(text.error(), ExitCode::Unknown, look);
  }
  const auto opened = model::open_observation(*text, name);
  if (!opened) return complain(opened.error(), ExitCode::Invalid, look);
  if (!arguments.observed_signers.empty()) {
    adapters::system::SystemPrograms programs;
    const auto signer =
        adapters::signature::verify(programs, arguments.observed_signers, opened->text, opened->signature,
                                    std::string(model::kObservationNamespace), now());
    if (!signer) return complain(signer.error(), code_of_signature(signer.error()), look);
    if (arguments.verbose > 0) talk("quorate: " + name + " is signed by " + report::printable(*signer));
  }
  auto observed = model::read_observed(opened->text, name);
  if (!observed) return complain(observed.error(), ExitCode::Invalid, look);
  look.observed = *std::move(observed);
  look.live = false;
}

void assume(const std::string& name, Look& look) {
  if (!look.observed.membership) {
    std::string help = look.observed.membership.why();
    return complain(
        {base::ErrorKind::Transient, "--assume-up " + name + ": no member list says who that is", std::move(help)},
        ExitCode::Unknown, look);
  }
  std::vector<std::string> names;
  for (const model::ObservedMember& member : look.observed.membership->members) {
    const std::string id = base::to_string(member.listed.id);
    if (name == member.listed.name || name == id) {
      model::assume_up(look.observed, member.listed.id);
      look.live = false;
      return;
    }
    names.push_back(member.listed.name.empty() ? id : member.listed.name);
  }
  const auto near = base::nearest(name, names, 1);
  complain({base::ErrorKind::Invalid, "--assume-up " + name + ": no member of the cluster has this name",
            near.empty() ? "members: " + base::joined(names, ", ") : "did you mean " + near[0] + "?"},
           ExitCode::Usage, look);
}

void add_overrides(const std::vector<model::Override>& overrides, Look& look) {
  for (const model::Override& each : overrides) {
    look.notices.push_back(
        notice(std::string(report::kOverridden), model::Notice::Level::Info,
               each.path + " is " + each.here + " on this node, and " + each.desired + " in the desired file",
               "the node file says so (overrides)"));
  }
}

// The bundles of what was read, and what the node file says instead.
base::Result<void> add_bundles(const Arguments& arguments, Look& look) {
  const OpenedSettings settings = open_settings(arguments);
  const std::string state_dir = state_directory(arguments, settings);
  auto bundles = loop::bundles_of(*look.desired, state_dir);
  if (!bundles) return tl::unexpected(bundles.error());
  look.bundles = *std::move(bundles);
  auto overrides =
      loop::localize(settings.settings, node_name(settings.settings), state_dir, *look.desired, look.bundles);
  if (!overrides) return tl::unexpected(overrides.error());
  add_overrides(*overrides, look);
  return {};
}

// False: there is no agent, or nothing that it follows.
bool take_the_agents_file(const Arguments& arguments, Look& look) {
  const auto socket = agent_to_ask(arguments);
  auto file = socket ? ask_for_file(*socket) : base::invalid("no agent");
  if (!file || file->followed.name() != absolute_path(chosen_file(arguments))) return false;
  auto read = loop::read_desired(std::move(file->followed), state_directory(arguments, open_settings(arguments)),
                                 adapters::system::zone_file);
  if (!read.followed) return false;
  look.desired = std::move(read.followed->desired);
  look.sha256 = std::move(read.followed->digest);
  look.wrong_file = true;
  const std::string name = report::printable(chosen_file(arguments));
  talk("quorate: " + name + " is wrong; what follows is about the last valid file, which the agent here keeps to");
  return true;
}

base::Result<void> read_desired_file(const Arguments& arguments, File file, Look& look) {
  Opened opened = open_desired(arguments);
  look.desired = std::move(opened.desired);
  look.sha256 = std::move(opened.sha256);
  const std::string name = chosen_file(arguments);
  if (!look.desired && (file != File::OrLastValid || name.empty() || !take_the_agents_file(arguments, look))) {
    look.code = opened.code;
    return base::invalid(name.empty() ? "no desired-cluster file" : name + " is no valid desired-cluster file",
                         name.empty() ? "name one with -f" : "quorate validate " + name + " says why");
  }
  auto added = add_bundles(arguments, look);
  if (!added) look.code = cli::complain(added.error(), ExitCode::Invalid);
  return added;
}

gate::Terms terms_of(const Arguments& arguments, const Look& look) {
  gate::Terms terms;
  terms.now = now();
  terms.live = look.live;
  if (!arguments.observed.empty()) terms.max_age = duration_or(arguments.max_age, kUsualAge);
  return terms;
}

}  // namespace

base::Time now() {
  return adapters::system::make_clock()->now();
}

Look look(const Arguments& arguments, File file) {
  Look look;
  if (file != File::IfThere || !chosen_file(arguments).empty()) {
    if (auto read = read_desired_file(arguments, file, look); !read) {
      look.why = read.error();
      return look;
    }
  }
  if (const auto socket = agent_to_ask(arguments)) {
    ask_the_agent(*socket, arguments, look);
  } else if (arguments.observed.empty()) {
    ask_the_cluster(arguments, look);
  } else {
    read_observation(arguments, look);
  }
  for (const std::string& name : arguments.assume_up) {
    if (look.code == ExitCode::Ok) assume(name, look);
  }
  return look;
}

model::SavedPlan preview(const Arguments& arguments, const Look& look) {
  model::SavedPlan plan;
  plan.gated = loop::preview(*look.desired, look.sha256, look.bundles, look.observed, terms_of(arguments, look));
  plan.context = model::context_of(*look.desired, look.observed, look.sha256);
  auto& notices = plan.gated.plan.notices;
  notices.insert(notices.end(), look.notices.begin(), look.notices.end());
  return plan;
}

std::string too_old(const Arguments& arguments, const Look& look) {
  return gate::too_old(look.observed, terms_of(arguments, look));
}

base::Result<std::string> sign_observation(const Arguments& arguments, const std::string& text) {
  // ssh-keygen asks for a passphrase on our terminal, which only programs in front may read from.
  adapters::system::SystemPrograms programs(adapters::system::Group::Ours);
  return adapters::signature::sign(programs, arguments.sign, text, std::string(model::kObservationNamespace));
}

}  // namespace quorate::cli
