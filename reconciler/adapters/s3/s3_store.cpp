// The port over a bucket: names are checked, the rest is in the bucket, uploads and downloads.
#include <memory>
#include <utility>

#include "reconciler/adapters/s3/bucket.h"
#include "reconciler/adapters/s3/s3.h"
#include "reconciler/adapters/s3/upload.h"
#include "reconciler/base/object_name.h"
#include "reconciler/model/backup_name.h"

namespace quorate::s3 {
namespace {

base::Result<void> check_name(const std::string& name) {
  if (base::is_object_name(name)) return {};
  return base::invalid("an object of this store cannot have such a name (" + std::to_string(name.size()) + " bytes)");
}

// Of a backup of ours right below the base: a bucket may be others' too, who may be at work on theirs for days.
bool is_of_a_backup(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return false;
  const auto folder = model::parse_backup_name(std::string_view(name).substr(0, slash));
  return folder && folder->revision && model::parse_backup_object(std::string_view(name).substr(slash + 1));
}

class S3Store final : public ports::ObjectStore {
 public:
  explicit S3Store(std::unique_ptr<Bucket> bucket) : bucket_(std::move(bucket)) {}

  std::string address() const override { return bucket_->address(); }

  base::Result<std::vector<ports::ObjectInfo>> list(const std::string& prefix) override {
    return bucket_->list(prefix);
  }

  base::Result<std::optional<std::string>> get(const std::string& name, std::uint64_t most) override {
    if (auto checked = check_name(name); !checked) return tl::unexpected(std::move(checked.error()));
    return bucket_->get(name, most);
  }

  base::Result<std::unique_ptr<ports::ObjectReader>> open(const std::string& name) override {
    if (auto checked = check_name(name); !checked) return tl::unexpected(std::move(checked.error()));
    return bucket_->open(name);
  }

  base::Result<void> put(const std::string& name, std::string_view bytes, ports::Overwrite overwrite) override {
    if (auto checked = check_name(name); !checked) return checked;
    return overwrite == ports::Overwrite::Never ? bucket_->put_new(name, bytes) : bucket_->put(name, bytes);
  }

  base::Result<std::unique_ptr<ports::ObjectWriter>> create(const std::string& name,
                                                            ports::Overwrite overwrite) override {
    if (auto checked = check_name(name); !checked) return tl::unexpected(std::move(checked.error()));
    if (overwrite == ports::Overwrite::Never) {
      if (auto free = bucket_->is_free(name); !free) return tl::unexpected(std::move(free.error()));
    }
    return std::make_unique<Upload>(*bucket_, name, overwrite);
  }

  base::Result<void> remove(const std::string& name) override {
    if (auto checked = check_name(name); !checked) return checked;
    return bucket_->remove(name);
  }

  base::Result<int> sweep(base::Time before) override {
    const auto uploads = bucket_->uploads();
    if (!uploads) return tl::unexpected(uploads.error());
    int swept = 0;
    for (const OpenUpload& upload : *uploads) {
      if (upload.began >= before || !is_of_a_backup(upload.key)) continue;
      if (auto gone = bucket_->abort(upload.key, upload.id); !gone) return tl::unexpected(std::move(gone.error()));
      ++swept;
    }
    return swept;
  }

 private:
  std::unique_ptr<Bucket> bucket_;
};

}  // namespace

base::Result<std::unique_ptr<ports::ObjectStore>> make_s3_store(Settings settings, Credentials& credentials,
                                                                ports::Clock& clock, ports::Entropy& entropy) {
  auto place = Place::of(settings);
  if (!place) return tl::unexpected(std::move(place.error()));
  return std::make_unique<S3Store>(
      std::make_unique<Bucket>(std::move(settings), std::move(*place), credentials, clock, entropy));
}

}  // namespace quorate::s3
