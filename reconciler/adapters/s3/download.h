// An object on its way out of a bucket: read as it comes, and gone on with where it broke off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <curl/curl.h>

#include "reconciler/adapters/s3/client.h"
#include "reconciler/ports/object_store.h"

namespace quorate::s3 {

class Download final : public ports::ObjectReader {
 public:
  // Null: there is none.
  static base::Result<std::unique_ptr<ports::ObjectReader>> begin(Client& client, Ask ask);
  ~Download() override;
  Download(const Download&) = delete;
  Download& operator=(const Download&) = delete;

  std::uint64_t size() const override { return size_; }
  base::Result<std::size_t> read(char* into, std::size_t most) override;

 private:
  enum class Head { Good, Missing, Again };

  Download(Client& client, Ask ask);
  static std::size_t take(char* bytes, std::size_t size, std::size_t count, void* to);

  base::Result<Head> open_at_offset();
  base::Result<Head> connect(bool& refreshed);
  base::Result<Head> check_head(const Keys& keys, bool& refreshed);
  base::Result<Head> check_size();
  bool wait_for_more();  // false: the transfer is over, well or badly
  void step();
  void close();

  Client& client_;
  Ask ask_;
  std::string etag_;
  std::uint64_t size_ = 0;
  bool known_ = false;  // the size and the tag are
  std::uint64_t done_ = 0;

  CURLM* multi_ = nullptr;
  Handle handle_;
  Transfer transfer_;
  std::string url_;
  std::string arrived_;
  std::size_t given_ = 0;  // of what has arrived
  bool paused_ = false;
  bool over_ = false;
  CURLcode result_ = CURLE_OK;

  int broken_ = 0;                // times in a row
  std::uint64_t good_until_ = 0;  // where it broke last
  base::Error last_;
  std::string wanted_;  // as a pause, by the store
};

}  // namespace quorate::s3
