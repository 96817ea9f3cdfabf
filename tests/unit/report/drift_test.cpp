// What is told of differences, of a cluster's state and of its members.
#include "reconciler/report/drift.h"

#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reconciler/model/health.h"
#include "reconciler/plan/backup.h"
#include "reconciler/report/status.h"
#include "tests/unit/report/plan_builder.h"

namespace quorate::report {
namespace {

using model::ExitCode;
using model::Fact;
using testing::AllOf;
using testing::HasSubstr;

const base::Time kNow = *base::parse_time("2026-09-24T09:12:41Z");

model::Gated with(std::vector<model::Notice> notices) {
  model::Gated gated = gated_of({}, {3, 3});
  gated.plan.notices = std::move(notices);
  return gated;
}

model::Notice skew() {
  model::Notice notice = notice_of("VersionSkew", "member/etcd-b", "it runs etcd 3.5.16, wanted 3.5.21");
  notice.field = "etcd.version";
  notice.want = "3.5.21";
  notice.have = "3.5.16";
  notice.file = "quorate.yaml";
  notice.line = 11;
  return notice;
}

std::string shown(const model::Gated& gated, const model::Drift& policy = {}) {
  return *render_drift("text", {gated, context_of_three(), policy}, {});
}

ExitCode code_of(const model::Gated& gated) {
  return drift_code({gated, context_of_three(), model::Drift{}});
}

model::Observed three() {
  model::Observed observed;
  observed.at = kNow;
  model::Membership membership;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    model::ObservedMember member;
    member.listed = {{id}, "etcd-" + std::string(1, static_cast<char>('`' + id)), {"https://10.0.0.1:2380"}, {}, false};
    if (id < 3) {
      model::MemberStatus status;
      status.version = "3.5.21";
      status.leader = {1};
      status.raft_index = 10;
      status.raft_applied = 10 - id + 1;
      member.status = Fact<model::MemberStatus>::known(status, kNow);
      member.serves = Fact<base::Duration>::known(base::Duration{1}, kNow);
    } else {
      member.status = Fact<model::MemberStatus>::unknown("connection \033refused", kNow);
    }
    membership.members.push_back(member);
  }
  observed.membership = Fact<model::Membership>::known(membership, kNow);
  return observed;
}

}  // namespace

TEST(Drift, ShowsWhatIsThereAndWhatIsWantedWithItsLine) {
  EXPECT_THAT(shown(with({skew()})),
              AllOf(HasSubstr("prod is OutOfSync with quorate.yaml: 1 difference\n"),
                    HasSubstr("  ~ etcd-b  etcd.version 3.5.16, wanted 3.5.21 (quorate.yaml:11)"),
                    HasSubstr("Checked 2 of 3 members.\n")));
  EXPECT_EQ(code_of(with({skew()})), ExitCode::Different);
}

TEST(Drift, DoesNotCountWhatIsIgnoredOrTooYoung) {
  model::Notice ignored = skew();
  ignored.ignored = "agreed with dev";
  model::Notice young = skew();
  young.since = kNow - std::chrono::seconds{30};
  model::Drift policy;
  policy.ignore = {{"etcd.version", "agreed with dev", base::parse_time("2026-10-01T00:00:00Z")}};
  EXPECT_THAT(shown(with({ignored, young}), policy),
              AllOf(HasSubstr("prod is Synced with quorate.yaml\n"),
                    HasSubstr("1 younger than drift.for (2m); 1 difference ignored (1 until 2026-10-01)")));
  EXPECT_EQ(code_of(with({ignored, young})), ExitCode::Ok);
}

TEST(Drift, IsNotToldWhereNobodyCouldLook) {
  model::Gated gated = with({});
  gated.plan.status = model::PlanStatus::NeedsObservation;
  gated.plan.stop = ExitCode::Unknown;
  EXPECT_EQ(code_of(gated), ExitCode::Unknown);
  EXPECT_THAT(shown(gated), AllOf(HasSubstr("cannot be told"), HasSubstr("etcd-c: connection refused")));
  EXPECT_EQ(model::sync_of(gated), model::Sync::Unknown);
}

TEST(Drift, TheWorstOfWhatIsKnownIsTheCode) {
  model::Gated gated = with({skew()});
  gated.plan.stop = ExitCode::Refused;
  EXPECT_EQ(code_of(gated), ExitCode::Refused);
  gated.whole = model::Verdict{};
  gated.whole->code = ExitCode::Unknown;
  EXPECT_EQ(code_of(gated), ExitCode::Unknown);
  gated.plan.stop = ExitCode::Invalid;
  EXPECT_EQ(code_of(gated), ExitCode::Invalid);
}

// As the planner words them, and however old: who asks by the exit code learns of them.
TEST(Drift, OfBackupsIsADifferenceToo) {
  model::Observed observed = three();
  model::Desired desired;
  desired.backup = model::BackupPolicy{};
  desired.backup->every = std::chrono::hours{1};
  desired.backup->verify_every = std::chrono::hours{24};
  model::BackupsSeen seen;
  seen.count = 1;
  seen.newest = "2026-09-24T09:00:00Z-r7-a";
  seen.covers = seen.taken = kNow - std::chrono::minutes{12};
  seen.oldest = kNow - std::chrono::hours{24};
  const auto code = [&](const std::string& wanted) {
    observed.backups = Fact<model::BackupsSeen>::known(seen, kNow);
    const auto notices = plan::backup_notices(desired, observed);
    const bool told =
        std::any_of(notices.begin(), notices.end(), [&](const model::Notice& notice) { return notice.code == wanted; });
    EXPECT_EQ(told, !wanted.empty()) << wanted;
    return code_of(with(notices));
  };
  EXPECT_EQ(code(""), ExitCode::Ok);
  seen.damaged = "2026-09-24T08:00:00Z-r6-a";
  EXPECT_EQ(code("BackupDamaged"), ExitCode::Different);
  seen.damaged.clear();
  seen.ahead = "2031-01-01T00:00:00Z-r6-a";
  EXPECT_EQ(code("BackupAhead"), ExitCode::Different);
  seen.ahead.clear();
  seen.oldest = kNow - std::chrono::hours{49};
  EXPECT_EQ(code("BackupUnverified"), ExitCode::Different);
}

TEST(Drift, ALongNameEndsBeforeTheLevel) {
  model::Notice notice = skew();
  notice.object = "member/" + std::string(90, 'n');
  EXPECT_THAT(shown(with({notice})), AllOf(HasSubstr("n  "), testing::Not(HasSubstr("nwarning"))));
  notice.field.clear();
  notice.text = std::string(90, 't');
  notice.file.clear();
  EXPECT_THAT(shown(with({notice})), testing::Not(HasSubstr("twarning")));
}

TEST(Drift, MarkdownIsNeverTooLongForAComment) {
  model::Notice notice = skew();
  notice.have = std::string(3000, '|');
  model::Gated gated = with(std::vector<model::Notice>(90, notice));
  gated.plan.cluster = std::string(70000, '*');
  const std::string text = *render_drift("markdown", {gated, context_of_three(), model::Drift{}}, {});
  EXPECT_LE(text.size(), 60000U);
  EXPECT_THAT(text, HasSubstr(" more\n"));
}

TEST(Drift, EveryFormatIsPrinted) {
  for (const auto& format : drift_formats()) {
    EXPECT_THAT(*render_drift(format, {with({skew()}), context_of_three(), model::Drift{}}, {}), HasSubstr("etcd"))
        << format;
  }
}

TEST(Health, CountsWhatCanStillBeLost) {
  model::Observed observed = three();
  EXPECT_EQ(model::health_of(observed), model::Health::AtRisk);
  observed.membership.get()->members[1].status = Fact<model::MemberStatus>::unknown("silent", kNow);
  EXPECT_EQ(model::health_of(observed), model::Health::NoQuorum);
  EXPECT_EQ(model::health_of(model::Observed{}), model::Health::Unknown);
}

TEST(Status, HasARowForEachMemberAndSaysWhyOneIsSilent) {
  model::Desired desired;
  desired.name = "prod";
  const model::Observed observed = three();
  const model::Gated gated = with({});
  const model::PlanContext context = context_of_three();
  const std::string text = *render_status("text", {desired, observed, gated, context}, {});
  EXPECT_THAT(text, AllOf(HasSubstr("AT RISK, can lose 0 of 3"), HasSubstr("connection ?refused"),
                          HasSubstr("etcd-a  10.0.0.1  leader  up")));
  EXPECT_EQ(nlohmann::json::parse(*render_status("json", {desired, observed, gated, context}, {}))["health"], "AtRisk");
}

TEST(Status, WhatIsTooOldSaysNothingOfNow) {
  model::Desired desired;
  desired.name = "prod";
  const model::Observed observed = three();
  const model::PlanContext context = context_of_three();
  model::Gated gated = with({});
  gated.plan.stop = ExitCode::Refused;
  EXPECT_EQ(status_code({desired, observed, gated, context}), ExitCode::Ok) << "drift is the check";
  gated.whole = model::Verdict{};
  gated.whole->ruling = model::Ruling::Hold;
  gated.whole->rule = "F1";
  gated.whole->code = ExitCode::Unknown;
  gated.whole->arithmetic = "the observation is of yesterday";
  EXPECT_EQ(status_code({desired, observed, gated, context}), ExitCode::Unknown);
  EXPECT_THAT(*render_status("text", {desired, observed, gated, context}, {}),
              HasSubstr("the observation is of yesterday"));
}

TEST(MemberList, ThatIsTooOldSaysSo) {
  const model::Observed observed = three();
  const MemberListView view{nullptr, observed, "the observation is of yesterday"};
  EXPECT_EQ(member_list_code(view), ExitCode::Unknown);
  EXPECT_THAT(*render_member_list("text", view, {}),
              AllOf(HasSubstr("Too old: the observation is of yesterday"), HasSubstr("etcd-a")));
  const auto json = nlohmann::json::parse(*render_member_list("json", view, {}));
  EXPECT_EQ(json["exit_code"], 6);
  EXPECT_EQ(json["why"], "the observation is of yesterday");
}

TEST(MemberList, SaysWhichMembersTheFileHas) {
  model::Desired desired;
  desired.members.resize(1);
  desired.members[0].name = "etcd-a";
  const model::Observed observed = three();
  EXPECT_THAT(*render_member_list("text", {&desired, observed, ""}, {}),
              AllOf(HasSubstr("yes"), HasSubstr("no"), HasSubstr("started")));
  const auto json = nlohmann::json::parse(*render_member_list("json", {nullptr, observed, ""}, {}));
  EXPECT_TRUE(json["members"][0]["in_file"].is_null());
  EXPECT_EQ(json["members"][2]["why"], "connection \033refused");
}

}  // namespace quorate::report
