// From the newest to the oldest, one rule after the other; whatever one of them keeps, stays.
#include "reconciler/model/backup_keep.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace quorate::model {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::sys_days;

struct Candidate {
  std::size_t at = 0;  // in the list
  base::Time time{};
};

std::int64_t hour_of(base::Time time) {
  return floor<std::chrono::hours>(time.time_since_epoch()).count();
}

std::int64_t day_of(base::Time time) {
  return floor<days>(time.time_since_epoch()).count();
}

std::int64_t week_of(base::Time time) {
  constexpr std::int64_t kToMonday = 3;  // the epoch was a Thursday
  const std::int64_t day = day_of(time) + kToMonday;
  return day >= 0 ? day / 7 : (day - 6) / 7;
}

std::int64_t month_of(base::Time time) {
  const std::chrono::year_month_day date{sys_days{floor<days>(time.time_since_epoch())}};
  return std::int64_t{static_cast<int>(date.year())} * 12 + static_cast<unsigned>(date.month());
}

std::string pin_words(const BackupPin& pin) {
  return pin.reason.empty() ? "pinned" : "pinned: " + pin.reason;
}

// Why the policy has nothing to say about it; empty: it has.
std::string left_alone(const StoredBackup& backup, base::ClusterId own) {
  if (backup.raw) return "a raw snapshot, of " + backup.raw->of;
  if (!backup.parsed) return "its name is not one of a backup";
  if (!backup.problem.empty()) return backup.problem;
  if (!backup.facts) return "made by another tool";
  if (backup.facts->cluster != own) return "of cluster " + base::to_string(backup.facts->cluster);
  return {};
}

bool is_damaged(const StoredBackup& backup) {
  return backup.verified && !backup.verified->fine;
}

bool begins_with(const std::string& text, const std::string& beginning) {
  return !beginning.empty() && text.compare(0, beginning.size(), beginning) == 0;
}

class Rules {
 public:
  Rules(const std::vector<StoredBackup>& backups, std::vector<Fate>& fates, const BackupOwner& owner)
      : backups_(backups), fates_(fates), owner_(owner) {
    for (std::size_t at = 0; at < backups.size(); ++at) {
      const std::string why = left_alone(backups[at], owner.cluster);
      fates_[at].ours = why.empty();
      if (!why.empty()) {
        fates_[at].why.push_back(why);
      } else if (is_ahead(backups[at].parsed->at, owner.now)) {
        fates_[at].why.emplace_back("dated in the future");
      } else {
        newest_first_.push_back({at, backups[at].parsed->at});
      }
    }
    std::stable_sort(newest_first_.begin(), newest_first_.end(),
                     [&](const Candidate& a, const Candidate& b) { return is_older(backups[b.at], backups[a.at]); });
    std::copy_if(newest_first_.begin(), newest_first_.end(), std::back_inserter(good_),
                 [&](const Candidate& each) { return !is_damaged(backups[each.at]); });
  }

  void last(int count) {
    const std::size_t most = std::min(good_.size(), static_cast<std::size_t>(std::max(count, 0)));
    for (std::size_t each = 0; each < most; ++each) {
      keep(good_[each], "last " + std::to_string(each + 1) + "/" + std::to_string(count));
    }
    const Candidate* end = good_.size() > most && most > 0 ? &good_[most - 1] : nullptr;
    keep_damaged_until(end, count, "beside the last " + std::to_string(count));
  }

  void period(int count, const char* word, std::int64_t (*number_of)(base::Time)) {
    std::optional<std::int64_t> before;
    int kept = 0;
    for (const Candidate& each : good_) {
      if (kept == count) return;
      const std::int64_t number = number_of(each.time);
      if (before && *before == number) continue;
      before = number;
      keep(each, std::string(word) + " " + std::to_string(++kept));
    }
  }

  void within(base::Duration span) {
    if (span.count() <= 0 || newest_first_.empty()) return;
    const base::Time newest = (good_.empty() ? newest_first_ : good_).front().time;
    for (const Candidate& each : newest_first_) {
      if (newest - each.time <= span) keep(each, "within " + base::to_string(span));
    }
  }

  // What no policy may take away.
  void always() {
    if (!newest_first_.empty()) keep(newest_first_.front(), "the newest");
    if (!good_.empty() && good_.front().at != newest_first_.front().at)
      keep(good_.front(), "the newest that may be whole");
    const auto verified = std::find_if(good_.begin(), good_.end(),
                                       [&](const Candidate& each) { return backups_[each.at].verified.has_value(); });
    if (verified != good_.end()) keep(*verified, "the newest that is verified");
    for (const Candidate& each : newest_first_) {
      const StoredBackup& backup = backups_[each.at];
      if (backup.pin) keep(each, pin_words(*backup.pin));
      const bool is_needed = std::any_of(owner_.needed.begin(), owner_.needed.end(), [&](const std::string& name) {
        return begins_with(backup.name, name) || backup.folder == name;
      });
      if (is_needed) keep(each, "a restore names it");
    }
  }

  void decide(bool removes) {
    for (const Candidate& each : newest_first_) fates_[each.at].removed = removes && fates_[each.at].why.empty();
  }

 private:
  void keep(const Candidate& which, std::string why) { fates_[which.at].why.push_back(std::move(why)); }

  // What was found there may be wanted by somebody.
  void keep_damaged_until(const Candidate* oldest, int most, const std::string& why) {
    for (const Candidate& each : newest_first_) {
      if (most <= 0 || (oldest != nullptr && each.at == oldest->at)) return;
      if (!is_damaged(backups_[each.at])) continue;
      keep(each, why);
      --most;
    }
  }

  const std::vector<StoredBackup>& backups_;
  std::vector<Fate>& fates_;
  const BackupOwner& owner_;
  std::vector<Candidate> newest_first_;
  std::vector<Candidate> good_;  // of them: not found to be damaged
};

}  // namespace

std::vector<Fate> fates(const std::vector<StoredBackup>& backups, const KeepPolicy& policy, const BackupOwner& owner) {
  std::vector<Fate> fates(backups.size());
  Rules rules(backups, fates, owner);
  rules.last(policy.last);
  rules.period(policy.hourly, "hour", hour_of);
  rules.period(policy.daily, "day", day_of);
  rules.period(policy.weekly, "week", week_of);
  rules.period(policy.monthly, "month", month_of);
  rules.within(policy.within);
  rules.always();
  rules.decide(!policy.empty());
  return fates;
}

}  // namespace quorate::model
