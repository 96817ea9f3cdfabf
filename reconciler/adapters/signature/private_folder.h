// A directory of our own for the length of one call, gone with everything in it when the call ends.
#pragma once

#include <string>
#include <string_view>

#include "reconciler/base/result.h"

namespace quorate::adapters::signature {

class PrivateFolder {
 public:
  static base::Result<PrivateFolder> make();  // below TMPDIR or /tmp, mode 0700
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  // A new file, mode 0600; its path.
  base::Result<std::string> write(const std::string& name, std::string_view content) const;

 private:
  explicit PrivateFolder(std::string path);

  std::string path_;  // empty: moved from
};

}  // namespace quorate::adapters::signature
