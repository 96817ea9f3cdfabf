// Requests over the socket, and what comes back read with the same care as anything from outside.
#include "reconciler/cli/agent_client.h"

#include <cstdlib>

#include <sys/stat.h>

#include "reconciler/adapters/peer_grpc/local.h"
#include "reconciler/base/path.h"
#include "reconciler/cli/state.h"
#include "reconciler/model/json_words.h"
#include "reconciler/model/observed_json.h"

namespace quorate::cli {
namespace {

using base::Json;

constexpr base::Duration kSay{10000};
constexpr const char* kUsualSocket = "/run/quorate/agent.sock";

bool is_socket(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && S_ISSOCK(about.st_mode);
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string without_scheme(const std::string& address) {
  return address.compare(0, 5, "unix:") == 0 ? address.substr(5) : address;
}

// One request with one answer: the text of `key` in it.
base::Result<std::string> ask_once(const std::string& socket, const Json& request, const char* key,
                                   base::Duration within) {
  base::Result<std::string> answer = tl::unexpected(
      base::Error{base::ErrorKind::Transient, "the agent at " + socket + " gave no answer", "see its log"});
  peer_grpc::LocalCall call;
  call.path = socket;
  call.request = text_of(request);
  call.within = within;
  call.on_event = [&](const std::string& json) {
    const auto tree = model::parse_json(json, "the agent's answer");
    if (!tree) {
      answer = tl::unexpected(tree.error());
      return false;
    }
    model::JsonReading reading{*tree, {}};
    const model::JsonPlace root(reading);
    if (root.has("error")) {
      answer = tl::unexpected(base::Error{base::ErrorKind::Refused, root.at("error").text(),
                                          root.has("help") ? root.at("help").text() : ""});
    } else {
      answer = root.at(key).text();
      if (!reading.problem.empty()) answer = base::invalid("the agent's answer " + reading.problem);
    }
    return false;
  };
  const auto called = peer_grpc::call_local(call);
  if (!called) return tl::unexpected(called.error());
  return answer;
}

SeenPass read_pass(const model::JsonPlace& root) {
  SeenPass pass;
  pass.member = root.at("member").text();
  pass.plan = root.at("plan").text();
  pass.status = root.at("status").text();
  pass.exit_code = root.at("exit_code").count();
  pass.steps = root.at("steps").texts();
  pass.did = root.at("did").truth();
  pass.step = root.at("step").text();
  pass.failed = root.at("failed").text();
  pass.waits = root.at("waits").text();
  return pass;
}

}  // namespace

std::optional<std::string> agent_socket(const Arguments& arguments) {
  if (!arguments.agent.empty()) return without_scheme(arguments.agent);
  const OpenedSettings settings = open_settings(arguments);
  const std::string beside = base::join_path(state_directory(arguments, settings), "agent.sock");
  if (is_socket(beside)) return beside;
  const std::string& usual = settings.from_file ? settings.settings.socket : kUsualSocket;
  if (is_socket(usual)) return usual;
  return std::nullopt;
}

base::Result<model::Observed> ask_agent(const std::string& socket, base::Duration within) {
  const auto text = ask_once(socket, {{"ask", "observation"}}, "observation", within);
  if (!text) return tl::unexpected(text.error());
  return model::read_observed(*text, "the agent's observation");
}

base::Result<std::string> tell_allowed(const std::string& socket, const model::Allowed& allowed) {
  return ask_once(socket,
                  {{"say", "allow"},
                   {"what", allowed.what},
                   {"steps", allowed.steps},
                   {"by", allowed.by},
                   {"until", base::to_string(allowed.until)},
                   {"reason", allowed.reason},
                   {"denied", allowed.denied},
                   {"desired_digest", allowed.desired_digest}},
                  "kept", kSay);
}

base::Result<std::string> tell_paused(const std::string& socket, const std::optional<model::Paused>& paused) {
  if (!paused) return ask_once(socket, {{"say", "resume"}}, "kept", kSay);
  return ask_once(socket,
                  {{"say", "pause"},
                   {"reason", paused->reason},
                   {"until", base::to_string(paused->until)},
                   {"members", paused->members}},
                  "kept", kSay);
}

base::Result<void> follow_passes(const std::string& socket, base::Duration within,
                                 const std::function<bool(const SeenPass& pass)>& on_pass) {
  std::optional<base::Error> wrong;
  peer_grpc::LocalCall call;
  call.path = socket;
  call.request = text_of({{"ask", "passes"}});
  call.within = within;
  call.on_event = [&](const std::string& json) {
    const auto tree = model::parse_json(json, "the agent's answer");
    if (!tree) {
      wrong = tree.error();
      return false;
    }
    model::JsonReading reading{*tree, {}};
    const SeenPass pass = read_pass(model::JsonPlace(reading));
    if (reading.problem.empty()) return on_pass(pass);
    wrong = base::Error{base::ErrorKind::Invalid, "the agent's answer " + reading.problem, ""};
    return false;
  };
  const auto called = peer_grpc::call_local(call);
  if (wrong) return tl::unexpected(*wrong);
  return called;
}

}  // namespace quorate::cli
