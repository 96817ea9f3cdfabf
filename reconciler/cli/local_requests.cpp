// One request, one answer; only the passes go on until nobody listens.
#include "reconciler/cli/local_requests.h"

#include "reconciler/model/json_words.h"
#include "reconciler/model/observed_json.h"

namespace quorate::cli {
namespace {

using base::Json;

constexpr base::Duration kLook{15000};
constexpr base::Duration kBeat{1000};  // so often it is seen whether somebody still listens

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string error_text(const base::Error& error) {
  return text_of({{"error", error.message}, {"help", error.help}});
}

Json step_ids(const model::Plan& plan) {
  Json ids = Json::array();
  for (const model::Step& step : plan.steps) ids.push_back(step.id);
  return ids;
}

std::string pass_text(const Crew::Latest& latest) {
  const loop::Pass& pass = latest.pass;
  const model::Plan& plan = pass.plan.gated.plan;
  return text_of({{"member", latest.member},
                  {"plan", plan.id},
                  {"status", model::name_of(plan.status)},
                  {"exit_code", static_cast<int>(pass.plan.gated.code)},
                  {"steps", step_ids(plan)},
                  {"did", pass.did},
                  {"step", pass.step},
                  {"failed", pass.failed ? pass.failed->message : ""},
                  {"waits", pass.waits}});
}

void send_observation(Crew& crew, const peer_grpc::Sink& sink) {
  const auto pass = crew.look_again(kLook);
  if (!pass) {
    sink.send(error_text(pass.error()));
    return;
  }
  sink.send(text_of({{"observation", model::to_json(pass->observed)}}));
}

void send_passes(Crew& crew, const peer_grpc::Sink& sink) {
  Crew::Latest latest = crew.next(0, kBeat);
  crew.wake_all("asked");
  while (!sink.gone()) {
    const std::uint64_t seen = latest.number;
    latest = crew.next(seen, kBeat);
    if (latest.number != seen && !sink.send(pass_text(latest))) return;
  }
}

void send_kept(const base::Result<std::string>& kept, const peer_grpc::Sink& sink) {
  sink.send(kept ? text_of({{"kept", *kept}}) : error_text(kept.error()));
}

base::Result<std::string> allow(Crew& crew, const model::JsonPlace& root, const model::JsonReading& reading) {
  model::Allowed allowed;
  allowed.what = root.at("what").text();
  allowed.steps = root.at("steps").texts();
  allowed.by = root.at("by").text();
  allowed.until = root.at("until").time();
  allowed.reason = root.at("reason").text();
  allowed.denied = root.at("denied").truth();
  allowed.desired_digest = root.at("desired_digest").text();
  if (!reading.problem.empty()) return base::invalid("the request " + reading.problem);
  return crew.allow(allowed);
}

base::Result<std::string> pause(Crew& crew, const model::JsonPlace& root, const model::JsonReading& reading) {
  model::Paused paused;
  paused.reason = root.at("reason").text();
  paused.until = root.at("until").time();
  paused.members = root.at("members").texts();
  if (!reading.problem.empty()) return base::invalid("the request " + reading.problem);
  return crew.pause(paused);
}

}  // namespace

void answer_request(Crew& crew, const std::string& request, const peer_grpc::Sink& sink) {
  const auto tree = model::parse_json(request, "the request");
  if (!tree) {
    sink.send(error_text(tree.error()));
    return;
  }
  model::JsonReading reading{*tree, {}};
  const model::JsonPlace root(reading);
  const std::string ask = root.has("ask") ? root.at("ask").text() : "";
  const std::string say = root.has("say") ? root.at("say").text() : "";
  if (ask == "observation") return send_observation(crew, sink);
  if (ask == "passes") return send_passes(crew, sink);
  if (say == "allow") return send_kept(allow(crew, root, reading), sink);
  if (say == "pause") return send_kept(pause(crew, root, reading), sink);
  if (say == "resume") return send_kept(crew.pause(std::nullopt), sink);
  sink.send(error_text({base::ErrorKind::Invalid, "the agent does not know this request",
                        "command line and agent must be of one release"}));
}

}  // namespace quorate::cli
