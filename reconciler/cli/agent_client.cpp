// Requests over the socket, and what comes back read with the same care as anything from outside.
#include "reconciler/cli/agent_client.h"

#include <cstdlib>

#include <sys/stat.h>

#include "reconciler/adapters/peer_grpc/local.h"
#include "reconciler/base/path.h"
#include "reconciler/cli/said.h"
#include "reconciler/cli/state.h"
#include "reconciler/model/json_words.h"
#include "reconciler/model/observed_json.h"

namespace quorate::cli {
namespace {

using base::Json;

constexpr base::Duration kSay{10000};
constexpr base::Duration kLook{20000};
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

// One request with one answer: what `read` makes of it.
template <class Answer, class Read>
base::Result<Answer> ask_once(const std::string& socket, const Json& request, base::Duration within, const Read& read) {
  base::Result<Answer> answer = tl::unexpected(
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
      answer = read(root);
      if (!reading.problem.empty()) answer = base::invalid("the agent's answer " + reading.problem);
    }
    return false;
  };
  const auto called = peer_grpc::call_local(call);
  if (!called) return tl::unexpected(called.error());
  return answer;
}

base::Result<KeptWhere> say(const std::string& socket, const Json& request) {
  return ask_once<KeptWhere>(socket, request, kSay, [](const model::JsonPlace& root) {
    return KeptWhere{root.at("kept").text(), root.at("at").milliseconds(), root.at("members").texts()};
  });
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
  const auto text = ask_once<std::string>(socket, {{"ask", "observation"}}, within,
                                          [](const model::JsonPlace& root) { return root.at("observation").text(); });
  if (!text) return tl::unexpected(text.error());
  return model::read_observed(*text, "the agent's observation");
}

base::Result<AgentsFile> ask_for_file(const std::string& socket) {
  return ask_once<AgentsFile>(socket, {{"ask", "file"}}, kSay, [](const model::JsonPlace& root) {
    const model::JsonPlace followed = root.at("followed");
    return AgentsFile{
        model::Source(followed.at("name").text(), followed.at("text").text(), followed.at("directory").text()),
        root.at("problem").text()};
  });
}

base::Result<KeptWhere> tell_allowed(const std::string& socket, const model::Allowed& allowed) {
  Json request = allowed_json(allowed);
  request["say"] = "allow";
  return say(socket, request);
}

base::Result<KeptWhere> tell_paused(const std::string& socket, const std::optional<model::Paused>& paused) {
  if (!paused) return say(socket, {{"say", "resume"}});
  Json request = paused_json(*paused);
  request["say"] = "pause";
  return say(socket, request);
}

base::Result<std::optional<Agreed>> ask_agreed(const std::string& socket, const std::string& plan) {
  return ask_once<std::optional<Agreed>>(socket, {{"ask", "said"}, {"what", plan}}, kLook,
                                         [](const model::JsonPlace& root) -> std::optional<Agreed> {
                                           if (!root.at("said").truth()) return std::nullopt;
                                           return Agreed{root.at("steps").texts(), root.at("desired_digest").text()};
                                         });
}

base::Result<void> follow_passes(const std::string& socket, base::Duration within,
                                 const std::function<bool(const SeenPass& pass)>& on_pass,
                                 const std::function<bool()>& stop) {
  std::optional<base::Error> wrong;
  peer_grpc::LocalCall call;
  call.path = socket;
  call.request = text_of({{"ask", "passes"}});
  call.within = within;
  call.stop = stop;
  call.on_event = [&](const std::string& json) {
    const auto pass = read_pass(json);
    if (pass) return on_pass(*pass);
    wrong = pass.error();
    return false;
  };
  const auto called = peer_grpc::call_local(call);
  if (wrong) return tl::unexpected(*wrong);
  return called;
}

}  // namespace quorate::cli
