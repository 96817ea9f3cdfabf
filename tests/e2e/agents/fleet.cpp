// Files, processes and questions to etcd; what took place is told when a test fails.
#include "tests/e2e/agents/fleet.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <signal.h>

#include "tests/e2e/agents/leftovers.h"

namespace quorate::e2e {
namespace {

constexpr base::Duration kWithin{1500};
constexpr int kSeats = 6;
constexpr std::size_t kMostOfLog = 20000;

std::string tail(const std::string& text) {
  return text.size() <= kMostOfLog ? text : "..." + text.substr(text.size() - kMostOfLog);
}

int number_of(const std::string& member) {
  return member.front() - 'a' + 1;
}

bool runs(int pid, const std::string& piece) {
  if (pid <= 0) return false;
  std::error_code gone;
  const std::string folder = "/proc/" + std::to_string(pid);
  if (!std::filesystem::exists(folder, gone)) return false;
  try {
    return integration::read_file(folder + "/cmdline").find(piece) != std::string::npos;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

Fleet::Fleet(std::string release)
    : release_(std::move(release)),
      sweeper_(folder_.path()),
      file_(folder_ / "quorate.yaml"),
      client_port_(integration::free_port(kSeats)),
      peer_port_(integration::free_port(kSeats)),
      agent_port_(integration::free_port(kSeats)) {
  connect({});
}

void Fleet::connect(const etcd_grpc::Access& access) {
  auto client = etcd_grpc::connect(access);
  if (!client) throw std::runtime_error(client.error().message);
  etcd_ = std::move(*client);
}

void Fleet::secure(const etcd_grpc::Access& access) {
  scheme_ = "https";
  connect(access);
}

Fleet::~Fleet() {
  if (testing::Test::HasFailure()) {
    for (const auto& [member, agent] : agents_) {
      std::cerr << "--- agent of " << member << "\n" << tail(log(member)) << "--- its plan\n";
      std::cerr << quorate({"plan", "-q", "-f", file_, "--state-dir", state_dir(member)}).output;
    }
    std::cerr << "--- journals\n";
    for (const auto& entry : journals()) {
      std::cerr << entry.member << " " << model::name_of(entry.event) << " " << entry.step << " " << entry.text << "\n";
    }
    std::cerr << "--- " << file_ << "\n" << integration::read_file(file_) << std::flush;
  }
  agents_.clear();
  expect_nothing_left();
}

// Agents take down with them all they have started but members; the sweeper would hide it when they did not.
void Fleet::expect_nothing_left() const {
  Names left;
  const bool nothing = eventually(
      [&] {
        if (kill_members(folder())) return false;
        left = leftovers_of(folder());
        return left.empty();
      },
      Seconds{10});
  if (nothing) return;
  for (const std::string& each : left) ADD_FAILURE() << "left behind: " << each;
}

std::string Fleet::text(const Names& members, const Wording& wording) const {
  std::string text = "apiVersion: quorate/v1\nname: fleet\nmembers:\n";
  for (const std::string& name : members) {
    const auto more = wording.member.find(name);
    text += "  " + name + ": {address: " + address(name) + (more == wording.member.end() ? "" : ", " + more->second) +
            "}\n";
  }
  text += "network: {ports: {client: " + std::to_string(client_port_) + ", peer: " + std::to_string(peer_port_) +
          ", agent: " + std::to_string(agent_port_) + "}}\n";
  text += "storage: {dir: " + (folder_ / "data") + "}\ntls: {" + wording.tls + "}\n";
  text += "etcd: {version: \"" + release_ +
          "\", binary: " + (wording.binary.empty() ? integration::etcd_program(release_) : wording.binary) +
          (wording.etcd.empty() ? "" : ", " + wording.etcd) + "}\n";
  text += "runtime: {type: process, stopTimeout: 5s}\n";
  text += "reconcile: {" + wording.reconcile + "}\nrollout: {" + wording.rollout + "}\n";
  if (wording.create) text += "bootstrap: {ifNoCluster: new}\n";
  return text + wording.more;
}

void Fleet::replace_file(const std::string& text) {
  integration::write_file(file_ + ".new", text);
  std::filesystem::rename(file_ + ".new", file_);
}

void Fleet::overwrite_file(const std::string& text) {
  integration::write_file(file_, text);
}

void Fleet::move(const std::string& member, std::string address, Names prefix) {
  places_[member] = {std::move(address), std::move(prefix)};
}

void Fleet::move_agents() {
  agent_port_ = integration::free_port(kSeats);
}

void Fleet::start(const std::string& member) {
  const auto place = places_.find(member);
  const auto own = own_files_.find(member);
  Names command = place == places_.end() ? Names{} : place->second.prefix;
  for (const std::string& word :
       Names{QUORATE_BINARY, "agent", "--member", member, "--state-dir", state_dir(member), "--agent", socket(member),
             "-f", own == own_files_.end() ? file_ : own->second}) {
    command.push_back(word);
  }
  command.insert(command.end(), words_[member].begin(), words_[member].end());
  agents_[member] = std::make_unique<integration::Process>(integration::Command{std::move(command), variables_});
}

void Fleet::start(const Names& members) {
  for (const std::string& member : members) start(member);
}

void Fleet::kill(const std::string& member) {
  agent(member).kill();
  said_before_[member] = log(member);
}

void Fleet::kill(const Names& members) {
  for (const std::string& member : members) kill(member);
}

bool Fleet::agent_said(const std::string& member, const std::string& piece, Seconds patience) {
  return agent(member).wait_for_line([&](const std::string& line) { return line.find(piece) != std::string::npos; },
                                     patience);
}

std::string Fleet::log(const std::string& member) const {
  const auto before = said_before_.find(member);
  std::string text = before == said_before_.end() ? "" : before->second + "--- again\n";
  const auto agent = agents_.find(member);
  if (agent == agents_.end()) return text;
  for (const std::string& line : agent->second->lines()) {
    if (line.find("\"level\":\"info\"") == std::string::npos) text += line.substr(0, 300) + "\n";
  }
  return text;
}

int Fleet::etcd_pid(const std::string& member) const {
  const std::string path = memory_folder(member) + "/run/" + member + ".pid";
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return 0;
  const Json file = Json::parse(integration::read_file(path), nullptr, false);
  const int pid = file.is_object() ? file.value("pid", 0) : 0;
  return runs(pid, config(member)) ? pid : 0;
}

void Fleet::signal_etcd(const std::string& member, int signal) {
  const int pid = etcd_pid(member);
  if (pid == 0) throw std::runtime_error("no etcd of " + member + " runs");
  ::kill(pid, signal);
}

void Fleet::kill_etcd(const std::string& member) {
  const int pid = etcd_pid(member);
  if (pid == 0) return;
  ::kill(pid, SIGKILL);
  if (!eventually([&] { return !runs(pid, config(member)); })) throw std::runtime_error(member + " does not die");
}

void Fleet::wipe(const std::string& member) {
  for (const auto& entry : std::filesystem::directory_iterator(data_dir(member))) {
    std::filesystem::remove_all(entry.path());
  }
}

void Fleet::lose_disks(const Names& members) {
  for (const std::string& member : members) pause(member);
  for (const std::string& member : members) {
    kill_etcd(member);
    wipe(member);
  }
  for (const std::string& member : members) resume(member);
}

void Fleet::lose_node(const std::string& member) {
  kill(member);
  kill_etcd(member);
  std::filesystem::remove_all(data_dir(member));
  std::filesystem::remove_all(state_dir(member));
}

std::string Fleet::address(const std::string& member) const {
  const auto place = places_.find(member);
  return place == places_.end() ? integration::own_address(number_of(member)) : place->second.address;
}

std::string Fleet::client_url(const std::string& member) const {
  return scheme_ + "://" + address(member) + ":" + std::to_string(client_port_);
}

std::string Fleet::peer_url(const std::string& member) const {
  return scheme_ + "://" + address(member) + ":" + std::to_string(peer_port_);
}

std::vector<std::string> Fleet::client_urls(const Names& members) const {
  std::vector<std::string> urls;
  for (const std::string& member : members) urls.push_back(client_url(member));
  return urls;
}

Names Fleet::set_aside(const std::string& member) const {
  Names names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "data", none)) {
    const std::string name = entry.path().filename().string();
    if (name.compare(0, member.size() + 7, member + ".aside-") == 0) names.push_back(name);
  }
  return names;
}

std::optional<ports::MemberList> Fleet::list() {
  for (int number = 0; number < kSeats; ++number) {
    const std::string member(1, static_cast<char>('a' + number));
    if (etcd_pid(member) == 0) continue;
    // etcd 3.4 answers from its own memory: a read through the quorum first.
    if (!etcd_->get(client_url(member), "any", ports::Consistency::Linearizable, kWithin)) continue;
    auto list = etcd_->member_list(client_url(member), ports::Consistency::Linearizable, kWithin);
    if (list) return *std::move(list);
  }
  return std::nullopt;
}

base::MemberId Fleet::id_of(const std::string& member) {
  const auto status = etcd_->status(client_url(member), kWithin);
  return status ? status->from.member : base::MemberId{};
}

base::ClusterId Fleet::cluster_of(const std::string& member) {
  const auto status = etcd_->status(client_url(member), kWithin);
  return status ? status->from.cluster : base::ClusterId{};
}

std::string Fleet::leader() {
  for (int number = 0; number < kSeats; ++number) {
    const std::string member(1, static_cast<char>('a' + number));
    if (etcd_pid(member) == 0) continue;
    const auto status = etcd_->status(client_url(member), kWithin);
    if (status && status->status.leader.value != 0 && status->status.leader == status->from.member) return member;
  }
  return {};
}

std::string Fleet::serving() {
  for (int number = 0; number < kSeats; ++number) {
    const std::string member(1, static_cast<char>('a' + number));
    if (etcd_pid(member) == 0) continue;
    if (etcd_->get(client_url(member), "any", ports::Consistency::Linearizable, kWithin)) return member;
  }
  return {};
}

bool Fleet::are_voters(const Names& members) {
  std::set<std::uint64_t> clusters;
  for (const std::string& member : members) {
    if (!etcd_->get(client_url(member), "any", ports::Consistency::Linearizable, kWithin)) return false;
    const auto list = etcd_->member_list(client_url(member), ports::Consistency::Linearizable, kWithin);
    if (!list) return false;
    clusters.insert(list->from.cluster.value);
    Names voters;
    for (const model::ListedMember& each : list->members) {
      if (each.learner) return false;
      voters.push_back(each.name);
    }
    std::sort(voters.begin(), voters.end());
    if (voters != members) return false;
  }
  return clusters.size() == 1;
}

bool Fleet::put(const std::string& key, const std::string& value, Seconds patience) {
  bool done = false;
  eventually(
      [&] {
        const std::string member = serving();
        if (member.empty()) return false;
        const auto put = etcd_->put(client_url(member), key, value, kWithin);
        done = put.has_value();
        return done ||
               (put.error().kind != base::ErrorKind::Transient && put.error().kind != base::ErrorKind::Ambiguous);
      },
      patience);
  return done;
}

// No answer is not the answer that there is nothing.
bool Fleet::fill_up(const std::function<std::string(int)>& key_of, const std::string& value) {
  for (int number = 0; number < 3000; ++number) {
    const auto done = etcd().put(client_url("a"), key_of(number), value, kAnswer);
    if (!done && done.error().message.find("NOSPACE") != std::string::npos) return true;
  }
  return false;
}

std::string Fleet::get(const std::string& key, Seconds patience) {
  std::string value = "no answer";
  eventually(
      [&] {
        const std::string member = serving();
        if (member.empty()) return false;
        const auto there = etcd_->get(client_url(member), key, ports::Consistency::Linearizable, kWithin);
        if (there) value = *there ? (*there)->value : "nothing";
        return there.has_value();
      },
      patience);
  return value;
}

bool Fleet::eventually(const std::function<bool()>& wanted, Seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!wanted()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(base::Duration{50});  // between two looks at something that has no event
  }
  return true;
}

bool Fleet::become_voters(const Names& members, Seconds patience) {
  return eventually([&] { return are_voters(members); }, patience);
}

bool Fleet::settle(const std::string& member, Seconds patience) {
  return eventually(
      [&] {
        const auto ended = quorate({"wait", "--for", "synced", "--timeout", "10s", "--agent", socket(member)});
        return ended.exit_code == 0;
      },
      patience);
}

void Fleet::form(const Names& members, const Wording& wording) {
  want(members, wording);
  start(members);
  if (!become_voters(members, kFormed) || !settle(members.front())) throw std::runtime_error("no cluster is formed");
}

void Fleet::lead(const std::string& member) {
  const bool led = eventually([&] {
    const std::string now = leader();
    if (now == member) return true;
    if (!now.empty()) (void)etcd_->move_leader(client_url(now), id_of(member), kWithin);
    return false;
  });
  if (!led) throw std::runtime_error(member + " does not lead");
}

integration::Ended Fleet::quorate(const Names& arguments) const {
  Names all{QUORATE_BINARY};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return integration::run({all, variables_});
}

Json Fleet::plan(const std::string& member) const {
  return Json::parse(quorate({"plan", "-q", "-o", "json", "-f", file_, "--state-dir", state_dir(member)}).output,
                     nullptr, false);
}

bool Fleet::plans(const std::string& member, const std::string& status, const std::string& notice,
                  Seconds patience) const {
  Json last;
  const bool so = eventually(
      [&] {
        last = plan(member);
        return last.is_object() && last.value("status", "") == status && last.dump().find(notice) != std::string::npos;
      },
      patience);
  if (!so)
    std::cerr << "the plan of " << member << " is not " << status << ", " << notice << ": " << last.dump(1) << "\n";
  return so;
}

bool Fleet::approve(const std::string& member, const std::string& step) {
  const auto ended = quorate({"approve", step, "-f", file_, "--agent", socket(member), "--by", "a test"});
  if (ended.exit_code != 0) std::cerr << "approve " << step << ": " << ended.errors;
  return ended.exit_code == 0;
}

std::vector<model::JournalEntry> Fleet::journal(const std::string& member) const {
  std::vector<model::JournalEntry> entries;
  const std::string path = memory_folder(member) + "/journal";
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return entries;
  std::istringstream lines(integration::read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (const auto entry = model::read_journal_line(line, path)) entries.push_back(*entry);
  }
  return entries;
}

std::vector<model::JournalEntry> Fleet::journals() const {
  std::vector<model::JournalEntry> all;
  for (int number = 0; number < kSeats; ++number) {
    const auto entries = journal(std::string(1, static_cast<char>('a' + number)));
    all.insert(all.end(), entries.begin(), entries.end());
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return all;
}

Names Fleet::steps(model::JournalEvent event, const std::string& start_of_id) const {
  Names steps;
  for (const model::JournalEntry& entry : journals()) {
    if (entry.plan.empty()) continue;  // what an agent does to its own member is no step
    if (entry.event == event && entry.step.compare(0, start_of_id.size(), start_of_id) == 0)
      steps.push_back(entry.step);
  }
  return steps;
}

Names Fleet::steps_done(const std::string& start_of_id) const {
  return steps(model::JournalEvent::Done, start_of_id);
}

Names Fleet::steps_begun(const std::string& start_of_id) const {
  return steps(model::JournalEvent::Intent, start_of_id);
}

std::size_t Fleet::journal_size(const std::string& member) const {
  std::error_code none;
  const auto size = std::filesystem::file_size(memory_folder(member) + "/journal", none);
  return none ? 0 : static_cast<std::size_t>(size);
}

void expect_nothing_lost(Fleet& fleet, truth::Writer& writer) {
  writer.stop();
  const std::string member = fleet.serving();
  ASSERT_FALSE(member.empty()) << "nobody serves";
  const auto kept = fleet.etcd().get_all(fleet.client_url(member), "written/", ports::Consistency::Linearizable,
                                         base::Duration{10000});
  ASSERT_TRUE(kept) << kept.error().message;
  std::map<std::string, std::string> there;
  for (const ports::KeyValue& each : *kept) there[each.key] = each.value;
  for (const auto& [key, value] : writer.acknowledged()) EXPECT_EQ(there[key], value) << key << " was acknowledged";
}

void expect_one_content(Fleet& fleet, const Names& members) {
  constexpr base::Duration kLong{5000};
  ASSERT_TRUE(Fleet::eventually(
      [&] { return fleet.etcd().put(fleet.client_url(members.front()), "after", "all", kLong).has_value(); }));
  std::set<std::uint32_t> hashes;
  for (const std::string& member : members) {
    const std::string url = fleet.client_url(member);
    // Through the quorum, so that this member has got as far.
    const auto there = fleet.etcd().get(url, "after", ports::Consistency::Linearizable, kLong);
    ASSERT_TRUE(there && *there) << member;
    const auto hash = fleet.etcd().hash_kv(url, (*there)->mod_revision, kLong);
    ASSERT_TRUE(hash) << member << ": " << hash.error().message;
    hashes.insert(hash->hash);
  }
  EXPECT_EQ(hashes.size(), 1U);
}

}  // namespace quorate::e2e
