// One key for each write, tried again until it is acknowledged.
#include "tests/truth/writer.h"

#include <algorithm>
#include <stdexcept>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"

namespace quorate::truth {
namespace {

constexpr base::Duration kWithin{500};
constexpr std::chrono::milliseconds kBeforeTheNextTry{20};

}  // namespace

Writer::Writer(std::vector<std::string> endpoints) : endpoints_(std::move(endpoints)) {
  auto client = etcd_grpc::connect({});
  if (!client) throw std::runtime_error(client.error().message);
  etcd_ = std::move(*client);
  served_.push_back(std::chrono::steady_clock::now());
  thread_ = std::thread([this] { run(); });
}

void Writer::aim(std::vector<std::string> endpoints) {
  const std::lock_guard lock(mutex_);
  endpoints_ = std::move(endpoints);
}

void Writer::stop() {
  over_ = true;
  if (!thread_.joinable()) return;
  thread_.join();
  const std::lock_guard lock(mutex_);
  served_.push_back(std::chrono::steady_clock::now());
}

std::vector<std::string> Writer::endpoints() const {
  const std::lock_guard lock(mutex_);
  return endpoints_;
}

void Writer::run() {
  for (int number = 1; !over_; ++number) {
    const Moment next = std::chrono::steady_clock::now() + kPeriod;
    const std::string key = "written/" + std::to_string(number);
    while (!over_ && !write(key, std::to_string(number))) std::this_thread::sleep_for(kBeforeTheNextTry);
    std::this_thread::sleep_until(next);
  }
}

bool Writer::write(const std::string& key, const std::string& value) {
  for (const std::string& endpoint : endpoints()) {
    const auto put = etcd_->put(endpoint, key, value, kWithin);
    const bool full = !put && put.error().message.find("NOSPACE") != std::string::npos;
    if (!put && !(full && etcd_->get(endpoint, key, ports::Consistency::Linearizable, kWithin))) continue;
    const std::lock_guard lock(mutex_);
    served_.push_back(std::chrono::steady_clock::now());
    if (put) acknowledged_.emplace_back(key, value);
    // The next write begins where this one was taken.
    const auto here = std::find(endpoints_.begin(), endpoints_.end(), endpoint);
    if (here != endpoints_.end()) std::rotate(endpoints_.begin(), here, endpoints_.end());
    return true;
  }
  return false;
}

std::vector<Writer::Gap> Writer::gaps_over(std::chrono::milliseconds bound) const {
  const std::lock_guard lock(mutex_);
  std::vector<Gap> gaps;
  for (std::size_t i = 1; i < served_.size(); ++i) {
    if (served_[i] - served_[i - 1] > bound) gaps.push_back({served_[i - 1], served_[i]});
  }
  return gaps;
}

std::chrono::milliseconds Writer::longest_gap() const {
  const std::lock_guard lock(mutex_);
  Moment::duration longest{0};
  for (std::size_t i = 1; i < served_.size(); ++i) longest = std::max(longest, served_[i] - served_[i - 1]);
  return std::chrono::duration_cast<std::chrono::milliseconds>(longest);
}

std::vector<std::pair<std::string, std::string>> Writer::acknowledged() const {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

}  // namespace quorate::truth
