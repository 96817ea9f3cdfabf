// A disk of its own with little room, which is taken away when the test is over; only root can have one.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include <sys/mount.h>

namespace quorate::e2e {

class SmallDisk {
 public:
  SmallDisk(std::string path, const std::string& size) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);  // members still run on it
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }
  bool grow(const std::string& size) const {
    return ::mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT, ("size=" + size).c_str()) == 0;
  }

 private:
  std::string path_;
  bool mounted_ = false;
};

}  // namespace quorate::e2e
