// A renderer turns one member of a desired cluster into the files that a runtime needs. Same input, same bytes.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/model/desired.h"

namespace quorate::renderers {

// How etcd is to treat an empty or filled directory at its next start; it stands in the etcd configuration file alone.
struct BootNew {
  std::string token;
};
struct BootJoin {
  std::string initial_cluster;  // as etcd's MemberAdd answered: name=url,name=url
};
struct BootKeep {};

using Boot = std::variant<BootNew, BootJoin, BootKeep>;

struct Input {
  const model::Desired& cluster;
  const model::Member& member;
  const Boot& boot;
  std::string config_path;  // where the etcd configuration file of this member stands on its node
};

struct File {
  std::string path;  // absolute, on the node; for kubernetes the name of a file to apply
  int mode = 0644;
  std::string owner;  // empty: root
  std::string content;
};

// Everything one member needs, in a fixed order.
struct Bundle {
  std::vector<File> files;
  std::string digest;  // names the bundle; the boot mode does not change it
};

}  // namespace quorate::renderers
