// The requests of S3 that a store is made of, each for objects below the base.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/adapters/s3/client.h"
#include "reconciler/ports/object_store.h"

namespace quorate::s3 {

struct Head {
  std::uint64_t size = 0;
  std::string etag;
  std::string modified;  // as in HTTP
};

struct Begun {
  std::string id;
  std::string date;  // of the store's answer, as in HTTP
};

class Bucket {
 public:
  Bucket(Settings settings, Place place, Credentials& credentials, ports::Clock& clock, ports::Entropy& entropy);

  const Settings& settings() const { return settings_; }
  std::string address() const;

  base::Result<std::vector<ports::ObjectInfo>> list(const std::string& prefix);
  base::Result<std::optional<Head>> head(const std::string& name);
  base::Result<std::optional<std::string>> get(const std::string& name, std::uint64_t most);
  base::Result<std::unique_ptr<ports::ObjectReader>> open(const std::string& name);
  base::Result<void> put(const std::string& name, std::string_view bytes);
  base::Result<void> put_new(const std::string& name, std::string_view bytes);  // Conflict: there is one
  base::Result<void> is_free(const std::string& name);                          // Conflict: there is one
  base::Result<void> remove(const std::string& name);

  base::Result<Begun> begin_upload(const std::string& name);
  base::Result<std::string> put_part(const std::string& name, const std::string& id, std::size_t number,
                                     std::string_view bytes, Stop& stop);
  base::Result<void> complete(const std::string& name, const Begun& begun, const std::vector<std::string>& etags,
                              std::uint64_t size, ports::Overwrite overwrite);
  base::Result<void> abort(const std::string& name, const std::string& id);
  base::Result<std::vector<OpenUpload>> uploads();  // names as below the base

 private:
  base::Result<std::optional<Head>> ask_head(const std::string& name);
  enum class Honour { Unknown, Yes, No };

  std::string key_of(const std::string& name) const;
  std::optional<std::string> name_of(const std::string& key) const;
  Ask ask(const std::string& method, const std::string& doing, const std::string& name) const;
  Pairs headers_of_new_objects() const;
  base::Result<bool> holds(const std::string& name, std::string_view bytes);
  base::Result<void> put_after_looking(const std::string& name, std::string_view bytes);
  base::Result<Said> ask_to_complete(const std::string& name, Ask& ask, ports::Overwrite overwrite);
  base::Result<bool> is_completed(const std::string& name, const Begun& begun, std::uint64_t size);
  base::Error there_is_one(const std::string& name) const;

  Settings settings_;
  Client client_;
  std::atomic<Honour> conditions_ = Honour::Unknown;  // does the store keep to If-None-Match?
};

}  // namespace quorate::s3
