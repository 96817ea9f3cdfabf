// Real ports, a file read or a cluster asked, and one value at the end.
#include "reconciler/cli/wiring.h"

#include <algorithm>

#include "reconciler/adapters/signature/signature.h"
#include "reconciler/adapters/system/local_host.h"
#include "reconciler/adapters/system/node.h"
#include "reconciler/adapters/system/programs.h"
#include "reconciler/base/suggest.h"
#include "reconciler/base/words.h"
#include "reconciler/cli/access.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/patience.h"
#include "reconciler/model/assume.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/model/plan_context.h"
#include "reconciler/model/signed_observation.h"
#include "reconciler/observe/observe.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualPatience{2000};
constexpr base::Duration kUsualAge{std::chrono::hours{1}};
constexpr std::size_t kThreads = 64;  // five questions for each of a dozen endpoints, all at once

ExitCode complain(const base::Error& error, ExitCode code) {
  talk("quorate: " + report::printable(error.message));
  if (!error.help.empty()) talk("  " + report::printable(error.help));
  return code;
}

base::Duration duration_or(const std::string& text, base::Duration usual) {
  return text.empty() ? usual : base::parse_duration(text).value_or(usual);
}

// A look has three rounds at most: the endpoints, members that only they know of, and a hash while an alarm stands.
base::Duration patience_of(const Arguments& arguments) {
  const base::Duration each = duration_or(arguments.answer_timeout, kUsualPatience);
  return arguments.timeout.empty() ? each : std::min(each, duration_or(arguments.timeout, 3 * each) / 3);
}

ExitCode ask_the_cluster(const Arguments& arguments, Look& look) {
  const model::Desired* desired = look.desired ? &*look.desired : nullptr;
  const auto endpoints = endpoints_of(arguments, desired);
  if (!endpoints) return complain(endpoints.error(), ExitCode::Usage);
  auto access = access_of(arguments, desired);
  if (!access) return complain(access.error(), ExitCode::Usage);
  auto etcd = etcd_grpc::connect(*std::move(access));
  if (!etcd) return complain(etcd.error(), ExitCode::Unknown);
  const auto node = adapters::system::make_node();
  const auto clock = adapters::system::make_clock();
  const auto parallel = adapters::system::make_parallel(kThreads);
  observe::Question question;
  question.endpoints = *endpoints;
  question.desired = desired;
  for (const auto& [member, bundle] : look.bundles) question.bundles.emplace(member, bundle);
  question.within = patience_of(arguments);
  question.by = "quorate " + arguments.name + " on " + adapters::system::local_host().name;
  const Patience patience(arguments.quiet
                              ? ""
                              : "quorate: waiting for " + report::printable(base::joined(*endpoints, ", ")) +
                                    ", at most " + base::to_string(question.within) + " for an answer");
  look.observed = observe::observe({**etcd, *node, *parallel, *clock}, question);
  return ExitCode::Ok;
}

ExitCode read_observation(const Arguments& arguments, Look& look) {
  const std::string name = arguments.observed == "-" ? "stdin" : arguments.observed;
  const auto text = read_file(arguments.observed);
  if (!text) return complain(text.error(), ExitCode::Invalid);
  const auto opened = model::open_observation(*text, name);
  if (!opened) return complain(opened.error(), ExitCode::Invalid);
  if (!arguments.observed_signers.empty()) {
    adapters::system::SystemPrograms programs;
    const auto signer =
        adapters::signature::verify(programs, arguments.observed_signers, opened->text, opened->signature,
                                    std::string(model::kObservationNamespace), now());
    if (!signer) return complain(signer.error(), ExitCode::Untrusted);
    if (arguments.verbose > 0) talk("quorate: " + name + " is signed by " + report::printable(*signer));
  }
  auto observed = model::read_observed(opened->text, name);
  if (!observed) return complain(observed.error(), ExitCode::Invalid);
  look.observed = *std::move(observed);
  look.live = false;
  return ExitCode::Ok;
}

ExitCode assume(const std::string& name, Look& look) {
  std::vector<std::string> names;
  if (look.observed.membership) {
    for (const model::ObservedMember& member : look.observed.membership->members) {
      const std::string id = base::to_string(member.listed.id);
      if (name == member.listed.name || name == id) {
        model::assume_up(look.observed, member.listed.id);
        look.live = false;
        return ExitCode::Ok;
      }
      names.push_back(member.listed.name.empty() ? id : member.listed.name);
    }
  }
  const auto near = base::nearest(name, names, 1);
  return complain({base::ErrorKind::Invalid, "--assume-up " + name + ": no member of the cluster has this name",
                   near.empty() ? "members: " + base::joined(names, ", ") : "did you mean " + near[0] + "?"},
                  ExitCode::Usage);
}

}  // namespace

base::Time now() {
  return adapters::system::make_clock()->now();
}

Look look(const Arguments& arguments, File file) {
  Look look;
  if (file == File::Needed || !chosen_file(arguments).empty()) {
    Opened opened = open_desired(arguments);
    if (!opened.desired) {
      look.code = opened.code;
      return look;
    }
    look.desired = std::move(opened.desired);
    look.sha256 = std::move(opened.sha256);
    auto bundles = loop::bundles_of(*look.desired, arguments.state_directory);
    if (!bundles) {
      look.code = complain(bundles.error(), ExitCode::Invalid);
      return look;
    }
    look.bundles = *std::move(bundles);
  }
  look.code = arguments.observed.empty() ? ask_the_cluster(arguments, look) : read_observation(arguments, look);
  for (const std::string& name : arguments.assume_up) {
    if (look.code == ExitCode::Ok) look.code = assume(name, look);
  }
  return look;
}

model::SavedPlan preview(const Arguments& arguments, const Look& look) {
  gate::Terms terms;
  terms.now = now();
  terms.live = look.live;
  if (!arguments.observed.empty()) terms.max_age = duration_or(arguments.max_age, kUsualAge);
  model::SavedPlan plan;
  plan.gated = loop::preview(*look.desired, look.sha256, look.bundles, look.observed, terms);
  plan.context = model::context_of(*look.desired, look.observed, look.sha256);
  return plan;
}

base::Result<std::string> sign_observation(const Arguments& arguments, const std::string& text) {
  adapters::system::SystemPrograms programs;
  return adapters::signature::sign(programs, arguments.sign, text, std::string(model::kObservationNamespace));
}

}  // namespace quorate::cli
