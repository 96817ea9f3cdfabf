// A data directory of etcd as its files tell it, whether or not an etcd is running on it.
#pragma once

#include <string>

#include "reconciler/adapters/system/log_memory.h"
#include "reconciler/base/result.h"
#include "reconciler/model/observed.h"

namespace quorate::adapters::system {

// `wal`: the directory of etcd's --wal-dir; empty: inside `data`. The answer is Fresh, Valid or Damaged. That a member
// has lived in a fresh directory (Empty), or that a whole one is not its own (Foreign), is for those to say who know.
base::Result<model::DataDir> read_data_dir(const std::string& data, const std::string& wal);
base::Result<model::DataDir> read_data_dir(const std::string& data, const std::string& wal, LogMemory& memory);

}  // namespace quorate::adapters::system
