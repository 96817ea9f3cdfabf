// Laws of the desired file over generated clusters: what is valid renders, and nothing depends on the order of members.
#include <gtest/gtest.h>
// Its header wants gtest's in front of it.
#include <algorithm>
#include <string>
#include <vector>

#include <rapidcheck/gtest.h>

#include "reconciler/base/ids.h"
#include "reconciler/load/load.h"
#include "reconciler/validate/validate.h"
#include "renderers/registry.h"

namespace quorate {
namespace {

struct Cluster {
  std::vector<std::string> members;  // "name: value" in flow style
  std::string rest;
};

rc::Gen<Cluster> cluster() {
  return rc::gen::exec([] {
    Cluster cluster;
    const int count = *rc::gen::inRange(1, 8);
    const bool objects = *rc::gen::arbitrary<bool>();
    for (int i = 0; i < count; ++i) {
      const std::string address = "10.0.0." + std::to_string(10 + i);
      const std::string name = "etcd-" + std::string(1, static_cast<char>('a' + i));
      cluster.members.push_back(name + ": " +
                                (objects ? "{address: " + address + ", zone: z" + std::to_string(i) + "}" : address));
    }
    cluster.rest = "etcd: {version: \"" + *rc::gen::element<std::string>("3.4.23", "3.5.16", "3.5", "3.6.4") + "\"";
    if (*rc::gen::arbitrary<bool>()) cluster.rest += ", quota: " + std::to_string(*rc::gen::inRange(1, 9)) + "Gi";
    if (*rc::gen::arbitrary<bool>()) cluster.rest += ", heartbeat: 50ms, election: 1s";
    if (*rc::gen::arbitrary<bool>()) cluster.rest += ", autoCompaction: {retention: 8h}";
    const auto storage = *rc::gen::element<std::string>("disk", "ephemeral", "memory");
    cluster.rest += "}\nstorage: {kind: " + storage + "}\n";
    cluster.rest += "tls: {mode: " + *rc::gen::element<std::string>("mutual", "server", "\"off\"") + "}\n";
    const auto runtime = *rc::gen::element<std::string>("process", "systemd", "static-pod", "kubernetes");
    const bool init = runtime == "static-pod" && storage != "disk";
    cluster.rest += "runtime: {type: " + runtime + (init ? ", initImage: \"busybox:1.36\"" : "") + "}\n";
    if (runtime == "static-pod" || runtime == "kubernetes") {
      auto at = cluster.rest.find("version: \"3.5\"");
      if (at != std::string::npos) cluster.rest.replace(at, 14, "version: \"3.5.16\"");
    }
    return cluster;
  });
}

// What may be done to the cluster: it changes no byte of what runs.
rc::Gen<std::string> policy() {
  return rc::gen::exec([] {
    std::string text;
    const auto maybe = [&](const std::string& line) {
      if (*rc::gen::arbitrary<bool>()) text += line + "\n";
    };
    maybe("generation: " + std::to_string(*rc::gen::inRange(1, 1000)));
    maybe("lost: [\"" + base::id_text(*rc::gen::inRange<std::uint64_t>(1, ~std::uint64_t{0})) + "\"]");
    maybe("bootstrap: {ifNoCluster: " + *rc::gen::element<std::string>("wait", "restore", "new", "restore-or-new") +
          "}");
    maybe("reconcile: {apply: " + *rc::gen::element<std::string>("auto", "manual") +
          ", every: 5s, selfHeal: " + *rc::gen::element<std::string>("safe", "all", "\"off\"") +
          ", deadAfter: " + std::to_string(*rc::gen::inRange(1, 600)) +
          "s, maxHealsPerDay: " + std::to_string(*rc::gen::inRange(0, 9)) + "}");
    maybe("approvals: [{step: \"remove/etcd-z@1\", cluster: \"2\", until: \"2026-09-24T17:00:00Z\"}]");
    maybe("rollout: {order: " + *rc::gen::element<std::string>("leader-last", "name") + ", soak: 5s}");
    maybe("protect: {minVoters: 1, maxRemovals: " + std::to_string(*rc::gen::inRange(0, 9)) + ", approve: [heal]}");
    maybe("paused: {reason: \"off: for now\", until: \"2026-09-24T17:00:00Z\", members: [etcd-a]}");
    maybe("drift: {for: 1h, ignore: [{path: members.etcd-a.zone, reason: moved}, {path: etcd, reason: by hand}]}");
    return text;
  });
}

std::string text_of(const Cluster& cluster) {
  std::string text = "apiVersion: quorate/v1\nname: prod\nmembers: {";
  for (const std::string& member : cluster.members) text += member + ", ";
  return text + "}\n" + cluster.rest;
}

model::Desired desired_of(const std::string& text) {
  const auto loaded = load::load(model::Source("quorate.yaml", text, "/srv"));
  RC_ASSERT(loaded.spec.has_value());
  auto validated = validate::validate(*loaded.spec);
  for (const auto& finding : validated.findings) {
    if (model::severity(finding.code) == model::Severity::Error) RC_FAIL(finding.message + "\n" + text);
  }
  return std::move(*validated.desired);
}

std::vector<std::string> digests(const model::Desired& desired, const renderers::Boot& boot) {
  std::vector<std::string> result;
  for (const auto& member : desired.members) {
    const auto bundle =
        renderers::render_member({desired, member, boot, renderers::config_path("/var/lib/quorate", desired, member)});
    RC_ASSERT(bundle.has_value());
    result.push_back(bundle->digest);
  }
  return result;
}

}  // namespace

RC_GTEST_PROP(DesiredLaws, AValidClusterRendersForEveryMember, ()) {
  const auto desired = desired_of(text_of(*cluster()));
  RC_ASSERT(digests(desired, renderers::BootKeep{}).size() == desired.members.size());
}

RC_GTEST_PROP(DesiredLaws, TheOrderOfMembersChangesNoByte, ()) {
  Cluster one = *cluster();
  Cluster other = one;
  std::reverse(other.members.begin(), other.members.end());
  RC_ASSERT(digests(desired_of(text_of(one)), renderers::BootKeep{}) ==
            digests(desired_of(text_of(other)), renderers::BootKeep{}));
}

RC_GTEST_PROP(DesiredLaws, WhatMayBeDoneChangesNoByteOfWhatRuns, ()) {
  const std::string text = text_of(*cluster());
  RC_ASSERT(digests(desired_of(text), renderers::BootKeep{}) ==
            digests(desired_of(text + *policy()), renderers::BootKeep{}));
}

RC_GTEST_PROP(DesiredLaws, TheBootModeChangesNoDigest, ()) {
  const auto desired = desired_of(text_of(*cluster()));
  RC_ASSERT(digests(desired, renderers::BootKeep{}) == digests(desired, renderers::BootNew{"prod-1"}));
}

RC_GTEST_PROP(DesiredLaws, MembersNeverShareABundle, ()) {
  auto all = digests(desired_of(text_of(*cluster())), renderers::BootKeep{});
  std::sort(all.begin(), all.end());
  RC_ASSERT(std::adjacent_find(all.begin(), all.end()) == all.end());
}

// Any damage to a valid text is either still valid or explained; it never breaks anything.
RC_GTEST_PROP(DesiredLaws, ADamagedTextIsExplained, ()) {
  std::string text = text_of(*cluster()) + *policy();
  const int damages = *rc::gen::inRange(1, 5);
  for (int i = 0; i < damages; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = *rc::gen::element(' ', ':', '{', '}', '[', '"', '\n', '\t', 'x', '&', '*', '-', '!', '|');
  }
  auto loaded = load::load(model::Source("quorate.yaml", text, "/srv"));
  if (!loaded.spec) {
    RC_ASSERT(!loaded.findings.empty());
    return;
  }
  const auto validated = validate::validate(*loaded.spec);
  RC_ASSERT(validated.desired.has_value() != model::has_errors(validated.findings));
}

}  // namespace quorate
