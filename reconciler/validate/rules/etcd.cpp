// The settings of etcd that depend on one another or on the version.
#include <string>

#include "reconciler/validate/read.h"
#include "reconciler/validate/rules/rules.h"
#include "renderers/etcd_options.h"

namespace quorate::validate {
namespace {

using model::Code;
using model::Node;

void check_version(const Context& context) {
  const auto& version = context.desired().etcd.version;
  const Node* at = context.fields.node("etcd.version");
  if (!version || at == nullptr) return;
  if (version->minor >= renderers::kOldestEtcd && version->minor <= renderers::kNewestEtcd) return;
  auto& finding = context.findings.add(
      Code::E142, *at, "etcd " + base::to_string(*version) + " is not supported",
      "expected " + base::to_string(renderers::kOldestEtcd) + " to " + base::to_string(renderers::kNewestEtcd),
      "etcd.version");
  if (version->minor < renderers::kOldestEtcd) {
    finding.help.push_back("before 3.4 there are no learners: a new member votes before it has any data");
  }
}

struct ImageName {
  std::string_view tag;
  bool digest = false;
};

ImageName parts_of(std::string_view image) {
  ImageName parts;
  const auto at = image.find('@');
  if (at != std::string_view::npos) {
    parts.digest = true;
    image = image.substr(0, at);
  }
  const auto slash = image.rfind('/');
  const auto colon = image.rfind(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    parts.tag = image.substr(colon + 1);
  }
  return parts;
}

// "v3.5.21-0" is 3.5.21.
std::optional<base::Version> version_in(std::string_view tag) {
  if (!tag.empty() && tag.front() == 'v') tag.remove_prefix(1);
  return base::parse_version(tag.substr(0, tag.find_first_not_of("0123456789.")));
}

void check_image(const Context& context) {
  const auto& runtime = context.desired().runtime;
  if (std::holds_alternative<model::ProcessRuntime>(runtime) ||
      std::holds_alternative<model::SystemdRuntime>(runtime)) {
    return;
  }
  const auto& etcd = context.desired().etcd;
  const Node& at = context.nearest("etcd.image");
  const ImageName image = parts_of(etcd.image);
  if (image.tag.empty() && !image.digest) {
    context.findings
        .add(Code::E115, at, "the image " + etcd.image + " names no version",
             "expected a tag, or etcd.version with all three numbers", "etcd.image")
        .help.push_back("without one, each node runs whatever it pulled last");
    return;
  }
  if (image.tag == "latest" && !image.digest) {
    context.findings.add(Code::E115, at, "the tag latest names no version", "expected a tag with a version",
                         "etcd.image");
    return;
  }
  const auto tagged = version_in(image.tag);
  const Node* given = context.fields.node("etcd.version");
  if (!tagged || !etcd.version || given == nullptr) return;
  if (tagged->minor == etcd.version->minor &&
      (!etcd.version->patch || !tagged->patch || *tagged->patch == *etcd.version->patch)) {
    return;
  }
  auto& finding = context.findings.add(
      Code::E115, at,
      "the image is etcd " + base::to_string(*tagged) + ", but etcd.version is " + base::to_string(*etcd.version),
      "expected one version", "etcd.image");
  context.findings.relate(finding, *given, "said here");
}

void check_timings(const Context& context) {
  const auto& etcd = context.desired().etcd;
  if (!etcd.heartbeat && !etcd.election) return;
  using std::chrono::milliseconds;
  const auto heartbeat = etcd.heartbeat.value_or(milliseconds(100));
  const auto election = etcd.election.value_or(milliseconds(1000));
  const Node& at = context.nearest(etcd.election ? "etcd.election" : "etcd.heartbeat");
  const auto add = [&](std::string message, std::string expected) {
    context.findings.add(Code::E130, at, std::move(message), std::move(expected), "etcd.election");
  };
  if (heartbeat.count() <= 0) {
    add("etcd.heartbeat is zero", "expected at least 1ms");
  } else if (election < 5 * heartbeat) {
    add("an election after " + base::to_string(election) + " leaves no room for heartbeats every " +
            base::to_string(heartbeat),
        "expected an election timeout of at least " + base::to_string(5 * heartbeat));
  } else if (election > std::chrono::seconds(50)) {
    add("etcd.election is " + base::to_string(election) + ", and etcd takes at most 50s", "expected at most 50s");
  }
}

void check_compaction(const Context& context) {
  const Node* retention = context.fields.node("etcd.autoCompaction.retention");
  const auto& compaction = context.desired().etcd.auto_compaction;
  if (retention == nullptr || !compaction || !text(*retention)) return;
  if (compaction->mode == model::CompactionMode::Revision) {
    if (compaction->revisions > 0) return;
    context.findings.add(Code::E131, *retention,
                         "mode revision keeps a number of revisions, found " + describe(*retention),
                         "expected a number such as 10000", "etcd.autoCompaction.retention");
  } else if (compaction->period.count() <= 0) {
    context.findings.add(Code::E131, *retention, "mode periodic keeps a span of time, found " + describe(*retention),
                         "expected a duration such as 8h", "etcd.autoCompaction.retention");
  } else if (compaction->period < std::chrono::seconds(1)) {
    context.findings.add(Code::E131, *retention, "a retention below a second keeps nothing",
                         "expected a duration such as 8h", "etcd.autoCompaction.retention");
  }
}

void check_quota(const Context& context) {
  const auto& quota = context.desired().etcd.quota;
  const Node* at = context.fields.node("etcd.quota");
  constexpr std::uint64_t kMostUsual = std::uint64_t{8} << 30;
  if (!quota || at == nullptr || quota->bytes <= kMostUsual) return;
  context.findings
      .add(Code::W204, *at, "etcd.quota is " + base::to_string(*quota) + ", above the 8Gi that etcd is made for",
           "expected at most 8Gi", "etcd.quota")
      .help.push_back("a larger database makes restarts, snapshots and joins slow; compact and defragment first");
}

}  // namespace

void check_etcd(const Context& context) {
  check_version(context);
  check_image(context);
  check_timings(context);
  check_compaction(context);
  check_quota(context);
}

}  // namespace quorate::validate
