// Every page is looked at as what its own first bytes say; pages that are no longer in use look like others, and do no
// harm.
#include "reconciler/codec/db_skim.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "reconciler/base/byte_source.h"

namespace quorate::codec {
namespace {

constexpr std::size_t kPageHeader = 16;
constexpr std::size_t kElement = 16;
constexpr std::size_t kSizeKnown = 28;  // bytes of the first page up to the size of pages
constexpr std::uint32_t kMagic = 0xED0CDAED;
constexpr std::uint16_t kBranch = 1;
constexpr std::uint16_t kLeaf = 2;
constexpr std::size_t kSmallestPage = 1024;
constexpr std::size_t kLargestPage = std::size_t{1} << 20;
constexpr std::uint32_t kLongestRun = 64;  // pages of one leaf that holds something else than keys
constexpr std::size_t kLeavesOfKeys = 256;
constexpr std::size_t kMostKept = std::size_t{16} << 20;
constexpr std::size_t kLease = 8;  // their keys; there may be very many, and none of them is asked for

std::uint64_t number_in(std::string_view page, std::size_t offset, std::size_t bytes) {
  return bytes == 8 ? base::little_endian<std::uint64_t>(page.data() + offset)
                    : (bytes == 4 ? base::little_endian<std::uint32_t>(page.data() + offset)
                                  : base::little_endian<std::uint16_t>(page.data() + offset));
}

void put(std::string& page, std::uint64_t value, std::size_t bytes) {
  for (std::size_t byte = 0; byte < bytes; ++byte) page += static_cast<char>(value >> (8 * byte) & 0xFF);
}

// Main revision, '_', sub revision, and one more byte where the key was deleted.
bool is_revision(std::string_view key) {
  return (key.size() == 17 || key.size() == 18) && key[8] == '_';
}

struct KeyPlace {
  std::uint64_t offset = 0;  // in the page
  std::size_t size = 0;
  std::uint64_t child = 0;  // of a branch
};

KeyPlace key_at(std::string_view page, bool leaf, std::uint32_t element) {
  const std::size_t start = kPageHeader + std::size_t{element} * kElement;
  const std::size_t position = leaf ? start + 4 : start;
  KeyPlace place;
  place.offset = start + number_in(page, position, 4);
  place.size = static_cast<std::size_t>(number_in(page, position + 4, 4));
  if (!leaf) place.child = number_in(page, start + 8, 8);
  return place;
}

// Nothing: it is not in this page.
std::optional<std::string_view> key_in(std::string_view page, const KeyPlace& place) {
  if (place.offset > page.size() || place.size > page.size() - place.offset) return std::nullopt;
  return page.substr(static_cast<std::size_t>(place.offset), place.size);
}

// A page with one element.
std::string page_with(std::uint64_t number, std::uint16_t kind, std::string_view key, std::uint64_t child) {
  std::string page;
  put(page, number, 8);
  put(page, kind, 2);
  put(page, 1, 2);
  put(page, 0, 4);
  if (kind == kLeaf) put(page, 0, 4);
  put(page, kElement, 4);
  put(page, key.size(), 4);
  if (kind == kLeaf) {
    put(page, 0, 4);
  } else {
    put(page, child, 8);
  }
  return page += key;
}

std::string without_zeros_behind(std::string_view page) {
  return std::string(page.substr(0, page.find_last_not_of('\0') + 1));
}

class KeptPages final : public base::ByteSource {
 public:
  KeptPages(const std::map<std::uint64_t, std::string>& pages, std::size_t page_size, std::uint64_t count)
      : pages_(pages), page_size_(page_size), count_(count) {}

  std::uint64_t size() const override { return count_ * page_size_; }

  base::Result<std::size_t> read(std::uint64_t offset, char* to, std::size_t count) const override {
    std::size_t done = 0;
    while (done < count && offset < size()) {
      const std::uint64_t number = offset / page_size_;
      const std::size_t inside = static_cast<std::size_t>(offset % page_size_);
      const std::size_t here = std::min(count - done, page_size_ - inside);
      const auto page = pages_.find(number);
      if (page == pages_.end()) {
        return base::invalid("page " + std::to_string(number) + " is not among those that were kept");
      }
      std::fill(to + done, to + done + here, '\0');
      const std::string_view there = page->second;
      if (inside < there.size()) {
        const std::string_view part = there.substr(inside, here);
        std::copy(part.begin(), part.end(), to + done);
      }
      done += here;
      offset += here;
    }
    return done;
  }

 private:
  const std::map<std::uint64_t, std::string>& pages_;
  std::size_t page_size_;
  std::uint64_t count_;
};

}  // namespace

void DbSkim::take(std::string_view bytes) {
  while (!bytes.empty() && !hopeless_) {
    const std::size_t wanted = page_size_ == 0 ? kSizeKnown : page_size_;
    if (held_.empty() && page_size_ != 0 && bytes.size() >= wanted) {
      take_page(bytes.substr(0, wanted));
      bytes.remove_prefix(wanted);
      continue;
    }
    const std::string_view piece = bytes.substr(0, wanted - held_.size());
    held_ += piece;
    bytes.remove_prefix(piece.size());
    if (held_.size() < wanted) return;
    if (page_size_ == 0) {
      page_size_ = static_cast<std::size_t>(number_in(held_, 24, 4));
      hopeless_ = number_in(held_, 16, 4) != kMagic || page_size_ < kSmallestPage || page_size_ > kLargestPage ||
                  (page_size_ & (page_size_ - 1)) != 0;
      continue;
    }
    take_page(held_);
    held_.clear();
  }
}

void DbSkim::take_page(std::string_view page) {
  take_awaited(page);
  const bool continued = number_ < continued_until_;
  const std::uint64_t kind = number_in(page, 8, 2);
  const std::uint32_t count = static_cast<std::uint32_t>(number_in(page, 10, 2));
  const bool is_own = number_in(page, 0, 8) == number_ && (kind == kBranch || kind == kLeaf);
  const bool fits = kPageHeader + std::size_t{count} * kElement <= page.size();
  if (number_ < 2) {
    keep(number_, without_zeros_behind(page));
  } else if (is_own && fits && kind == kBranch && count > 0) {
    take_branch(page, count);
  } else if (is_own && fits && kind == kLeaf) {
    take_leaf(page, count);
  }
  if (continued && kept_.count(number_) == 0) keep(number_, without_zeros_behind(page));
  ++number_;
}

void DbSkim::take_branch(std::string_view page, std::uint32_t count) {
  const auto first = key_in(page, key_at(page, false, 0));
  if (!first || first->size() == kLease) return;
  if (!is_revision(*first)) return keep(number_, without_zeros_behind(page));
  const KeyPlace last = key_at(page, false, count - 1);
  const auto key = key_in(page, last);
  if (key) keep(number_, page_with(number_, kBranch, *key, last.child));
}

void DbSkim::take_leaf(std::string_view page, std::uint32_t count) {
  const auto first = count == 0 ? std::string_view() : key_in(page, key_at(page, true, 0));
  if (!first || first->size() == kLease) return;
  if (is_revision(*first)) return take_keys(page, count, *first);
  const std::uint64_t run = number_in(page, 12, 4);
  if (run > kLongestRun) return;
  keep(number_, without_zeros_behind(page));
  continued_until_ = std::max(continued_until_, number_ + 1 + run);
}

void DbSkim::take_keys(std::string_view page, std::uint32_t count, std::string_view first_key) {
  const Newest mine{base::big_endian<std::uint64_t>(first_key.data()), number_};
  if (newest_.size() == kLeavesOfKeys && mine < *newest_.begin()) return;
  const KeyPlace last = key_at(page, true, count - 1);
  if (last.size != 17 && last.size != 18) return;
  newest_.insert(mine);
  if (newest_.size() > kLeavesOfKeys) {
    const std::uint64_t oldest = newest_.begin()->page;
    newest_.erase(newest_.begin());
    if (const auto kept = kept_.find(oldest); kept != kept_.end()) {
      kept_bytes_ -= kept->second.size();
      kept_.erase(kept);
    }
    awaited_.erase(
        std::remove_if(awaited_.begin(), awaited_.end(), [&](const Awaited& each) { return each.leaf == oldest; }),
        awaited_.end());
  }
  if (const auto key = key_in(page, last)) return keep(number_, page_with(number_, kLeaf, *key, 0));
  awaited_.push_back({number_, number_ * page_size_ + last.offset, last.size, {}});
  take_awaited(page);  // it may begin here
}

void DbSkim::take_awaited(std::string_view page) {
  const std::uint64_t begin = number_ * page_size_;
  for (std::size_t at = 0; at < awaited_.size();) {
    Awaited& each = awaited_[at];
    const std::uint64_t next = each.offset + each.key.size();
    if (next >= begin && next - begin < page.size()) {
      each.key += page.substr(static_cast<std::size_t>(next - begin), each.size - each.key.size());
    }
    if (each.key.size() < each.size) {
      ++at;
      continue;
    }
    keep(each.leaf, page_with(each.leaf, kLeaf, each.key, 0));
    awaited_.erase(awaited_.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void DbSkim::keep(std::uint64_t number, std::string bytes) {
  const std::size_t size = bytes.size();
  if (kept_bytes_ + size > kMostKept) return;
  if (kept_.emplace(number, std::move(bytes)).second) kept_bytes_ += size;
}

base::Result<base::EtcdDb> DbSkim::facts() const {
  if (hopeless_ || page_size_ == 0) return base::invalid("this is no database of etcd");
  return base::read_etcd_db(KeptPages(kept_, page_size_, number_));
}

}  // namespace quorate::codec
