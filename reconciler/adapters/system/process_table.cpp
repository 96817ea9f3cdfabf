// Arguments, environment and configuration file of every process that looks like etcd.
#include "reconciler/adapters/system/process_table.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/files.h"
#include "reconciler/adapters/system/program_version.h"
#include "reconciler/base/path.h"
#include "reconciler/base/time.h"

namespace quorate::adapters::system {
namespace {

constexpr std::size_t kProcFile = 4 * 1024 * 1024;
constexpr std::size_t kConfigFile = 1024 * 1024;

enum class Answer { No, Yes, CannotTell };

std::vector<std::string> split_at_zeros(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// "etcd", "etcd-3.5", not "etcdctl".
bool is_etcd_name(std::string_view program) {
  const auto slash = program.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? program : program.substr(slash + 1);
  if (name.substr(0, 4) != "etcd") return false;
  const std::string_view rest = name.substr(4);
  return rest.empty() || !((rest.front() >= 'a' && rest.front() <= 'z') || rest.front() == '_');
}

// --key=value, --key value, with one dash or two, as Go's flags are written; the last one counts.
std::optional<std::string> argument(const std::vector<std::string>& words, std::string_view key) {
  std::optional<std::string> found;
  for (std::size_t at = 1; at < words.size(); ++at) {
    std::string_view word = words[at];
    if (word.substr(0, 1) != "-") continue;
    word.remove_prefix(word.substr(0, 2) == "--" ? 2 : 1);
    if (word.substr(0, key.size()) != key) continue;
    if (word.size() == key.size() && at + 1 < words.size()) found = words[at + 1];
    if (word.substr(key.size(), 1) == "=") found = std::string(word.substr(key.size() + 1));
  }
  return found;
}

std::optional<std::string> variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& line : environment) {
    if (line.size() > name.size() && line[name.size()] == '=' && line.substr(0, name.size()) == name) {
      return line.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

// The value of "data-dir" at the start of a line; etcd's configuration files are flat in this place.
std::optional<std::string> data_dir_in(const std::string& config) {
  for (std::size_t at = 0; at < config.size();) {
    const std::size_t end = std::min(config.find('\n', at), config.size());
    std::string_view line = std::string_view(config).substr(at, end - at);
    at = end + 1;
    if (line.substr(0, 9) != "data-dir:") continue;
    line.remove_prefix(9);
    const auto first = line.find_first_not_of(" \t\"'");
    const auto last = line.find_last_not_of(" \t\r\"'");
    if (first != std::string_view::npos) return std::string(line.substr(first, last - first + 1));
  }
  return std::nullopt;
}

std::string own_config(const model::Member& member) {
  return "/" + member.name + "/etcd.yaml";
}

// A kernel thread and a process that has ended have no words.
bool may_be_etcd(const std::vector<std::string>& words, const model::Member& member) {
  if (words.empty()) return false;
  if (is_etcd_name(words.front())) return true;
  const auto config = argument(words, "config-file");
  return config && ends_with(*config, own_config(member));
}

class Candidate {
 public:
  Candidate(std::string folder, std::vector<std::string> words)
      : folder_(std::move(folder)), words_(std::move(words)) {}

  Answer belongs_to(const model::Member& member) const {
    const auto config = argument(words_, "config-file");
    const auto environ = read_whole_file(folder_ + "/environ", kProcFile);
    const bool readable = environ.has_value() && environ->has_value();
    const std::vector<std::string> environment = readable ? split_at_zeros(**environ) : std::vector<std::string>();

    if (const auto path = config ? config : variable(environment, "ETCD_CONFIG_FILE")) {
      return by_config(*path, own_config(member), member);
    }
    if (const auto dir = argument(words_, "data-dir")) return by_directory(*dir, member);
    if (const auto dir = variable(environment, "ETCD_DATA_DIR")) return by_directory(*dir, member);
    if (!readable) return Answer::CannotTell;  // its environment may name another directory than we think
    const auto name = argument(words_, "name");
    return name.value_or(variable(environment, "ETCD_NAME").value_or("default")) == member.name ? Answer::Yes
                                                                                                : Answer::No;
  }

 private:
  Answer by_config(const std::string& path, const std::string& own_config, const model::Member& member) const {
    const auto absolute = from_its_folder(path);
    const auto config = absolute ? read_whole_file(*absolute, kConfigFile) : std::optional<std::string>();
    const auto dir = config && *config ? data_dir_in(**config) : std::nullopt;
    if (dir) return by_directory(*dir, member);
    return ends_with(path, own_config) ? Answer::Yes : Answer::CannotTell;
  }

  Answer by_directory(const std::string& dir, const model::Member& member) const {
    const auto absolute = from_its_folder(dir);
    if (!absolute) return Answer::CannotTell;
    struct stat its {};
    struct stat ours {};
    const bool same_folder = ::stat(absolute->c_str(), &its) == 0 && ::stat(member.data_dir.c_str(), &ours) == 0 &&
                             its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
    return same_folder || *absolute == base::join_path("/", member.data_dir) ? Answer::Yes : Answer::No;
  }

  // Relative paths start where the process stands.
  std::optional<std::string> from_its_folder(const std::string& path) const {
    if (base::is_absolute(path)) return base::join_path("/", path);
    std::string here(4096, '\0');
    const ssize_t length = ::readlink((folder_ + "/cwd").c_str(), here.data(), here.size());
    if (length <= 0 || static_cast<std::size_t>(length) == here.size()) return std::nullopt;
    here.resize(static_cast<std::size_t>(length));
    return base::join_path(here, path);
  }

  std::string folder_;
  std::vector<std::string> words_;
};

// The letter of the state in "stat", which stands behind the name in brackets; the name may hold brackets too.
bool is_dead(const std::string& stat) {
  const auto bracket = stat.rfind(')');
  if (bracket == std::string::npos || bracket + 2 >= stat.size()) return true;
  const char state = stat[bracket + 2];
  return state == 'Z' || state == 'X' || state == 'x';
}

std::optional<std::int64_t> process_number(const std::string& name) {
  std::int64_t number = 0;
  const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
  if (end.ec != std::errc{} || end.ptr != name.data() + name.size()) return std::nullopt;
  return number;
}

// Of each process that runs, at each look: in as few calls as can be. Nothing: it cannot be read.
std::optional<std::string> read_words(const std::string& folder) {
  const Descriptor file(::open((folder + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 4096> part{};
  while (text.size() < kProcFile) {
    const ssize_t got = ::read(file.number(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    text.append(part.data(), static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < part.size()) break;  // /proc gives all it has
  }
  return text;
}

// The words first: they are cheap to read, and say of nearly every process that it is none.
Answer judge(const std::string& folder, const model::Member& member) {
  struct ::stat there {};
  // A process that ends while we look is not there any more; one that we may not read still is.
  const auto unreadable = [&] { return ::stat(folder.c_str(), &there) == 0 ? Answer::CannotTell : Answer::No; };
  const auto text = read_words(folder);
  if (!text) return unreadable();
  std::vector<std::string> words = split_at_zeros(*text);
  if (!may_be_etcd(words, member)) return Answer::No;
  const auto stat = read_whole_file(folder + "/stat", kProcFile);
  if (!stat || !*stat) return unreadable();
  return is_dead(**stat) ? Answer::No : Candidate(folder, std::move(words)).belongs_to(member);
}

tl::unexpected<base::Error> cannot_tell(const std::string& what) {
  return tl::unexpected(
      base::Error{base::ErrorKind::Refused, what, "run it as root, or as the user that etcd runs as"});
}

base::Result<model::Process> find_anywhere(const std::string& proc, const model::Member& member) {
  const auto names = list_folder(proc);
  if (!names) return tl::unexpected(names.error());
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names->value_or(std::vector<std::string>())) {
    if (const auto number = process_number(name)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  // The first process is always there; where it is not shown, others are hidden too.
  if (numbers.empty() || numbers.front() != 1) return cannot_tell(proc + " does not show the processes of others");

  std::optional<std::int64_t> unclear;
  for (const std::int64_t number : numbers) {
    const std::string folder = proc + "/" + std::to_string(number);
    const Answer answer = judge(folder, member);
    if (answer == Answer::Yes) return model::Process{true, number, version_of_process(folder)};
    if (answer == Answer::CannotTell) unclear = number;
  }
  if (unclear) {
    return cannot_tell("process " + std::to_string(*unclear) + " may be the etcd of member " + member.name +
                       ", but it cannot be looked at");
  }
  return model::Process{};
}

}  // namespace

// It is mostly the one that it was, and then nobody else has to be looked at.
base::Result<model::Process> ProcessTable::find(const model::Member& member) {
  std::int64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    last = last_[member.name];
  }
  const std::string folder = proc_ + "/" + std::to_string(last);
  if (last != 0 && judge(folder, member) == Answer::Yes) return model::Process{true, last, version_of_process(folder)};
  auto found = find_anywhere(proc_, member);
  const std::lock_guard lock(mutex_);
  last_[member.name] = found ? found->pid : 0;
  return found;
}

}  // namespace quorate::adapters::system
