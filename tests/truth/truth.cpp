// Each step is followed by looks at the real cluster until they show what was promised, or the time is up.
#include "tests/truth/truth.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "reconciler/base/digest.h"
#include "reconciler/base/version.h"

namespace quorate::truth {
namespace {

constexpr base::Duration kWithin{2000};
constexpr std::size_t kWritesAfter = 5;  // that the last step is judged by, too

struct Done {
  std::string id;
  bool keeps_quorum = true;  // says the plan
  Moment begin;
  Moment end;
};

bool says_quorum_is_kept(const model::Step& step) {
  return step.after.can_lose() >= 0 && step.risk != model::Risk::Critical;
}

std::string text_of(const Outline& steps) {
  std::string text;
  for (const std::string& step : steps) text += "\n    " + step;
  return steps.empty() ? "\n    nothing" : text;
}

std::string text_of(const model::Observed& observed) {
  std::ostringstream text;
  if (!observed.membership) return "no member list: " + observed.membership.why();
  for (const model::ObservedMember& member : observed.membership->members) {
    text << "\n    " << base::to_string(member.listed.id) << " " << member.listed.name
         << (member.listed.learner ? " learner" : "") << (model::is_up(member) ? " up" : " down");
    for (const std::string& url : member.listed.peer_urls) text << " " << url;
    if (member.status) text << " db " << member.status->db_size << ", in use " << member.status->db_size_in_use;
    if (!member.status) text << ": " << member.status.why();
  }
  if (observed.alarms) text << "\n    " << observed.alarms->size() << " alarms";
  for (const model::NodeFacts& node : observed.nodes) {
    text << "\n    node " << node.member << " data "
         << (node.data ? std::to_string(static_cast<int>(node.data->state)) : node.data.why()) << " manifest "
         << (node.manifest ? node.manifest->digest.substr(0, 8) : node.manifest.why());
  }
  return text.str();
}

std::string text_of(const model::Plan& plan) {
  std::string text = std::string(model::name_of(plan.status));
  for (const model::Notice& notice : plan.notices) text += "\n    notice " + notice.code + ": " + notice.text;
  return text;
}

// What is not as the plan said it would be; empty when all is.
std::string difference(const model::Step& step, const Outline& rest, const model::Gated& now,
                       const model::Observed& observed) {
  std::string text;
  for (std::size_t i = 0; i < step.ensures.size(); ++i) {
    if (!model::holds(step.ensures[i], observed)) {
      text += "\n  claim " + std::to_string(i + 1) + " of what it ensures does not hold";
    }
  }
  const Outline found = outline(now.plan);
  if (found != rest) text += "\n  the rest of the plan was:" + text_of(rest) + "\n  and is now:" + text_of(found);
  if (!text.empty()) text += "\n  seen:" + text_of(observed) + "\n  plan: " + text_of(now.plan);
  return text;
}

// The next plan may carry IDs where this one could not know them; what it knew stays.
void expect_same_ids(const model::Plan& plan, std::size_t from, const model::Plan& now) {
  for (std::size_t i = 0; i < now.steps.size(); ++i) {
    const auto* promote = std::get_if<model::Promote>(&plan.steps[from + i].action);
    if (promote != nullptr && promote->id.value == 0) continue;
    const auto* move = std::get_if<model::MoveLeader>(&plan.steps[from + i].action);
    if (move != nullptr && move->to_id.value == 0) continue;
    EXPECT_EQ(now.steps[i].id, plan.steps[from + i].id);
  }
}

// Of the first step that waits or is refused; empty when none does. A learner that lags for a moment is waited for.
std::string what_stops(const model::Gated& gated) {
  if (gated.whole) return gated.whole->rule + " " + gated.whole->arithmetic;
  for (std::size_t i = 0; i < gated.verdicts.size(); ++i) {
    const model::Verdict& verdict = gated.verdicts[i];
    if (verdict.ruling == model::Ruling::Go || verdict.rule == "Q9") continue;
    return gated.plan.steps[i].id + ": " + verdict.rule + " " + verdict.text + " " + verdict.arithmetic;
  }
  return "";
}

bool carry_out_one(Lab& lab, const File& file, const model::Plan& plan, std::size_t at) {
  const model::Step& step = plan.steps[at];
  const auto accepted = lab.carry_out(step, file);
  if (!accepted) {
    ADD_FAILURE() << step.id << " was refused: " << accepted.error().message << "\n" << lab.log();
    return false;
  }
  const Outline rest = outline(plan, at + 1);
  std::string wrong;
  model::Gated now;
  const auto is_as_said = [&] {
    const model::Observed observed = lab.look(file);
    now = preview(file, observed);
    wrong = difference(step, rest, now, observed);
    return wrong.empty();
  };
  if (!lab.eventually(is_as_said, kSettled)) {
    ADD_FAILURE() << "after " << step.id << ":" << wrong << "\n" << lab.log();
    return false;
  }
  expect_same_ids(plan, at + 1, now.plan);
  return true;
}

void expect_no_long_gap(const Writer& writer, const std::vector<Done>& done) {
  for (const Writer::Gap& gap : writer.gaps_over(kLongestGap)) {
    std::string during;
    bool allowed = false;
    for (const Done& each : done) {
      if (each.end < gap.begin || each.begin > gap.end) continue;
      during += " " + each.id;
      allowed = allowed || !each.keeps_quorum;
    }
    EXPECT_TRUE(allowed) << "no write for "
                         << std::chrono::duration_cast<std::chrono::milliseconds>(gap.end - gap.begin).count()
                         << " ms during" << during;
  }
}

// The same bytes everywhere, and every acknowledged write among them.
void expect_nothing_lost(Lab& lab, const model::Observed& observed, const Writer& writer) {
  const auto acknowledged = writer.acknowledged();
  ASSERT_TRUE(observed.membership);
  std::vector<std::string> urls;
  for (const model::ObservedMember& member : observed.membership->members) {
    if (model::is_up(member) && !member.listed.learner) urls.push_back(member.listed.client_urls.front());
  }
  ASSERT_FALSE(urls.empty());
  const bool equal = lab.eventually(
      [&] {
        std::optional<std::uint32_t> first;
        return std::all_of(urls.begin(), urls.end(), [&](const std::string& url) {
          const auto hash = lab.etcd().hash_kv(url, 0, kWithin);
          return hash && hash->hash == first.value_or(hash->hash) && (first = hash->hash);
        });
      },
      kSettled);
  EXPECT_TRUE(equal) << "members hold different data";
  for (const std::string& url : urls) {
    for (const auto& [key, value] : acknowledged) {
      const auto found = lab.etcd().get(url, key, ports::Consistency::Serializable, kWithin);
      ASSERT_TRUE(found) << found.error().message;
      ASSERT_TRUE(*found && (*found)->value == value) << key << " was acknowledged and is not at " << url;
    }
  }
}

}  // namespace

model::Gated preview(const File& file, const model::Observed& observed) {
  return loop::preview(file.desired, base::sha256_hex(file.text), file.bundles, observed, {observed.at, {}, true});
}

Outline outline(const model::Plan& plan, std::size_t from) {
  Outline steps;
  for (std::size_t i = from; i < plan.steps.size(); ++i) {
    const model::Action& action = plan.steps[i].action;
    steps.push_back(std::string(model::name_of(action)) + " " + model::object_of(action));
    const auto* write = std::get_if<model::WriteManifest>(&action);
    if (write != nullptr && write->boot != model::BootMode::Keep) {
      steps.back() += write->boot == model::BootMode::New ? " new" : " join";
    }
  }
  return steps;
}

void expect_to_come_true(Lab& lab, const File& file, const Outline& expected) {
  model::Gated gated;
  lab.eventually(
      [&] {
        gated = preview(file, lab.look(file));
        return outline(gated.plan) == expected && what_stops(gated).empty();
      },
      kSettled);
  ASSERT_EQ(outline(gated.plan), expected) << text_of(gated.plan) << text_of(lab.look(file)) << lab.log();
  ASSERT_EQ(what_stops(gated), "");

  std::vector<Done> done;
  Writer writer(lab.running());
  for (std::size_t at = 0; at < gated.plan.steps.size(); ++at) {
    const model::Step& step = gated.plan.steps[at];
    Done it{step.id, says_quorum_is_kept(step), std::chrono::steady_clock::now(), {}};
    const bool good = carry_out_one(lab, file, gated.plan, at);
    writer.aim(lab.running());
    it.end = std::chrono::steady_clock::now();
    done.push_back(it);
    if (!good) return;
  }
  const std::size_t written = writer.acknowledged().size();
  EXPECT_TRUE(lab.eventually([&] { return writer.acknowledged().size() > written + kWritesAfter; }, kSettled));
  writer.stop();
  expect_no_long_gap(writer, done);
  testing::Test::RecordProperty("longest_gap_ms", std::to_string(writer.longest_gap().count()));

  const model::Observed observed = lab.look(file);
  const model::Plan last = preview(file, observed).plan;
  EXPECT_EQ(last.status, model::PlanStatus::Converged) << text_of(outline(last)) << text_of(observed);
  expect_nothing_lost(lab, observed, writer);
}

void PlanTruth::SetUp() {
  release_ = GetParam();
  if (release_ != kNewest) return;
  release_ = newest_release();
  if (release_.empty()) GTEST_SKIP() << "NOT TESTED: " << kNoNewest;
}

std::string newest_release() {
  const char* chosen = std::getenv("QUORATE_DEPS_DIR");
  std::string newest;
  int best = 29;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(chosen != nullptr ? chosen : QUORATE_DEPS_DIR, none)) {
    const std::string name = entry.path().filename().string();
    const auto version = name.rfind("etcd-3.5.", 0) == 0 ? base::parse_version(name.substr(5)) : std::nullopt;
    const bool later = version && version->patch.value_or(0) > best;
    if (!later || !std::filesystem::exists(entry.path() / "usr/bin/etcd")) continue;
    best = *version->patch;
    newest = name.substr(5);
  }
  return newest;
}

std::string name_of_release(const testing::TestParamInfo<std::string>& info) {
  return info.param == kNewest ? "EtcdNewest" : integration::name_of_release(info);
}

}  // namespace quorate::truth
