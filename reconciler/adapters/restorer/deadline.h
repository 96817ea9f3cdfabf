// A moment after which a job is given up.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::adapters::restorer {

class Deadline {
 public:
  explicit Deadline(base::Duration within) : within_(within), end_(std::chrono::steady_clock::now() + within) {}

  base::Duration left() const {
    const auto left = std::chrono::duration_cast<base::Duration>(end_ - std::chrono::steady_clock::now());
    return std::max(left, base::Duration(0));
  }
  base::Duration left(base::Duration at_most) const { return std::min(left(), at_most); }
  bool over() const { return left() == base::Duration(0); }

  // `what` as in "the copy of /var/lib/etcd".
  tl::unexpected<base::Error> missed(const std::string& what) const {
    return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                      what + " was given up after " + base::to_string(within_),
                                      "give it more time, or a quicker disk"});
  }

 private:
  base::Duration within_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace quorate::adapters::restorer
