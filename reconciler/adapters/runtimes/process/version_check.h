// Is a program the release that is wanted? It is asked once, and again when the file has changed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "reconciler/base/result.h"

namespace quorate::adapters::process {

class VersionCheck {
 public:
  using Asked = std::function<base::Result<std::string>(const std::string& program)>;
  explicit VersionCheck(Asked version_of) : version_of_(std::move(version_of)) {}

  // `wanted`: "3.5.21" or "3.5"; empty: any. Refused when it is another one.
  base::Result<void> check(const std::string& program, const std::string& wanted);
  bool found_another() const { return found_another_; }  // the last check did

 private:
  struct Mark {
    std::uint64_t device = 0;
    std::uint64_t file = 0;
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;
    std::string wanted;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  Asked version_of_;
  std::optional<Mark> right_;
  bool found_another_ = false;
};

}  // namespace quorate::adapters::process
