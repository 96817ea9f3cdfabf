// A moment after which a job is given up; sooner where whoever wants it ends.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::adapters::restorer {

class Deadline {
 public:
  explicit Deadline(base::Duration within, std::function<bool()> ends = {})
      : within_(within), end_(std::chrono::steady_clock::now() + within), ends_(std::move(ends)) {}

  base::Duration left() const {
    if (is_taken_back()) return base::Duration(0);
    const auto left = std::chrono::duration_cast<base::Duration>(end_ - std::chrono::steady_clock::now());
    return std::max(left, base::Duration(0));
  }
  base::Duration left(base::Duration at_most) const { return std::min(left(), at_most); }
  bool over() const { return left() == base::Duration(0); }
  bool is_taken_back() const { return ends_ && ends_(); }

  // `what` as in "the copy of /var/lib/etcd".
  tl::unexpected<base::Error> missed(const std::string& what) const {
    if (is_taken_back()) {
      return tl::unexpected(base::Error{base::ErrorKind::Conflict, what + " was given up: the agent ends", ""});
    }
    return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                      what + " was given up after " + base::to_string(within_),
                                      "give it more time, or a quicker disk"});
  }

 private:
  base::Duration within_;
  std::chrono::steady_clock::time_point end_;
  std::function<bool()> ends_;
};

}  // namespace quorate::adapters::restorer
