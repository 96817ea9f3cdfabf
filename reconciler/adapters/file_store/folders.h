// From the base of a store down to the folder of one object, one opened folder at a time, and never along a link.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/base/result.h"

namespace quorate::file_store {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

tl::unexpected<base::Error> failed(const std::string& doing, const std::string& path, int number);

// Hidden files in which objects are on their way: ".quorate-" and 32 hexadecimal digits.
std::string temporary_name(const std::string& digits);
bool is_temporary(std::string_view name);
bool is_ours(std::string_view object);  // no part of it begins like a hidden file of ours

// The folder of one object.
struct Place {
  Descriptor folder;  // empty: it is not there
  std::string path;   // of the folder, for people
  std::string name;   // of the object in it
};

// Below the base, which has to be there. Folders on the way are made when they are wanted, each on disk before the
// next.
base::Result<Descriptor> open_base(const std::string& base);
base::Result<Place> find_place(const std::string& base, const std::string& object, bool make);

// Marked as a store, or not empty; else it may be the place of a disk that is not mounted.
base::Result<bool> is_store(const std::string& base);
base::Result<void> mark_as_store(const std::string& base);

// Of what was just done in the folder: it is on disk.
base::Result<void> sync_folder(const Descriptor& folder, const std::string& path);

// Removes the folders of this object from the innermost outwards as long as they are empty; never the base.
void remove_empty_folders(const std::string& base, std::string object);

struct Entry {
  std::string name;  // below the base
  std::uint64_t size = 0;
  struct timespec modified {};
};

// Every regular file below the base whose folder may hold names with this prefix, hidden ones of ours too; complete, or
// an error.
base::Result<void> walk(const std::string& base, const std::string& prefix, const std::function<void(Entry)>& found);

}  // namespace quorate::file_store
