// One writer and one reader for each kind of action and claim, side by side.
#include "reconciler/model/step_json.h"

#include <array>
#include <utility>

#include "reconciler/model/json_words.h"
#include "reconciler/model/standing_json.h"

namespace quorate::model {
namespace {

using base::Json;

constexpr std::array<BootMode, 3> kBootModes = {BootMode::New, BootMode::Join, BootMode::Keep};
constexpr std::array<MemberState, 7> kMemberStates = {MemberState::Up,      MemberState::Down,  MemberState::Absent,
                                                      MemberState::Learner, MemberState::Voter, MemberState::Started,
                                                      MemberState::InSync};

std::string_view word_of(BootMode mode) {
  switch (mode) {
    case BootMode::New:
      return "new";
    case BootMode::Join:
      return "join";
    case BootMode::Keep:
      return "keep";
  }
  return "";
}

MemberState read_state(const JsonPlace& place) {
  return one_of(place.at("state"), kMemberStates, [](MemberState state) { return name_of(state); });
}

base::MemberId read_id(const JsonPlace& place, const char* key) {
  return {place.at(key).id_or_null()};
}

// ------------------------------------------------------------------------------------------------------------ actions
struct WriteArgs {
  Json operator()(const Promise& action) const {
    Json args{{"member", action.member}, {"decision", action.decision}};
    if (action.gives_way) args["gives_way"] = decision_json(*action.gives_way);
    return args;
  }
  Json operator()(const Abandon& action) const {
    return {{"member", action.member}, {"decision", action.decision}, {"why", action.why}};
  }
  Json operator()(const Restore& action) const { return {{"member", action.member}, {"decision", action.decision}}; }
  Json operator()(const Fetch& action) const {
    return {{"member", action.member}, {"decision", action.decision}, {"gives_way", decision_json(action.what)}};
  }
  Json operator()(const Backup& action) const {
    Json args{{"cluster", action.cluster}};
    if (!action.spool.empty()) args["spool"] = action.spool;
    return args;
  }
  Json operator()(const Verify& action) const { return {{"cluster", action.cluster}, {"backup", action.backup}}; }
  Json operator()(const Prune& action) const { return {{"cluster", action.cluster}}; }
  Json operator()(const VerifyData& action) const { return {{"cluster", action.cluster}}; }
  Json operator()(const AddMember& action) const {
    return {{"member", action.member}, {"peer_urls", action.peer_urls}, {"version", text_or_null(action.version)}};
  }
  Json operator()(const Promote& action) const {
    return {{"member", action.member}, {"id", id_or_null(action.id.value)}, {"peer_urls", action.peer_urls}};
  }
  Json operator()(const Remove& action) const {
    return {{"member", action.member}, {"id", id_or_null(action.id.value)}, {"replaces", action.replaces}};
  }
  Json operator()(const WriteManifest& action) const {
    Json args{{"member", action.member},
              {"digest", action.digest},
              {"boot", word_of(action.boot)},
              {"version", text_or_null(action.version)}};
    if (action.fenced) args["fenced"] = true;  // rare, and no is what everybody takes for granted
    return args;
  }
  Json operator()(const RemoveManifest& action) const { return {{"member", action.member}}; }
  Json operator()(const MoveLeader& action) const {
    return {{"from", action.from}, {"to", action.to}, {"to_id", id_or_null(action.to_id.value)}};
  }
  Json operator()(const UpdatePeerUrls& action) const {
    return {{"member", action.member}, {"id", id_or_null(action.id.value)}, {"peer_urls", action.peer_urls}};
  }
  Json operator()(const SetDataAside& action) const { return {{"member", action.member}}; }
  Json operator()(const Compact& action) const { return {{"cluster", action.cluster}}; }
  Json operator()(const Defragment& action) const {
    return {{"member", action.member}, {"id", id_or_null(action.id.value)}};
  }
  Json operator()(const DisarmAlarm& action) const {
    return {{"member", action.member}, {"alarm", alarm_json(action.alarm)}};
  }
};

// Fills in an action of the kind that it already is.
struct ReadArgs {
  const JsonPlace& args;

  std::string text(const char* key) const { return args.at(key).text(); }
  void operator()(Promise& action) const {
    action = {text("member"), text("decision"), {}};
    if (args.has("gives_way")) action.gives_way = read_decision(args.at("gives_way"));
  }
  void operator()(Abandon& action) const { action = {text("member"), text("decision"), text("why")}; }
  void operator()(Restore& action) const { action = {text("member"), text("decision")}; }
  void operator()(Fetch& action) const {
    action = {text("member"), text("decision"), read_decision(args.at("gives_way"))};
  }
  void operator()(Backup& action) const { action = {text("cluster"), args.has("spool") ? text("spool") : ""}; }
  void operator()(Verify& action) const { action = {text("cluster"), text("backup")}; }
  void operator()(Prune& action) const { action = {text("cluster")}; }
  void operator()(VerifyData& action) const { action = {text("cluster")}; }
  void operator()(AddMember& action) const {
    action = {text("member"), args.at("peer_urls").texts(), args.at("version").text_or_null()};
  }
  void operator()(Promote& action) const {
    action = {text("member"), read_id(args, "id"), args.at("peer_urls").texts()};
  }
  void operator()(Remove& action) const { action = {text("member"), read_id(args, "id"), args.at("replaces").truth()}; }
  void operator()(WriteManifest& action) const {
    action = {text("member"), text("digest"),
              one_of(args.at("boot"), kBootModes, [](BootMode mode) { return word_of(mode); }),
              args.at("version").text_or_null(), args.has("fenced") && args.at("fenced").truth()};
  }
  void operator()(RemoveManifest& action) const { action = {text("member")}; }
  void operator()(MoveLeader& action) const { action = {text("from"), text("to"), read_id(args, "to_id")}; }
  void operator()(UpdatePeerUrls& action) const {
    action = {text("member"), read_id(args, "id"), args.at("peer_urls").texts()};
  }
  void operator()(SetDataAside& action) const { action = {text("member")}; }
  void operator()(Compact& action) const { action = {text("cluster")}; }
  void operator()(Defragment& action) const { action = {text("member"), read_id(args, "id")}; }
  void operator()(DisarmAlarm& action) const { action = {text("member"), read_alarm(args.at("alarm"))}; }
};

template <std::size_t... Index>
std::array<Action, sizeof...(Index)> one_action_of_each_kind(std::index_sequence<Index...>) {
  return {Action(std::in_place_index<Index>)...};
}

// ------------------------------------------------------------------------------------------------------------- claims
struct WriteClaim {
  Json operator()(const MemberIs& claim) const {
    return {{"member", id_or_null(claim.id.value)}, {"name", claim.name}, {"state", name_of(claim.state)}};
  }
  Json operator()(const UrlsAre& claim) const {
    return {{"peer_urls", claim.peer_urls}, {"name", claim.name}, {"state", name_of(claim.state)}};
  }
  Json operator()(const VotersUp& claim) const { return {{"voters_up", claim.count}}; }
  Json operator()(const AllVotersUp& /*claim*/) const { return {{"voters_up", "all"}}; }
  Json operator()(const NoLearner& /*claim*/) const { return {{"learners", 0}}; }
  Json operator()(const LeaderIsNot& claim) const {
    return {{"leader_is_not", id_or_null(claim.id.value)}, {"name", claim.name}};
  }
  Json operator()(const LeaderIs& claim) const {
    return {{"leader_is", id_or_null(claim.id.value)}, {"name", claim.name}};
  }
  Json operator()(const DataIs& claim) const {
    return {{"data_of", claim.member}, {"state", claim.empty ? "empty" : "initialised"}};
  }
  Json operator()(const ManifestIs& claim) const {
    return {{"manifest_of", claim.member}, {"digest", text_or_null(claim.digest)}};
  }
  Json operator()(const PeerUrlsAre& claim) const {
    return {{"peer_urls_of", id_or_null(claim.id.value)}, {"name", claim.name}, {"peer_urls", claim.peer_urls}};
  }
  Json operator()(const NoAlarm& claim) const { return {{"no_alarm", alarm_json(claim.alarm)}}; }
  Json operator()(const Soaked& claim) const { return {{"soaked_ms", claim.duration.count()}}; }
  Json operator()(const KeepTo& claim) const {
    return {{"decision", claim.decision}, {"members", claim.members}, {"given", claim.given}};
  }
};

Claim read_voters_up(const JsonPlace& place) {
  if (!place.is_text()) return VotersUp{place.count()};
  if (place.text() != "all") place.fail("must be a number or \"all\"");
  return AllVotersUp{};
}

Claim read_data_claim(const JsonPlace& place) {
  const std::array<bool, 2> states = {true, false};
  const auto word = [](bool empty) { return std::string_view(empty ? "empty" : "initialised"); };
  return DataIs{place.at("data_of").text(), one_of(place.at("state"), states, word)};
}

}  // namespace

Json args_json(const Action& action) {
  return std::visit(WriteArgs{}, action);
}

Action read_action(const JsonPlace& name, const JsonPlace& args) {
  static const auto kinds = one_action_of_each_kind(std::make_index_sequence<std::variant_size_v<Action>>());
  Action action = one_of(name, kinds, [](const Action& kind) { return name_of(kind); });
  std::visit(ReadArgs{args}, action);
  return action;
}

Json claim_json(const Claim& claim) {
  return std::visit(WriteClaim{}, claim);
}

Claim read_claim(const JsonPlace& place) {
  // Null stands for an ID that is not known yet, so it is the key that counts.
  if (place.names("member")) return MemberIs{read_id(place, "member"), place.at("name").text(), read_state(place)};
  if (place.names("voters_up")) return read_voters_up(place.at("voters_up"));
  if (place.names("leader_is_not")) return LeaderIsNot{read_id(place, "leader_is_not"), place.at("name").text()};
  if (place.names("leader_is")) return LeaderIs{read_id(place, "leader_is"), place.at("name").text()};
  if (place.names("data_of")) return read_data_claim(place);
  if (place.names("manifest_of")) {
    return ManifestIs{place.at("manifest_of").text(), place.at("digest").text_or_null()};
  }
  if (place.names("peer_urls_of")) {
    return PeerUrlsAre{read_id(place, "peer_urls_of"), place.at("name").text(), place.at("peer_urls").texts()};
  }
  if (place.names("peer_urls")) {
    return UrlsAre{place.at("peer_urls").texts(), place.at("name").text(), read_state(place)};
  }
  if (place.names("no_alarm")) return NoAlarm{read_alarm(place.at("no_alarm"))};
  if (place.names("soaked_ms")) return Soaked{place.at("soaked_ms").milliseconds()};
  if (place.names("decision")) {
    return KeepTo{place.at("decision").text(), place.at("members").texts(), place.at("given").truth()};
  }
  if (place.names("learners")) {
    if (place.at("learners").natural() != 0) place.at("learners").fail("must be 0");
  } else {
    place.fail("is no claim that this release knows");
  }
  return NoLearner{};
}

}  // namespace quorate::model
