// An object on its way into a folder: a hidden file that gets its name when all of it is on disk.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/adapters/file_store/direct_writer.h"
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
  base::Result<void> told(int number);

  std::string base_;
  std::string object_;
  ports::Overwrite overwrite_;
  Place place_;
  std::string hidden_;  // empty: it is no longer there
  Descriptor file_;
  std::optional<DirectWriter> writer_;
  bool broken_ = false;
};

}  // namespace quorate::file_store
