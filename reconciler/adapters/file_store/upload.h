// An object on its way into a folder: a hidden file that gets its name when all of it is on disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reconciler/adapters/file_store/folders.h"
#include "reconciler/base/result.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/object_store.h"

namespace quorate::file_store {

tl::unexpected<base::Error> there_is_one(const std::string& path);

class Upload final : public ports::ObjectWriter {
 public:
  static base::Result<std::unique_ptr<Upload>> begin(const std::string& base, const std::string& object,
                                                     ports::Overwrite overwrite, ports::Entropy& entropy);
  ~Upload() override;
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  base::Result<void> write(std::string_view bytes) override;
  base::Result<void> finish() override;

 private:
  Upload(std::string base, std::string object, ports::Overwrite overwrite)
      : base_(std::move(base)), object_(std::move(object)), overwrite_(overwrite) {}

  base::Result<void> open(ports::Entropy& entropy);
  base::Result<void> give_name();
  base::Result<void> give_new_name();
  void send_to_disk();

  std::string base_;
  std::string object_;
  ports::Overwrite overwrite_;
  Place place_;
  std::string hidden_;  // empty: it is no longer there
  Descriptor file_;
  std::uint64_t written_ = 0;
  std::uint64_t on_its_way_ = 0;
  bool broken_ = false;
};

}  // namespace quorate::file_store
