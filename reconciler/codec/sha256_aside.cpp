// One batch fills up while the one before it is hashed.
#include "reconciler/codec/sha256_aside.h"

#include <utility>

namespace quorate::codec {
namespace {

constexpr std::size_t kBatch = std::size_t{1} << 20;

}  // namespace

Sha256Aside::~Sha256Aside() {
  if (workers_ != nullptr) workers_->wait();  // the job looks at our batch
}

void Sha256Aside::update(std::string_view bytes) {
  if (workers_ == nullptr) return sha256_.update(bytes);
  while (!bytes.empty()) {
    if (filling_.capacity() < kBatch) filling_.reserve(kBatch);
    const std::string_view piece = bytes.substr(0, kBatch - filling_.size());
    filling_ += piece;
    bytes.remove_prefix(piece.size());
    if (filling_.size() == kBatch) send();
  }
}

void Sha256Aside::send() {
  workers_->wait();
  std::swap(filling_, in_work_);
  filling_.clear();
  workers_->start([this] { sha256_.update(in_work_); });
}

std::string Sha256Aside::digest_with(std::string_view more) {
  if (workers_ != nullptr) workers_->wait();
  return sha256_.digest_with(filling_ + std::string(more));
}

base::Result<void> Hashing::write(std::string_view bytes) {
  sha256_.update(bytes);
  size_ += bytes.size();
  return next_.write(bytes);
}

}  // namespace quorate::codec
