// What a member stands on: its folders, its disk, its program, its certificates.
#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "reconciler/adapters/system/certificate.h"
#include "reconciler/adapters/system/probes.h"
#include "reconciler/base/mebibytes.h"
#include "reconciler/base/path.h"
#include "reconciler/base/version.h"
#include "reconciler/cli/examine.h"
#include "reconciler/model/state_paths.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::Member;
using report::Examined;
using report::Finds;

constexpr int kOthers = 077;
constexpr int kWrites = 32;
constexpr std::chrono::microseconds kSlowDisk{10'000};   // etcd's own advice for its log
constexpr std::chrono::microseconds kDeadDisk{100'000};  // an election's worth
constexpr std::uint64_t kUsualQuota = std::uint64_t{2} << 30;
constexpr base::Duration kWarnBefore{std::chrono::hours{21 * 24}};

std::string octal(int mode) {
  std::array<char, 8> room{};
  std::snprintf(room.data(), room.size(), "%04o", static_cast<unsigned>(mode));
  return room.data();
}

std::string milliseconds(std::chrono::microseconds time) {
  std::array<char, 32> room{};
  std::snprintf(room.data(), room.size(), "%.1f ms", static_cast<double>(time.count()) / 1000.0);
  return room.data();
}

// The folder itself, or the first above it that is there: where it would be made.
std::string nearest_folder(std::string path) {
  while (path != "/") {
    const auto folder = adapters::system::look_at_folder(path);
    if (folder && *folder) return path;
    path = base::parent_path(path);
  }
  return path;
}

void examine_folder(const Member& member, const std::string& path, const std::string& what, Examination& examination) {
  const std::string named = what + " " + path;
  const auto folder = adapters::system::look_at_folder(path);
  if (!folder) {
    examination.push_back(
        {Finds::Fail, member.name, named + ": " + folder.error().message,
         folder.error().kind == base::ErrorKind::Refused ? "run doctor as root" : folder.error().help});
    return;
  }
  if (!*folder) {
    const auto above = adapters::system::look_at_folder(nearest_folder(path));
    const bool can = above && *above && (*above)->writable;
    examination.push_back({can ? Finds::Ok : Finds::Warn, member.name,
                           named + " is not there yet" + (can ? "" : ", and this user cannot make it"),
                           can ? "" : "agents run as root, or make it for their user"});
    return;
  }
  const adapters::system::Folder& found = **folder;
  const std::string state = named + " has mode " + octal(found.mode) + " and belongs to " + found.owner;
  if ((found.mode & kOthers) != 0) {
    examination.push_back({Finds::Warn, member.name, state, "chmod 0700 " + path + ": nobody else has business there"});
  } else if (!found.writable) {
    examination.push_back(
        {Finds::Warn, member.name, state + ", so this user cannot write there", "run doctor as the user of the agent"});
  } else {
    examination.push_back({Finds::Ok, member.name, state, ""});
  }
}

void examine_dates(const Member& member, const model::Certificate& certificate, base::Time now,
                   Examination& examination) {
  const std::string named = certificate.path + " (" + certificate.use + ")";
  if (certificate.not_before > now) {
    examination.push_back({Finds::Fail, member.name,
                           named + " is not valid before " + base::to_string(certificate.not_before),
                           "see the clock of this machine, or issue it again"});
  } else if (certificate.not_after <= now) {
    examination.push_back({Finds::Fail, member.name, named + " ended at " + base::to_string(certificate.not_after),
                           "issue it again: nobody accepts it any more"});
  } else {
    const base::Duration left = certificate.not_after - now;
    const bool soon = left < kWarnBefore;
    examination.push_back(
        {soon ? Finds::Warn : Finds::Ok, member.name,
         named + " ends in " + base::age_text(left) + ", at " + base::to_string(certificate.not_after),
         soon ? "issue it again before then" : ""});
  }
}

bool covers(const std::string& pattern, const std::string& host) {
  if (pattern == host) return true;
  const auto dot = host.find('.');
  return pattern.substr(0, 2) == "*." && dot != std::string::npos && pattern.substr(1) == host.substr(dot);
}

// `all`: each of the hosts must be named; else one of them is enough.
void examine_names(const Member& member, const std::string& path, const std::string& use,
                   const std::set<std::string>& hosts, bool all, Examination& examination) {
  const auto names = adapters::system::names_in_certificate(path);
  if (!names) return;  // that it cannot be read was said with its dates
  std::vector<std::string> missing;
  for (const std::string& host : hosts) {
    const auto covered = [&](const std::string& name) { return covers(name, host); };
    if (std::none_of(names->begin(), names->end(), covered)) missing.push_back(host);
  }
  if (missing.empty() || (!all && missing.size() < hosts.size())) {
    examination.push_back({Finds::Ok, member.name, path + " (" + use + ") names this member", ""});
    return;
  }
  examination.push_back({Finds::Fail, member.name,
                         path + " (" + use + ") does not name " + report::joined(missing, all ? "and" : "or") +
                             ", only " + (names->empty() ? "nobody" : report::joined(*names, "and")),
                         "issue it with these as subject alternative names, or others refuse it"});
}

void examine_key(const Member& member, const model::TlsFiles& files, ports::Node& node, Examination& examination) {
  const auto key = node.read_file(files.key);
  if (!key || !*key) {
    examination.push_back({Finds::Fail, member.name,
                           "the key " + files.key + (key ? " is not there" : ": " + key.error().message),
                           key ? "put it there with mode 0600" : "run doctor as the user of the agent"});
    return;
  }
  if (((*key)->mode & kOthers) != 0) {
    examination.push_back({Finds::Warn, member.name, "the key " + files.key + " has mode " + octal((*key)->mode),
                           "chmod 0600 " + files.key + ": whoever reads it is this member"});
  }
  const auto fits = adapters::system::key_fits(files.cert, files.key);
  if (fits && *fits) {
    examination.push_back({Finds::Ok, member.name, files.key + " is the key of " + files.cert, ""});
  } else {
    examination.push_back({Finds::Fail, member.name,
                           fits ? files.key + " is not the key of " + files.cert : fits.error().message,
                           "put the pair there that was made together"});
  }
}

struct Shown {
  const model::TlsFiles& files;
  std::string use;
  std::set<std::string> hosts;
  bool all = true;
};

void examine_files(const Member& member, const Shown& shown, ports::Node& node, base::Time now,
                   Examination& examination) {
  for (const auto& [path, use] :
       {std::pair{shown.files.cert, shown.use}, std::pair{shown.files.ca, std::string("ca")}}) {
    const auto certificate = node.certificate(path, use);
    if (!certificate) {
      examination.push_back({Finds::Fail, member.name, certificate.error().message, certificate.error().help});
      continue;
    }
    examine_dates(member, *certificate, now, examination);
  }
  examine_names(member, shown.files.cert, shown.use, shown.hosts, shown.all, examination);
  examine_key(member, shown.files, node, examination);
}

std::set<std::string> hosts_of(const std::vector<base::Url>& urls) {
  std::set<std::string> hosts;
  for (const base::Url& url : urls) hosts.insert(url.host);
  return hosts;
}

}  // namespace

void examine_folders(const model::Desired& desired, const Member& member, const std::string& state_dir,
                     Examination& examination) {
  examine_folder(member, model::member_folder(state_dir, desired.name, member.name), "the state directory",
                 examination);
  if (std::holds_alternative<model::KubernetesRuntime>(desired.runtime)) return;
  examine_folder(member, member.data_dir, "the data directory", examination);
  const auto folder = adapters::system::look_at_folder(member.data_dir);
  if (folder && *folder && (*folder)->mount_point) {
    examination.push_back({Finds::Fail, member.name, member.data_dir + " is a mount point, so it cannot be set aside",
                           "mount the disk one level higher and let storage.dir name a folder on it"});
  }
}

void examine_disk(const model::Desired& desired, const Member& member, ports::Node& node, Examination& examination) {
  const std::string folder = nearest_folder(member.wal_dir.empty() ? member.data_dir : member.wal_dir);
  const auto times = adapters::system::time_writes(folder, kWrites);
  if (!times || times->empty()) {
    examination.push_back({Finds::Warn, member.name,
                           "the disk of " + folder + " cannot be timed" + (times ? "" : ": " + times.error().message),
                           "run doctor as the user of the agent"});
  } else {
    const auto usual = (*times)[times->size() / 2];
    const auto slow = (*times)[times->size() * 9 / 10];
    const Finds finds = slow >= kDeadDisk ? Finds::Fail : slow >= kSlowDisk ? Finds::Warn : Finds::Ok;
    examination.push_back(
        {finds, member.name,
         "a write in " + folder + " is on disk after " + milliseconds(usual) + ", one in ten after " +
             milliseconds(slow) + " or more",
         finds == Finds::Ok ? "" : "etcd wants less than 10 ms, or leaders are lost: give it a disk of its own"});
  }
  const auto space = node.disk_space(folder);
  if (!space) return;
  const std::uint64_t quota = desired.etcd.quota ? desired.etcd.quota->bytes : kUsualQuota;
  const bool tight = space->free_bytes < quota;
  examination.push_back(
      {tight ? Finds::Warn : Finds::Ok, member.name,
       base::mebibytes(space->free_bytes) + " of " + base::mebibytes(space->total_bytes) + " are free in " + folder,
       tight ? "the database alone may grow to " + base::mebibytes(quota) : ""});
}

void examine_tls(const model::Desired& desired, const Member& member, ports::Node& node, base::Time now,
                 Examination& examination) {
  const model::Tls& tls = desired.tls;
  const bool in_pod = std::holds_alternative<model::KubernetesRuntime>(desired.runtime);
  if (in_pod) return;
  if (tls.mode != model::TlsMode::Off) {
    examine_files(member, {tls.client, "client", hosts_of(member.client_urls)}, node, now, examination);
    examine_files(member, {tls.peer, "peer", hosts_of(member.peer_urls)}, node, now, examination);
  }
  if (tls.agent.cert.empty()) return;
  examine_files(member, {tls.agent, "agent", {member.address, member.name}, false}, node, now, examination);
}

void examine_binary(const model::Desired& desired, const Member& member, ports::Node& node, Examination& examination) {
  if (!std::holds_alternative<model::ProcessRuntime>(desired.runtime) &&
      !std::holds_alternative<model::SystemdRuntime>(desired.runtime)) {
    return;
  }
  const auto binary = node.binary(desired.etcd.binary);
  if (!binary) {
    examination.push_back(
        {Finds::Fail, member.name, binary.error().message, "install etcd, or name the program with etcd.binary"});
    return;
  }
  const std::string found = binary->path + " is etcd " + binary->version;
  const auto have = base::parse_version(binary->version.substr(0, binary->version.find_first_of("-+")));
  const auto& want = desired.etcd.version;
  const bool fits = !want || (have && have->minor == want->minor && (!want->patch || have->patch == want->patch));
  examination.push_back({fits ? Finds::Ok : Finds::Fail, member.name,
                         found + (fits ? "" : ", and the file wants " + base::to_string(*want)),
                         fits ? "" : "install that release, or change etcd.version or etcd.binary"});
}

}  // namespace quorate::cli
