// A cluster of three, its lock, and the machine of member a, whose agent carries out one step.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/apply/apply.h"
#include "reconciler/model/records.h"
#include "reconciler/model/state_paths.h"
#include "tests/fakes/fake_etcd.h"
#include "tests/fakes/fake_host.h"
#include "tests/fakes/fake_runtime.h"
#include "tests/support/desired_builder.h"

namespace quorate::apply {

// Etcd whose answer to the next change of the membership is lost on the way: it has happened, or it has not.
class LossyEtcd final : public fakes::FakeEtcd {
 public:
  using FakeEtcd::FakeEtcd;
  enum class Loses { Nothing, Answer, Call } loses = Loses::Nothing;
  std::string other_data_at;  // an endpoint whose member holds something else

  base::Result<ports::Hash> hash_kv(const std::string& endpoint, std::int64_t revision,
                                    base::Duration within) override {
    auto hash = FakeEtcd::hash_kv(endpoint, revision, within);
    if (hash && endpoint == other_data_at) ++hash->hash;
    return hash;
  }

  base::Result<ports::Added> add_learner(const std::string& endpoint, const std::vector<std::string>& peer_urls,
                                         base::Duration within) override {
    if (loses == Loses::Nothing) return FakeEtcd::add_learner(endpoint, peer_urls, within);
    if (loses == Loses::Answer) (void)FakeEtcd::add_learner(endpoint, peer_urls, within);
    return lost();
  }
  base::Result<void> remove(const std::string& endpoint, base::MemberId member, base::Duration within) override {
    if (loses == Loses::Nothing) return FakeEtcd::remove(endpoint, member, within);
    if (loses == Loses::Answer) (void)FakeEtcd::remove(endpoint, member, within);
    return lost();
  }
  base::Result<void> promote(const std::string& endpoint, base::MemberId member, base::Duration within) override {
    if (loses == Loses::Nothing) return FakeEtcd::promote(endpoint, member, within);
    if (loses == Loses::Answer) (void)FakeEtcd::promote(endpoint, member, within);
    return lost();
  }

 private:
  static tl::unexpected<base::Error> lost() {
    return tl::unexpected(base::Error{base::ErrorKind::Ambiguous, "no answer came in time", ""});
  }
};

class SceneTest : public testing::Test {
 protected:
  SceneTest() {
    clock_.advance(std::chrono::minutes{1});
    memory_.cluster = desired_.name;
    memory_.member = "a";
    observe();
    look_at_a(model::DataState::Fresh);
  }

  static fakes::Seat seat(const std::string& name) {
    const std::string host = "https://10.0.0." + std::to_string(11 + name.front() - 'a');
    return {name, host + ":2380", host + ":2379"};
  }
  static std::string at(const std::string& name) { return seat(name).client_url; }

  // What the agents see of etcd now.
  void observe() {
    const auto list = etcd_.member_list(at("a"), ports::Consistency::Linearizable, kWithin);
    ASSERT_TRUE(list) << list.error().message;
    model::Membership membership{etcd_.cluster(), true, {}};
    for (const model::ListedMember& listed : list->members) {
      model::ObservedMember member;
      member.listed = listed;
      const auto status = listed.client_urls.empty() ? base::Result<ports::StatusAnswer>(base::invalid("not started"))
                                                     : etcd_.status(listed.client_urls.front(), kWithin);
      if (status) {
        member.status = model::Fact<model::MemberStatus>::known(status->status, clock_.now());
        member.serves = model::Fact<base::Duration>::known({}, clock_.now());
      }
      membership.members.push_back(std::move(member));
    }
    observed_.at = clock_.now();
    observed_.membership = model::Fact<model::Membership>::known(std::move(membership), clock_.now());
  }

  model::NodeFacts& node(const std::string& name) {
    if (model::NodeFacts* there = model::node_of(observed_, name)) return *there;
    observed_.nodes.emplace_back().member = name;
    return observed_.nodes.back();
  }
  // What stands in member a's directory; nothing runs there.
  void look_at_a(model::DataState state) {
    model::DataDir data;
    data.state = state;
    data.path = desired_.members[0].data_dir;
    data.member = etcd_.id_of("a");
    node("a").data = model::Fact<model::DataDir>::known(data, clock_.now());
    node("a").process = model::Fact<model::Process>::known({}, clock_.now());
  }
  void take_disk() {  // of a, which boots without it
    look_at_a(model::DataState::Fresh);
    node("a").data.get()->disk_away = true;
    node("a").data.get()->problem = "is its disk mounted?";
  }

  void lock() {
    auto fence = take_lock(etcd_, at("a"), etcd_.cluster(), "a", kWithin);
    ASSERT_TRUE(fence) << fence.error().message;
    fence_ = *fence;
  }
  void lose_lock() {
    clock_.advance(kLeaseTtl + std::chrono::seconds{1});
    ASSERT_TRUE(take_lock(etcd_, at("b"), etcd_.cluster(), "b", kWithin));
  }

  base::Result<void> carry_out(model::Action action, model::StepClass step_class = model::StepClass::Change,
                               const std::string& reason = "") {
    model::Step step;
    step.id = model::step_id(action);
    const bool on_node =
        std::holds_alternative<model::Promise>(action) || std::holds_alternative<model::WriteManifest>(action) ||
        std::holds_alternative<model::RemoveManifest>(action) || std::holds_alternative<model::SetDataAside>(action);
    step.owner = on_node ? "a" : "cluster";
    step.action = std::move(action);
    step.step_class = step_class;
    step.reason.code = reason;
    return apply::carry_out({etcd_, host_, runtime_, clock_},
                            {desired_, desired_.members[0], "/s", observed_, memory_, at("a"), fence_, kWithin}, step);
  }

  // The value of a key in etcd; nothing: it is not there.
  std::optional<std::string> value_of(const std::string& key) {
    const auto there = etcd_.get(at("a"), key, ports::Consistency::Linearizable, kWithin);
    return there && *there ? std::optional((*there)->value) : std::nullopt;
  }
  model::Records records() {
    const auto all = etcd_.get_all(at("a"), model::kReserved, ports::Consistency::Linearizable, kWithin);
    EXPECT_TRUE(all);
    std::vector<model::Record> records;
    for (const ports::KeyValue& each : *all) records.push_back({each.key, each.value, each.mod_revision});
    return model::read_records(records, etcd_.cluster());
  }
  std::vector<model::ListedMember> members() {
    return etcd_.member_list(at("a"), ports::Consistency::Linearizable, kWithin).value().members;
  }
  const model::ListedMember* listed(base::MemberId id) {
    list_ = members();
    for (const model::ListedMember& each : list_) {
      if (each.id == id) return &each;
    }
    return nullptr;
  }
  // What is on the disk of it now.
  model::Memory remembered() {
    return model::read_memory(host_.files[model::memory_path("/s", desired_.name, "a")], "memory.json").value();
  }

  static constexpr base::Duration kWithin{2000};
  model::Desired desired_ = support::DesiredBuilder{}.build();
  fakes::FakeClock clock_;
  LossyEtcd etcd_{clock_, base::parse_version("3.5.21").value(), {seat("a"), seat("b"), seat("c")}};
  std::vector<std::string> done_;  // to the machine, in order
  fakes::FakeHost host_{done_};
  fakes::FakeRuntime runtime_{done_};
  model::Observed observed_;
  model::Memory memory_;
  std::optional<Fence> fence_;

 private:
  std::vector<model::ListedMember> list_;
};

}  // namespace quorate::apply
