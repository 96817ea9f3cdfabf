// What all members were found to hold at one revision, after the cluster had come back from data of a lost one.
#pragma once

#include <cstdint>
#include <string>

namespace quorate::model {

struct DataCheck {
  std::int64_t revision = 0;
  bool same = false;
  std::string text;  // which member has which hash
  friend bool operator==(const DataCheck&, const DataCheck&) = default;
};

}  // namespace quorate::model
