// What went wrong with a backup, by where the fault lies: callers end or try again by that, never by a sentence.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "reconciler/base/result.h"

namespace quorate::backup {

enum class Trouble {
  Etcd,       // no member that could send a snapshot answered, or none sent a whole one
  Store,      // the store did not answer, or refused
  NoBackup,   // the store answered, and what was asked for is not in it
  BadBackup,  // it is there, and is not what was written
  Key,        // it is encrypted, and not with this key
  Local,      // where it was to go to: a disk that is full
  Refused,    // a rule says no
};

struct Failure {
  Trouble trouble = Trouble::Store;
  base::Error error;
};

template <class T>
using Outcome = tl::expected<T, Failure>;

inline tl::unexpected<Failure> failed(Trouble trouble, base::Error error) {
  return tl::unexpected<Failure>(Failure{trouble, std::move(error)});
}

// Bytes that have passed, and about how many there will be (0: nobody knows).
using Progress = std::function<void(std::uint64_t done, std::uint64_t of)>;

// Asked now and then by what takes long, and right before anything that others see: an error ends it. May be empty.
using MayGoOn = std::function<base::Result<void>()>;

inline Outcome<void> go_on(const MayGoOn& may_go_on) {
  if (!may_go_on) return {};
  auto may = may_go_on();
  if (!may) return failed(Trouble::Refused, std::move(may.error()));
  return {};
}

}  // namespace quorate::backup
