// A data directory of etcd as its files tell it, whether or not an etcd is running on it.
#pragma once

#include <string>

#include "reconciler/base/result.h"
#include "reconciler/model/observed.h"

namespace quorate::adapters::system {

// `wal`: the directory of etcd's --wal-dir; empty: inside `data`. The answer is Fresh, Empty, Valid or Damaged; whether
// a whole directory is Foreign is for those to say who know which member should live there.
base::Result<model::DataDir> read_data_dir(const std::string& data, const std::string& wal);

}  // namespace quorate::adapters::system
