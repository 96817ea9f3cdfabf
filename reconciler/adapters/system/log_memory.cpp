// Only a log that is whole is remembered: what is broken or torn is read again as a whole each time.
#include "reconciler/adapters/system/log_memory.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include <sys/stat.h>

#include "reconciler/adapters/system/files.h"
#include "reconciler/adapters/system/node.h"

namespace quorate::adapters::system {
namespace {

constexpr std::uint64_t kTail = 4096;
constexpr base::Duration kBelieved{10'000};

// The bytes before the end of the last record.
base::Result<std::string> tail_of(const FileBytes& file, std::uint64_t end) {
  const std::uint64_t count = std::min(kTail, end);
  std::string tail(static_cast<std::size_t>(count), '\0');
  const auto got = file.read(end - count, tail.data(), tail.size());
  if (!got) return tl::unexpected(got.error());
  tail.resize(*got);
  return tail;
}

}  // namespace

base::Result<std::optional<LogMemory::Seen>> LogMemory::see(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return tl::unexpected(system_error("look at", path, errno));
  }
  return Seen{name, about.st_dev, about.st_ino, static_cast<std::uint64_t>(about.st_size),
              std::int64_t{about.st_ctim.tv_sec} * 1'000'000'000 + about.st_ctim.tv_nsec};
}

// Is the log that is known the beginning of the one that is there now?
bool LogMemory::goes_on(const std::string& folder, const std::vector<Seen>& now) const {
  if (!known_ || known_->folder != folder || known_->segments.size() > now.size()) return false;
  if (elapsed_() - known_->read_whole >= kBelieved) return false;
  const std::size_t last = known_->segments.size() - 1;
  if (!std::equal(known_->segments.begin(), known_->segments.begin() + static_cast<std::ptrdiff_t>(last),
                  now.begin())) {
    return false;
  }
  const Seen& then = known_->segments[last];
  return then.name == now[last].name && then.device == now[last].device && then.inode == now[last].inode &&
         known_->reader.log().end <= now[last].size;
}

LogMemory::LogMemory()
    : LogMemory([clock = std::shared_ptr<ports::Clock>(make_clock())] { return clock->elapsed(); }) {}

base::Result<std::optional<base::WalLog>> LogMemory::look(const std::string& folder,
                                                          const std::vector<std::string>& segments) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) return look_again(folder, segments);
  LogMemory nothing;
  return nothing.look_again(folder, segments);
}

base::Result<std::optional<base::WalLog>> LogMemory::look_again(const std::string& folder,
                                                                const std::vector<std::string>& segments) {
  std::vector<Seen> now;
  for (const std::string& name : segments) {
    auto seen = see(folder, name);
    if (!seen) return tl::unexpected(std::move(seen.error()));
    if (!*seen) return std::nullopt;
    now.push_back(*std::move(*seen));
  }
  if (goes_on(folder, now)) {
    auto log = read_on(*known_, now);
    if (!log || !*log || !(*log)->broken) return log;
  }
  return read_all(folder, now);
}

base::Result<std::optional<base::WalLog>> LogMemory::read_all(const std::string& folder, const std::vector<Seen>& now) {
  return read_on(Known{folder, {}, base::WalReader(), {}, elapsed_()}, now);
}

base::Result<std::optional<base::WalLog>> LogMemory::read_on(Known known, const std::vector<Seen>& now) {
  std::string tail;
  for (std::size_t i = known.segments.empty() ? 0 : known.segments.size() - 1; i < now.size(); ++i) {
    const std::string& name = now[i].name;
    const bool last = i + 1 == now.size();
    const auto file = open_file(known.folder + "/" + name);
    if (!file) return tl::unexpected(file.error());
    if (*file == nullptr) return std::nullopt;
    const bool more = i < known.segments.size();
    if (more) {
      const auto stands = tail_of(**file, known.reader.log().end);
      if (!stands) return tl::unexpected(stands.error());
      if (*stands != known.tail) return read_all(known.folder, now);
    }
    auto done = more ? known.reader.read_on(name, **file, last) : known.reader.read_segment(name, **file, last);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (!last) continue;
    auto end = tail_of(**file, known.reader.log().end);
    if (!end) return tl::unexpected(std::move(end.error()));
    tail = *std::move(end);
  }
  base::WalLog log = known.reader.log();
  if (!log.broken && !log.torn) {
    known_ = Known{known.folder, now, std::move(known.reader), std::move(tail), known.read_whole};
  }
  return log;
}

}  // namespace quorate::adapters::system
