// One part is filled while others are sent; whoever writes waits when all lanes are busy.
#include "reconciler/adapters/s3/upload.h"

#include <algorithm>
#include <system_error>

namespace quorate::s3 {

std::size_t part_size(std::size_t first, std::size_t number) {
  constexpr std::size_t kSame = 5000;
  constexpr std::size_t kStep = 1000;
  if (number <= kSame) return first;
  return first << ((number - kSame + kStep - 1) / kStep);
}

Upload::~Upload() {
  stop_.raise();
  rest();
  if (begun_ && !over_) static_cast<void>(bucket_.abort(name_, begun_->id));  // what stays is swept
}

void Upload::rest() {
  {
    const std::lock_guard lock(mutex_);
    no_more_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Upload::fail(base::Error error) {
  stop_.raise();
  const std::lock_guard lock(mutex_);
  if (!failed_) failed_ = std::move(error);
  changed_.notify_all();
}

base::Result<void> Upload::problem() {
  const std::lock_guard lock(mutex_);
  if (failed_) return tl::unexpected(*failed_);
  return {};
}

base::Result<void> Upload::write(std::string_view bytes) {
  if (over_) return base::invalid("nothing more can be written to " + name_);
  if (auto well = problem(); !well) return well;
  while (!bytes.empty()) {
    const std::size_t most = part_size(bucket_.settings().part_size, next_part_);
    if (filling_.size() == most) {
      if (auto handed = hand_over(); !handed) return handed;
      continue;
    }
    const std::size_t count = std::min(bytes.size(), most - filling_.size());
    if (filling_.capacity() < most && filling_.size() + count > 65536) filling_.reserve(most);
    filling_.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    size_ += count;
  }
  return {};
}

base::Result<void> Upload::hand_over() {
  if (next_part_ > kPartsAtMost) {
    fail({base::ErrorKind::Invalid, "putting " + name_ + ": it is too large for one object", ""});
    return problem();
  }
  if (!begun_) {
    auto begun = bucket_.begin_upload(name_);
    if (!begun) {
      fail(std::move(begun.error()));
      return problem();
    }
    begun_ = std::move(*begun);
    if (!start_lanes()) {
      fail({base::ErrorKind::Transient, "putting " + name_ + ": the system gives no more threads", ""});
      return problem();
    }
  }
  std::unique_lock lock(mutex_);
  const auto lanes = threads_.size();
  changed_.wait(lock, [&] { return failed_ || (!waiting_ && sending_ < lanes); });
  if (failed_) return tl::unexpected(*failed_);
  waiting_ = Part{next_part_++, std::move(filling_)};
  filling_.clear();
  if (!spare_.empty()) {
    filling_ = std::move(spare_.back());
    spare_.pop_back();
  }
  changed_.notify_all();
  return {};
}

// Fewer lanes than wanted do the work, too.
bool Upload::start_lanes() {
  const auto wanted = static_cast<std::size_t>(std::max(bucket_.settings().lanes, 1));
  try {
    while (threads_.size() < wanted) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    return !threads_.empty();
  }
  return true;
}

void Upload::work() {
  for (;;) {
    Part part;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return failed_ || waiting_ || no_more_; });
      if (failed_ || !waiting_) return;
      part = std::move(*waiting_);
      waiting_.reset();
      ++sending_;
    }
    auto etag = bucket_.put_part(name_, begun_->id, part.number, part.bytes, stop_);
    if (!etag) fail(std::move(etag.error()));
    const std::lock_guard lock(mutex_);
    --sending_;
    if (etag) {
      if (etags_.size() < part.number) etags_.resize(part.number);
      etags_[part.number - 1] = std::move(*etag);
    }
    part.bytes.clear();
    spare_.push_back(std::move(part.bytes));
    changed_.notify_all();
  }
}

base::Result<void> Upload::finish() {
  if (over_) return base::invalid(name_ + " cannot be finished any more");
  if (auto well = problem(); !well) return well;
  if (begun_) return finish_parts();
  over_ = true;
  return overwrite_ == ports::Overwrite::Never ? bucket_.put_new(name_, filling_) : bucket_.put(name_, filling_);
}

base::Result<void> Upload::finish_parts() {
  if (auto handed = hand_over(); !handed) return handed;  // a part is handed over only when bytes follow it
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return failed_ || (!waiting_ && sending_ == 0); });
  }
  rest();
  if (auto well = problem(); !well) return well;
  auto completed = bucket_.complete(name_, *begun_, etags_, size_, overwrite_);
  // When it is not known what became of it, it must not be taken away either.
  over_ = completed || completed.error().kind == base::ErrorKind::Ambiguous;
  if (!completed && !over_) fail(completed.error());
  return completed;
}

}  // namespace quorate::s3
