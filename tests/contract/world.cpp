// Both kinds of worlds behind one face.
#include "tests/contract/world.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <thread>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "tests/contract/local_etcd.h"
#include "tests/fakes/fake_etcd.h"

namespace quorate::contract {
namespace {

class Fake final : public World {
 public:
  Fake(const base::Version& version, int founders)
      : version_(version), etcd_(clock_, version, std::vector<fakes::Seat>(seats_.begin(), seats_.begin() + founders)) {
    etcd_.limit(kQuota);
  }

  ports::EtcdAdmin& etcd() override { return etcd_; }
  base::Version version() const override { return version_; }
  std::string endpoint(int seat) const override { return at(seat).client_url; }
  std::string peer_url(int seat) const override { return at(seat).peer_url; }
  void kill(int seat) override { etcd_.stop(at(seat).name); }
  void start_again(int seat) override { etcd_.start(at(seat).name); }
  void hang(int seat) override { etcd_.hang(at(seat).name); }
  void resume(int seat) override { etcd_.resume(at(seat).name); }
  void join(int seat) override { etcd_.join(at(seat), version_); }
  Duration now() override { return clock_.now().time_since_epoch(); }

  bool eventually(const std::function<bool()>& wanted, Duration patience) override {
    const base::Time end = clock_.now() + patience;
    while (!wanted()) {
      if (clock_.now() >= end) return false;
      clock_.advance(Duration(50));
    }
    return true;
  }

 private:
  static std::vector<fakes::Seat> make_seats() {
    std::vector<fakes::Seat> seats;
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
      const std::string host = std::string("http://") + name + ".test:";
      seats.push_back({name, host + "2380", host + "2379"});
    }
    return seats;
  }
  const fakes::Seat& at(int seat) const { return seats_.at(static_cast<std::size_t>(seat)); }

  std::vector<fakes::Seat> seats_ = make_seats();
  base::Version version_;
  fakes::FakeClock clock_;
  fakes::FakeEtcd etcd_;
};

class Real final : public World {
 public:
  Real(const std::string& release, int founders) : version_(base::parse_version(release).value()), local_(release) {
    for (int seat = 0; seat < 6; ++seat) local_.add_seat();
    local_.found(founders);
    auto client = etcd_grpc::connect({});
    if (!client) throw std::runtime_error(client.error().message);
    client_ = std::move(*client);
    for (int seat = 0; seat < founders; ++seat) {
      if (!eventually([&] { return leads_somewhere(seat); }, Duration(20000)))
        throw std::runtime_error(local_.log(seat));
    }
  }

  ports::EtcdAdmin& etcd() override { return *client_; }
  base::Version version() const override { return version_; }
  std::string endpoint(int seat) const override { return local_.client_url(seat); }
  std::string peer_url(int seat) const override { return local_.peer_url(seat); }
  void kill(int seat) override { local_.kill(seat); }
  void start_again(int seat) override { local_.start_again(seat); }
  void hang(int seat) override { local_.pause(seat); }
  void resume(int seat) override { local_.resume(seat); }
  void join(int seat) override {
    for (int other = 0; other < 6; ++other) {
      const auto list = client_->member_list(endpoint(other), ports::Consistency::Serializable, Duration(1000));
      if (list) return local_.join(seat, list->members);
    }
  }
  Duration now() override {
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
  }

  bool eventually(const std::function<bool()>& wanted, Duration patience) override {
    const Duration end = now() + patience;
    while (!wanted()) {
      if (now() >= end) return false;
      std::this_thread::sleep_for(Duration(25));  // between two looks at something that has no event
    }
    return true;
  }

 private:
  bool leads_somewhere(int seat) {
    const auto answer = client_->status(endpoint(seat), Duration(1000));
    return answer && answer->status.leader.value != 0;
  }

  base::Version version_;
  LocalEtcd local_;
  std::unique_ptr<ports::EtcdAdmin> client_;
};

std::string deps() {
  const char* chosen = std::getenv("QUORATE_DEPS_DIR");
  return chosen != nullptr ? chosen : QUORATE_DEPS_DIR;
}

}  // namespace

std::unique_ptr<World> make_world(const std::string& kind, int founders) {
  constexpr std::string_view kFake = "fake-";
  if (kind.rfind(kFake, 0) == 0) {
    return std::make_unique<Fake>(base::parse_version(kind.substr(kFake.size())).value(), founders);
  }
  return std::make_unique<Real>(kind, founders);
}

std::string newest_release() {
  std::string newest;
  int best = 29;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(deps(), none)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kPrefix = "etcd-3.5.";
    const auto version = name.rfind(kPrefix, 0) == 0 ? base::parse_version(name.substr(5)) : std::nullopt;
    if (!version || version->patch.value_or(0) <= best || !std::filesystem::exists(entry.path() / "usr/bin/etcd"))
      continue;
    best = *version->patch;
    newest = name.substr(5);
  }
  return newest;
}

std::string why_no_newest() {
  std::ifstream note(deps() + "/etcd-newest.missing");
  std::string line;
  return std::getline(note, line) ? line : "ci/setup has not run";
}

}  // namespace quorate::contract
