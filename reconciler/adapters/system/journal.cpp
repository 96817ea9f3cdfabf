// A line is one write and one fdatasync; what a crash has left of a line is cut off before the next one is written.
#include "reconciler/adapters/system/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/durable.h"
#include "reconciler/adapters/system/files.h"

namespace quorate::adapters::system {
namespace {

// Lines of more than 64 KiB are not read back.
constexpr std::size_t kLine = std::size_t{60} << 10;
constexpr std::size_t kTail = std::size_t{64} << 10;
constexpr int kLooks = 10;

tl::unexpected<base::Error> failed(const std::string& doing, const std::string& path, int number) {
  return tl::unexpected<base::Error>(system_error(doing, path, number));
}

// A long text loses its end; everything else in an entry is short by its nature.
base::Result<std::string> line_of(model::JournalEntry entry) {
  std::string line = model::to_json_line(entry);
  while (line.size() > kLine && !entry.text.empty()) {
    entry.text = entry.text.size() < 64 ? "" : entry.text.substr(0, entry.text.size() / 2) + " ...";
    line = model::to_json_line(entry);
  }
  if (line.size() > kLine || line.find('\n') != std::string::npos) {
    return base::invalid("the entry of step " + entry.step.substr(0, 200) + " is too long for the journal");
  }
  return line + "\n";
}

// Up to where the lines of this text are whole. Zeros stand where a power failure took the data of a file and left its
// size; no line of ours has any.
std::size_t whole_lines(std::string_view text) {
  std::size_t end = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  while (end > 0) {
    const std::size_t before = end < 2 ? std::string_view::npos : text.rfind('\n', end - 2);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    if (text.substr(start, end - start).find('\0') == std::string_view::npos) break;
    end = start;
  }
  return end;
}

struct Open {
  Descriptor file;
  struct stat about {};
};

// Nothing: it is not there.
base::Result<std::optional<Open>> open_journal(const std::string& path, int flags) {
  Open opened{Descriptor(::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)), {}};
  if (!opened.file) {
    if (errno == ENOENT) return std::nullopt;
    return failed("open the journal", path, errno);
  }
  if (::fstat(opened.file.number(), &opened.about) != 0) return failed("look at the journal", path, errno);
  if (!S_ISREG(opened.about.st_mode)) return base::invalid("the journal " + path + " is no regular file");
  return opened;
}

class FileJournal final : public ports::Journal {
 public:
  FileJournal(std::string path, std::size_t most_bytes) : path_(std::move(path)), most_(most_bytes) {}

  base::Result<void> append(const model::JournalEntry& entry) override {
    const auto line = line_of(entry);
    if (!line) return tl::unexpected(line.error());
    const auto place = place_of(path_);
    if (!place) return tl::unexpected(place.error());
    const auto folder = make_folder(place->folder);
    if (!folder) return tl::unexpected(folder.error());
    auto opened = open_to_write(*folder, place->folder);
    if (!opened) return tl::unexpected(opened.error());
    auto size = cut_torn_line(*opened);
    if (!size) return tl::unexpected(size.error());
    if (*size > 0 && *size + line->size() > most_) {
      if (::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) return failed("rename the journal", path_, errno);
      opened = open_to_write(*folder, place->folder);
      if (!opened) return tl::unexpected(opened.error());
      size = 0;
    }
    return write_line(opened->file, *size, *line);
  }

  base::Result<std::vector<model::JournalEntry>> read() override {
    std::vector<model::JournalEntry> entries;
    // When a new file began between two looks, the old one would be missed, or seen twice.
    for (int look = 0; look < kLooks; ++look) {
      auto now = open_journal(path_, O_RDONLY);
      if (!now) return tl::unexpected(std::move(now.error()));
      auto before = open_journal(path_ + ".1", O_RDONLY);
      if (!before) return tl::unexpected(std::move(before.error()));
      if (!*now && ::access(path_.c_str(), F_OK) == 0) continue;
      if (*now && *before && (*now)->about.st_ino == (*before)->about.st_ino) continue;
      if (*before) {
        if (auto read = add_entries(**before, path_ + ".1", entries); !read) return tl::unexpected(read.error());
      }
      if (*now) {
        if (auto read = add_entries(**now, path_, entries); !read) return tl::unexpected(read.error());
      }
      return entries;
    }
    return tl::unexpected(
        base::Error{base::ErrorKind::Transient, "the journal " + path_ + " was replaced in every look at it", ""});
  }

 private:
  // Its name is on disk when this returns.
  base::Result<Open> open_to_write(const Descriptor& folder, const std::string& folder_path) const {
    auto opened = open_journal(path_, O_RDWR | O_APPEND | O_CREAT);
    if (!opened) return tl::unexpected(std::move(opened.error()));
    if (!*opened) return failed("open the journal", path_, ENOENT);
    if ((*opened)->about.st_size == 0) {
      if (auto synced = sync_folder(folder, folder_path); !synced) {
        synced.error().kind = base::ErrorKind::Transient;  // no line has been written
        return tl::unexpected(std::move(synced.error()));
      }
    }
    return std::move(**opened);
  }

  // The size of what remains.
  base::Result<std::size_t> cut_torn_line(const Open& opened) const {
    const auto size = static_cast<std::size_t>(opened.about.st_size);
    std::string tail;
    std::size_t start = size;
    std::size_t whole = 0;
    while (start > 0 && whole == 0) {
      const std::size_t more = std::min(start, kTail);
      start -= more;
      tail.insert(0, more, '\0');
      for (std::size_t done = 0; done < more;) {
        const ssize_t got =
            ::pread(opened.file.number(), tail.data() + done, more - done, static_cast<off_t>(start + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return failed("read the journal", path_, got < 0 ? errno : EIO);
        done += static_cast<std::size_t>(got);
      }
      whole = whole_lines(tail);
    }
    const std::size_t end = start + whole;
    if (end < size && ::ftruncate(opened.file.number(), static_cast<off_t>(end)) != 0) {
      return failed("cut the unfinished last line off the journal", path_, errno);
    }
    return end;
  }

  // A line that did not get there whole and for good is taken back, so that what is read is what was acted on.
  base::Result<void> write_line(const Descriptor& file, std::size_t size, const std::string& line) const {
    auto written = write_all(file, path_, line);
    if (written && ::fdatasync(file.number()) != 0) {
      written = failed("write to disk the journal", path_, errno);
      written.error().kind = base::ErrorKind::Ambiguous;
    }
    if (written) return {};
    if (::ftruncate(file.number(), static_cast<off_t>(size)) != 0) written.error().kind = base::ErrorKind::Ambiguous;
    return written;
  }

  base::Result<void> add_entries(const Open& opened, const std::string& path,
                                 std::vector<model::JournalEntry>& entries) const {
    const auto size = static_cast<std::size_t>(opened.about.st_size);
    if (size > most_ + kTail) {
      return base::invalid("the journal " + path + " is larger than any that we write", "move it away");
    }
    std::string text(size, '\0');
    std::size_t got = 0;
    while (got < size) {
      const ssize_t more = ::pread(opened.file.number(), text.data() + got, size - got, static_cast<off_t>(got));
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) return failed("read the journal", path, errno);
      if (more == 0) break;  // its writer cut a torn line off
      got += static_cast<std::size_t>(more);
    }
    text.resize(got);
    text.resize(whole_lines(text));
    std::size_t number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
      const std::size_t end = text.find('\n', at);
      auto entry =
          model::read_journal_line(std::string_view(text).substr(at, end - at), path + ":" + std::to_string(number));
      if (!entry) {
        entry.error().help = "the journal was changed or its disk is bad; move the file away to begin a new one";
        return tl::unexpected(std::move(entry.error()));
      }
      entries.push_back(std::move(*entry));
      at = end + 1;
    }
    return {};
  }

  std::string path_;
  std::size_t most_;
};

}  // namespace

std::unique_ptr<ports::Journal> make_journal(std::string path, std::size_t most_bytes) {
  return std::make_unique<FileJournal>(std::move(path), most_bytes);
}

}  // namespace quorate::adapters::system
