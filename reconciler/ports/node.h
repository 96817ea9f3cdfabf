// What can be seen on the machine we run on: data directories, files of a bundle, processes, certificates, binaries,
// disks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"

namespace quorate::ports {

struct FileOnNode {
  std::string content;
  int mode = 0;              // permission bits
  std::string owner;         // name of the user; digits where it has none
  bool owned_by_us = false;  // by the user that this program runs as
};

class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  // Whether the member lives on this machine: one of its addresses is ours, or its node is our name.
  virtual bool is_here(const model::Member& member) = 0;

  // Read-only; works beside a running etcd, whose latest records may not be on disk yet.
  virtual base::Result<model::DataDir> data_dir(const std::string& data, const std::string& wal) = 0;
  // Nothing when it is positively not there.
  virtual base::Result<std::optional<FileOnNode>> read_file(const std::string& path) = 0;
  virtual base::Result<model::Process> process_of(const model::Member& member) = 0;
  virtual base::Result<model::Certificate> certificate(const std::string& path, const std::string& use) = 0;
  virtual base::Result<model::Binary> binary(const std::string& path) = 0;
  virtual base::Result<model::DiskSpace> disk_space(const std::string& path) = 0;
};

}  // namespace quorate::ports
