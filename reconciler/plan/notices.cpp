// Differences between the file and a cluster that answers, and dangers that are no difference.
#include "reconciler/plan/notices.h"

#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/etcd_release.h"

namespace quorate::plan {
namespace {

using model::Notice;

constexpr base::Duration kExpiresSoon = std::chrono::hours{24 * 14};
constexpr base::Duration kExpiresVerySoon = std::chrono::hours{24 * 3};

bool covers(const std::string& path, const std::string& field) {
  return field == path ||
         (field.size() > path.size() && field.compare(0, path.size(), path) == 0 && field[path.size()] == '.');
}

class Comparer {
 public:
  explicit Comparer(const World& world) : world_(world) {}

  std::vector<Notice> run() {
    for (const Seat& seat : world_.seats) compare(seat);
    mark_ignored(world_.desired, world_.observed.at, notices_);
    return std::move(notices_);
  }

 private:
  void compare(const Seat& seat) {
    if (seat.wish == nullptr) return stranger(seat);
    if (seat.listed == nullptr) {
      if (seat.wanted())
        add(seat, "MemberMissing", "member " + seat.name() + " is not in the cluster", missing_help(seat));
      return;
    }
    if (!seat.wanted()) add(seat, "MemberRetired", "member " + seat.name() + " is to leave the cluster", "");
    if (seat.is_learner())
      add(seat, "LearnerJoining", "member " + seat.name() + " is joining and does not vote yet", "").level =
          Notice::Level::Info;
    if (seat.is_voter() && !seat.up) down(seat);
    if (!seat.wanted() || !seat.managed() || seat.is_learner()) return;
    if (!base::same_texts(seat.listed->listed.peer_urls, seat.wish->peer_urls)) {
      Notice& notice = add(seat, "PeerUrlChanged", "the others know member " + seat.name() + " by other peer URLs", "");
      notice.want = base::joined(seat.wish->peer_urls, ",");
      notice.have = base::joined(seat.listed->listed.peer_urls, ",");
    }
    Difference difference;
    if (!differs(world_, seat, &difference)) return;
    Notice& notice = add(seat, difference.code, "member " + seat.name() + ": " + difference.text, "");
    if (!difference.field.empty()) notice.field = difference.field;
    notice.want = difference.want;
    notice.have = difference.have;
  }

  static std::string missing_help(const Seat& seat) {
    return seat.managed()
               ? ""
               : "managed: false: nobody here starts it; add it to the cluster by hand or drop it from the file";
  }

  void stranger(const Seat& seat) {
    const std::string id = base::to_string(seat.listed->listed.id);
    const std::string name = seat.name().empty() ? "member " + id : "member " + seat.name() + " (" + id + ")";
    if (seat.dropped) {
      add(seat, "MemberDropped", name + " is no longer in the file", "");
    } else if (seat.is_learner()) {
      add(seat, "LearnerStuck", name + " is a learner that the file does not list",
          "list it, or remove it by hand: etcdctl member remove " + id);
    } else {
      add(seat, "UnexpectedMember", name + " is not in the file",
          "list it, with retire: true to have it removed; if it is gone for good: lost: [\"" + id + "\"]");
    }
    if (seat.is_voter() && !seat.up) down(seat);
  }

  void down(const Seat& seat) {
    const model::Loss loss = model::loss_of(world_.observed, world_.desired,
                                            seat.wish == nullptr ? nullptr : seat.wish->member, *seat.listed);
    std::string text = loss.text;
    const bool runs = seat.node != nullptr && seat.node->run && seat.node->run->reason != model::EndReason::None;
    if (runs) text += "; etcd on its node says: " + seat.node->run->text;
    const std::string help = loss.state == model::Loss::State::Unproven
                                 ? "start it; if it is gone for good: members." + seat.name() + ".lost: \"" +
                                       base::to_string(seat.listed->listed.id) + "\""
                                 : "";
    const bool starting = loss.code == "MemberStarting";
    const std::string what = starting ? " is starting: " : " is down: ";
    Notice& notice = add(seat, loss.code.empty() ? "MemberDown" : loss.code, "member " + seat.name() + what + text,
                         starting ? "" : help);
    if (starting) {
      notice.level = Notice::Level::Info;
    } else if (world_.quorum.can_lose() <= 0) {
      notice.level = Notice::Level::Critical;
    }
    const auto& since = seat.listed->silent_since;
    if (since && *since <= world_.observed.at) notice.since = *since;
  }

  Notice& add(const Seat& seat, std::string code, std::string text, std::string help) {
    Notice notice;
    notice.code = std::move(code);
    const std::string& name = seat.name();
    notice.object = "member/" + (name.empty() ? base::to_string(seat.listed->listed.id) : name);
    notice.field = name.empty() ? "" : "members." + name;
    notice.text = std::move(text);
    notice.help = std::move(help);
    notice.drift = true;
    if (seat.wish != nullptr) {
      notice.file = world_.desired.file;
      notice.line = seat.wish->member->line;
    }
    notices_.push_back(std::move(notice));
    return notices_.back();
  }

  const World& world_;
  std::vector<Notice> notices_;
};

Notice danger(std::string code, std::string object, Notice::Level level, std::string text, std::string help) {
  Notice notice;
  notice.code = std::move(code);
  notice.object = std::move(object);
  notice.level = level;
  notice.text = std::move(text);
  notice.help = std::move(help);
  return notice;
}

void certificates(const World& world, const model::NodeFacts& node, std::vector<Notice>& notices) {
  if (!node.certificates) return;
  for (const model::Certificate& each : *node.certificates) {
    const base::Duration left = each.not_after - world.observed.at;
    if (left >= kExpiresSoon) continue;
    const bool over = left.count() <= 0;
    notices.push_back(danger(
        "CertificateExpiring", "member/" + node.member,
        left < kExpiresVerySoon ? Notice::Level::Critical : Notice::Level::Warning,
        each.path + (over ? " expired " + base::age_text(-left) + " ago" : " expires in " + base::age_text(left)),
        "replace the file; etcd reads it again at the next connection"));
  }
}

void releases(const World& world, std::vector<Notice>& notices) {
  for (const Seat& seat : world.seats) {
    if (seat.listed == nullptr || !seat.listed->status) continue;
    const auto version = base::parse_version(seat.listed->status->version);
    const auto* bad = version ? model::known_bad(*version) : nullptr;
    if (bad == nullptr || !bad->loses_data) continue;
    notices.push_back(
        danger("BadRelease", "member/" + seat.name(), Notice::Level::Warning,
               "member " + seat.name() + " runs etcd " + seat.listed->status->version + ": " + std::string(bad->reason),
               "upgrade to " + std::string(bad->fixed_in) + " or later"));
  }
}

void foreign_data(const World& world, std::vector<Notice>& notices) {
  for (const Seat& seat : world.seats) {
    if (!seat.wanted() || seat.listed != nullptr || !has_data(seat) || has_left_data(world, seat)) continue;
    const model::DataDir& data = *seat.node->data;
    const bool other = data.cluster.value != 0 && data.cluster != world.observed.membership->cluster;
    const std::string whose =
        other ? "of cluster " + base::to_string(data.cluster) : "that nobody has shown to be left over";
    notices.push_back(
        danger("ForeignData", "member/" + seat.name(), Notice::Level::Critical,
               "the node of " + seat.name() + " holds data " + whose + (data.path.empty() ? "" : ": " + data.path),
               "look at them; move them away by hand if nobody needs them. Nothing here touches them"));
  }
}

// Steps on the member list are taken by agents of voters that the file lists.
void nobody_left(const World& world, std::vector<Notice>& notices) {
  std::vector<std::string> dropped;
  for (const Seat& seat : world.seats) {
    if (!seat.is_voter() || !seat.up) continue;
    if (seat.wish != nullptr && seat.managed()) return;
    if (seat.dropped) dropped.push_back(seat.name());
  }
  if (!dropped.empty()) notices.push_back(nobody_acts(dropped));
}

// A difference that nobody could have seen is no agreement.
void unseen(const World& world, std::vector<Notice>& notices) {
  std::string names;
  std::string why;
  for (const Seat& seat : world.seats) {
    if (!seat.wanted() || !seat.managed() || !seat.is_voter() || !seat.up) continue;
    if (seat.node != nullptr && seat.node->manifest) continue;
    names += (names.empty() ? "" : ", ") + seat.name();
    if (why.empty()) why = seat.node == nullptr ? "nobody looked" : seat.node->manifest.why();
  }
  if (names.empty()) return;
  notices.push_back(danger(
      "NotSeen", "cluster", Notice::Level::Info,
      "the files of " + names + " were not seen (" + why + "): a change of their configuration would not show", ""));
}

void full(const World& world, std::vector<Notice>& notices) {
  if (!world.observed.alarms) return;
  for (const model::Alarm& alarm : *world.observed.alarms) {
    if (alarm.kind != model::AlarmKind::NoSpace) continue;
    const model::ObservedMember* member = model::member_of(world.observed, alarm.member);
    const std::string name =
        member == nullptr || member->listed.name.empty() ? base::to_string(alarm.member) : member->listed.name;
    notices.push_back(danger("NoSpace", "member/" + name, Notice::Level::Critical,
                             "a NOSPACE alarm of " + name + " stands: etcd refuses writes",
                             "delete what nobody needs, or raise etcd.quota, where the steps do not make room"));
  }
}

// What is longer than this is a switch that somebody forgot, and the gate takes it for no pause.
void long_pause(const World& world, std::vector<Notice>& notices) {
  const auto& paused = world.desired.paused;
  if (!paused || paused->until - world.observed.at <= std::chrono::hours{24 * 7}) return;
  notices.push_back(danger("PauseTooLong", "cluster", Notice::Level::Warning,
                           "paused.until is more than seven days away, so nothing is paused",
                           "choose an end within a week"));
}

}  // namespace

void mark_ignored(const model::Desired& desired, base::Time now, std::vector<Notice>& notices) {
  for (Notice& notice : notices) {
    for (const model::IgnoredDrift& rule : desired.drift.ignore) {
      const bool runs_out = rule.until && *rule.until <= now;
      if (!runs_out && !notice.field.empty() && covers(rule.path, notice.field)) notice.ignored = rule.reason;
    }
  }
}

std::vector<Notice> differences(const World& world) {
  return Comparer{world}.run();
}

Notice nobody_acts(const std::vector<std::string>& dropped) {
  return danger("NobodyActs", "cluster", Notice::Level::Critical,
                "the file lists no voter that lives, and drops " + base::joined(dropped, ", ") +
                    ": no agent is left to carry that out",
                "keep one of them in the file until the others have joined, and take it out then");
}

namespace {

// It is no word about one member ID, so it would hold for the next loss, too.
void lost_for_ever(const World& world, std::vector<Notice>& notices) {
  for (const Seat& seat : world.seats) {
    const bool said = seat.wish != nullptr && seat.wish->member->lost && !seat.wish->member->lost->id;
    if (!said || !seat.is_voter() || !seat.up) continue;
    notices.push_back(danger("LostStillSaid", "member/" + seat.name(), Notice::Level::Warning,
                             "the file still says that " + seat.name() + " is gone for good, and it votes",
                             "take members." + seat.name() + ".lost out of the file"));
  }
}

}  // namespace

std::vector<Notice> dangers(const World& world) {
  std::vector<Notice> notices;
  lost_for_ever(world, notices);
  releases(world, notices);
  foreign_data(world, notices);
  long_pause(world, notices);
  unseen(world, notices);
  nobody_left(world, notices);
  full(world, notices);
  tell_of_fence(world, notices);
  for (const model::NodeFacts& node : world.observed.nodes) certificates(world, node, notices);
  if (world.desired.if_no_cluster == model::IfNoCluster::New ||
      world.desired.if_no_cluster == model::IfNoCluster::RestoreOrNew) {
    notices.push_back(danger("BootstrapStillAllowed", "cluster", Notice::Level::Warning,
                             "the file still allows a new cluster, and the cluster exists",
                             "take bootstrap.ifNoCluster out of the file"));
  }
  return notices;
}

}  // namespace quorate::plan
