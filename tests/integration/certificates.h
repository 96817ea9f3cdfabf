// Certificates as an operator would make them with openssl, for clusters that exist only during a test.
#pragma once

#include <string>
#include <vector>

namespace quorate::integration {

// One authority. A file name that exists is overwritten.
class Authority {
 public:
  Authority(std::string directory, const std::string& name);

  std::string certificate() const { return directory_ + "/" + name_ + ".crt"; }

  // Writes <certificate> and <key>, good for servers and clients at these IP addresses and DNS names; -1 day: it has
  // just expired. Where etcd has users `name` is one.
  void issue(const std::string& certificate, const std::string& key, const std::vector<std::string>& addresses,
             int days = 2, const std::string& name = "etcd") const;

 private:
  std::string directory_;
  std::string name_;
};

}  // namespace quorate::integration
