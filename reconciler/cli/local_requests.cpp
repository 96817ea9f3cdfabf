// One request, one answer; only the passes go on until nobody listens.
#include "reconciler/cli/local_requests.h"

#include "reconciler/cli/said.h"
#include "reconciler/cli/seen_pass.h"
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

void send_observation(Crew& crew, const peer_grpc::Sink& sink) {
  const auto pass = crew.look_again(kLook);
  if (!pass) {
    sink.send(error_text(pass.error()));
    return;
  }
  sink.send(text_of({{"observation", model::to_json(pass->observed)}}));
}

void send_file(Crew& crew, const peer_grpc::Sink& sink) {
  const Crew::File file = crew.file();
  sink.send(text_of(
      {{"followed",
        {{"name", file.followed.name()}, {"directory", file.followed.directory()}, {"text", file.followed.text()}}},
       {"problem", file.problem}}));
}

void send_passes(Crew& crew, const peer_grpc::Sink& sink) {
  Crew::Latest latest = crew.next(0, kBeat);
  crew.wake_all("asked");
  while (!sink.gone()) {
    const std::uint64_t seen = latest.number;
    latest = crew.next(seen, kBeat);
    if (latest.number != seen && !sink.send(pass_text(latest.member, latest.pass))) return;
  }
}

void send_kept(const base::Result<Kept>& kept, const peer_grpc::Sink& sink) {
  if (!kept) {
    sink.send(error_text(kept.error()));
    return;
  }
  sink.send(text_of({{"kept", kept->where}, {"at", kept->at.count()}, {"members", kept->members}}));
}

void send_said(Crew& crew, const std::string& what, const peer_grpc::Sink& sink) {
  const auto said = crew.said_of(what);
  if (!said) {
    sink.send(error_text(said.error()));
    return;
  }
  const model::Allowed allowed = said->value_or(model::Allowed{});
  sink.send(
      text_of({{"said", said->has_value()}, {"steps", allowed.steps}, {"desired_digest", allowed.desired_digest}}));
}

base::Result<Kept> allow(Crew& crew, const model::JsonPlace& root, const model::JsonReading& reading) {
  const model::Allowed allowed = read_allowed(root);
  if (!reading.problem.empty()) return base::invalid("the request " + reading.problem);
  return crew.allow(allowed);
}

base::Result<Kept> pause(Crew& crew, const model::JsonPlace& root, const model::JsonReading& reading) {
  const model::Paused paused = read_paused(root);
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
  if (ask == "file") return send_file(crew, sink);
  if (ask == "passes") return send_passes(crew, sink);
  if (ask == "said") return send_said(crew, root.at("what").text(), sink);
  if (say == "allow") return send_kept(allow(crew, root, reading), sink);
  if (say == "pause") return send_kept(pause(crew, root, reading), sink);
  if (say == "resume") return send_kept(crew.pause(std::nullopt), sink);
  sink.send(error_text({base::ErrorKind::Invalid, "the agent does not know this request",
                        "command line and agent must be of one release"}));
}

}  // namespace quorate::cli
