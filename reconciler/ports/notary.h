// Keys and certificates of a fence. Whatever is secret here is made on the node that uses it, and never leaves it.
#pragma once

#include <string>

#include "reconciler/base/result.h"

namespace quorate::ports {

// Everything is PEM.
class Notary {
 public:
  Notary() = default;
  Notary(const Notary&) = delete;
  Notary& operator=(const Notary&) = delete;
  virtual ~Notary() = default;

  virtual base::Result<std::string> new_key() = 0;
  virtual base::Result<std::string> public_key(const std::string& key) = 0;
  // A key with its own certificate behind it: both of them, to be kept to oneself.
  virtual base::Result<std::string> new_authority(const std::string& name) = 0;
  virtual base::Result<std::string> certificate_of(const std::string& authority) = 0;
  // For servers and for clients. Invalid: `public_key` is none.
  virtual base::Result<std::string> sign(const std::string& authority, const std::string& public_key,
                                         const std::string& name) = 0;
};

// What every certificate of a fence is good for, whoever listens: members have no names of their own there.
inline constexpr const char* kFenceName = "quorate-fence";
// Whom they are made out to: data that come back may have users, and where there are any there is this one.
inline constexpr const char* kFenceUser = "root";

}  // namespace quorate::ports
