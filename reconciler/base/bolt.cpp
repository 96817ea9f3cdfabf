// Meta pages, branches, leaves and inline buckets of bbolt. Every number out of the file is a claim until it is
// checked.
#include "reconciler/base/bolt.h"

#include <utility>
#include <vector>

namespace quorate::base {
namespace {

constexpr std::size_t kPageHeader = 16;
constexpr std::size_t kElement = 16;  // of leaves and branches alike
constexpr std::size_t kBucketHeader = 16;
constexpr std::size_t kMetaSize = 64;
constexpr std::uint32_t kMagic = 0xED0CDAED;
constexpr std::uint32_t kVersion = 2;
constexpr std::uint16_t kBranch = 1;
constexpr std::uint16_t kLeaf = 2;
constexpr std::uint32_t kSmallestPage = 1024;
constexpr std::uint32_t kLargestPage = 16 * 1024 * 1024;
constexpr std::uint64_t kLargestRun = 256 * 1024 * 1024;  // a page with its overflow: one value of etcd and some
constexpr int kDeepest = 32;                              // a tree of etcd has three or four levels

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  return hash;
}

template <class Number>
Number at(std::string_view bytes, std::size_t offset) {
  return little_endian<Number>(bytes.data() + offset);
}

std::string page_name(std::uint64_t number) {
  return "page " + std::to_string(number);
}

}  // namespace

struct Bolt::Walk {
  bool backwards = false;
  Visitor visit;
  bool done = false;
};

Result<std::optional<Bolt::Meta>> Bolt::read_meta(const ByteSource& bytes, std::uint64_t offset) {
  std::string page(kPageHeader + kMetaSize, '\0');
  const auto got = bytes.read(offset, page.data(), page.size());
  if (!got) return tl::unexpected(got.error());
  if (*got < page.size()) return std::nullopt;
  const std::string_view meta = std::string_view(page).substr(kPageHeader);
  if (at<std::uint32_t>(meta, 0) != kMagic || at<std::uint32_t>(meta, 4) != kVersion) return std::nullopt;
  if (at<std::uint64_t>(meta, 56) != fnv1a(meta.substr(0, 56))) return std::nullopt;
  const Meta found{at<std::uint32_t>(meta, 8), at<std::uint64_t>(meta, 16), at<std::uint64_t>(meta, 40),
                   at<std::uint64_t>(meta, 48)};
  const std::uint32_t size = found.page_size;
  if (size < kSmallestPage || size > kLargestPage || (size & (size - 1)) != 0) return std::nullopt;
  return found;
}

Result<std::optional<Bolt::Meta>> Bolt::newest_meta(const ByteSource& bytes) {
  const auto first = read_meta(bytes, 0);
  if (!first) return tl::unexpected(first.error());
  std::optional<Meta> newest = *first;
  // Where the second one lies is known from the first, else it is looked for.
  const std::uint32_t from = newest ? newest->page_size : kSmallestPage;
  const std::uint32_t to = newest ? newest->page_size : kLargestPage;
  for (std::uint32_t size = from; size <= to; size *= 2) {
    const auto second = read_meta(bytes, size);
    if (!second) return tl::unexpected(second.error());
    if (!*second || (*second)->page_size != size) continue;
    if (!newest || (*second)->transaction > newest->transaction) newest = *second;
    break;
  }
  return newest;
}

Result<Bolt> Bolt::open(const ByteSource& bytes) {
  const auto meta = newest_meta(bytes);
  if (!meta) return tl::unexpected(meta.error());
  if (!*meta) return invalid("neither of the two meta pages is whole");
  const std::uint64_t pages_there = bytes.size() / (*meta)->page_size;
  if ((*meta)->pages > pages_there) {
    return invalid("the file ends after " + std::to_string(pages_there) + " pages of " +
                   std::to_string((*meta)->pages));
  }
  return Bolt(bytes, **meta);
}

Result<bool> Bolt::still_current() const {
  const auto meta = newest_meta(*bytes_);
  if (!meta) return tl::unexpected(meta.error());
  return *meta && (*meta)->transaction == meta_.transaction;
}

Result<Bolt::Page> Bolt::checked(std::string bytes, std::string place) {
  if (bytes.size() < kPageHeader) return invalid(place + " is cut short");
  const auto flags = at<std::uint16_t>(bytes, 8);
  if (flags != kBranch && flags != kLeaf) return invalid(place + " is neither a branch nor a leaf");
  Page page{std::move(bytes), std::move(place), flags == kLeaf, 0};
  page.count = at<std::uint16_t>(page.bytes, 10);
  if (kPageHeader + page.count * kElement > page.bytes.size()) return invalid(page.place + " has too many elements");
  if (!page.leaf && page.count == 0) return invalid(page.place + " is a branch that leads nowhere");
  return page;
}

Result<Bolt::Page> Bolt::page(std::uint64_t number) {
  if (number < 2 || number >= meta_.pages) return invalid(page_name(number) + " does not exist");
  const std::uint64_t offset = number * meta_.page_size;
  std::string bytes(kPageHeader, '\0');
  auto got = bytes_->read(offset, bytes.data(), bytes.size());
  if (!got) return tl::unexpected(got.error());
  if (*got < kPageHeader) return invalid(page_name(number) + " is behind the end of the file");
  if (at<std::uint64_t>(bytes, 0) != number) return invalid(page_name(number) + " bears another number");
  const std::uint64_t run = std::uint64_t{at<std::uint32_t>(bytes, 12)} + 1;
  if (run > meta_.pages - number || run * meta_.page_size > kLargestRun) {
    return invalid(page_name(number) + " claims more pages than there are");
  }
  if (run * meta_.page_size > budget_) return invalid(page_name(number) + " is reached by a tree that does not end");
  budget_ -= run * meta_.page_size;
  bytes.resize(static_cast<std::size_t>(run * meta_.page_size));
  got = bytes_->read(offset, bytes.data(), bytes.size());
  if (!got) return tl::unexpected(got.error());
  bytes.resize(*got);
  return checked(std::move(bytes), page_name(number));
}

Result<Bolt::Page> Bolt::root_page(const BoltBucket& bucket) {
  if (bucket.root != 0) return page(bucket.root);
  return checked(bucket.inline_page, "an inline page");
}

Result<Bolt::Element> Bolt::element(const Page& page, std::uint32_t number) {
  const std::string_view bytes = page.bytes;
  const std::size_t start = kPageHeader + std::size_t{number} * kElement;
  const std::size_t position_at = page.leaf ? start + 4 : start;
  const std::uint64_t position = start + std::uint64_t{at<std::uint32_t>(bytes, position_at)};
  const std::uint64_t key_size = at<std::uint32_t>(bytes, position_at + 4);
  const std::uint64_t value_size = page.leaf ? at<std::uint32_t>(bytes, start + 12) : 0;
  if (position + key_size + value_size > bytes.size()) {
    return invalid(page.place + ": element " + std::to_string(number) + " lies outside");
  }
  Element found;
  found.key = bytes.substr(static_cast<std::size_t>(position), static_cast<std::size_t>(key_size));
  found.value = bytes.substr(static_cast<std::size_t>(position + key_size), static_cast<std::size_t>(value_size));
  if (page.leaf) {
    found.is_bucket = (at<std::uint32_t>(bytes, start) & 1) != 0;
  } else {
    found.child = at<std::uint64_t>(bytes, start + 8);
  }
  return found;
}

Result<std::uint32_t> Bolt::position(const Page& page, std::string_view key) {
  std::uint32_t low = 0;
  std::uint32_t high = page.count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const auto found = element(page, middle);
    if (!found) return tl::unexpected(found.error());
    const bool before = page.leaf ? found->key < key : found->key <= key;
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (page.leaf) return low;
  return low == 0 ? 0 : low - 1;
}

// The value and whether it is a bucket.
Result<std::optional<std::pair<std::string, bool>>> Bolt::find(const BoltBucket& bucket, std::string_view key) {
  auto current = root_page(bucket);
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (!current) return tl::unexpected(current.error());
    const auto where = position(*current, key);
    if (!where) return tl::unexpected(where.error());
    if (current->leaf && *where == current->count) return std::nullopt;
    const auto found = element(*current, *where);
    if (!found) return tl::unexpected(found.error());
    if (current->leaf) {
      if (found->key != key) return std::nullopt;
      return std::pair(std::string(found->value), found->is_bucket);
    }
    current = page(found->child);
  }
  return invalid("the tree is deeper than " + std::to_string(kDeepest) + " levels");
}

Result<std::optional<BoltBucket>> Bolt::bucket(std::string_view name) {
  auto found = find(BoltBucket{meta_.root, {}}, name);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::nullopt;
  auto& [value, is_bucket] = **found;
  if (!is_bucket || value.size() < kBucketHeader) {
    return invalid("the bucket \"" + std::string(name) + "\" is not one");
  }
  BoltBucket bucket{at<std::uint64_t>(value, 0), {}};
  if (bucket.root == 0) bucket.inline_page = value.substr(kBucketHeader);
  return bucket;
}

Result<std::optional<std::string>> Bolt::get(const BoltBucket& bucket, std::string_view key) {
  auto found = find(bucket, key);
  if (!found) return tl::unexpected(found.error());
  if (!*found || (*found)->second) return std::nullopt;
  return std::move((*found)->first);
}

// Cycles end at the depth, wide repetitions when the budget of bytes is spent.
Result<void> Bolt::walk(Page from, int depth, Walk& state) {
  if (depth == kDeepest) return invalid("the tree is deeper than " + std::to_string(kDeepest) + " levels");
  std::vector<std::uint64_t> children;
  for (std::uint32_t step = 0; step < from.count && !state.done; ++step) {
    const auto found = element(from, state.backwards ? from.count - 1 - step : step);
    if (!found) return tl::unexpected(found.error());
    if (!from.leaf) {
      children.push_back(found->child);
    } else if (!found->is_bucket) {
      state.done = !state.visit(found->key, found->value);
    }
  }
  from.bytes = std::string();  // no page is held while those below it are walked
  for (const std::uint64_t child : children) {
    if (state.done) break;
    auto below = page(child);
    if (!below) return tl::unexpected(below.error());
    if (auto walked = walk(std::move(*below), depth + 1, state); !walked) return walked;
  }
  return {};
}

Result<std::optional<std::string>> Bolt::last_key(const BoltBucket& bucket) {
  auto root = root_page(bucket);
  if (!root) return tl::unexpected(root.error());
  std::optional<std::string> last;
  Walk state{true, {}, false};
  state.visit = [&last](std::string_view key, std::string_view) {
    last = std::string(key);
    return false;
  };
  if (const auto walked = walk(std::move(*root), 0, state); !walked) return tl::unexpected(walked.error());
  return last;
}

Result<void> Bolt::each(const BoltBucket& bucket, const Visitor& visit) {
  auto root = root_page(bucket);
  if (!root) return tl::unexpected(root.error());
  Walk state{false, visit, false};
  return walk(std::move(*root), 0, state);
}

}  // namespace quorate::base
