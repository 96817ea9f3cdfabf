// Times and numbers in names; what does not fit exactly is not ours to interpret.
#include "reconciler/model/backup_name.h"

#include <algorithm>
#include <charconv>

namespace quorate::model {
namespace {

constexpr std::size_t kLongestMember = 64;
constexpr std::size_t kLongestName = 255;
constexpr std::string_view kObjectStem = "etcd.backup";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

std::optional<int> two_digits(std::string_view text) {
  int number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.size() != 2 || end.ec != std::errc{} || end.ptr != text.data() + 2 || number < 0) return std::nullopt;
  return number;
}

// "2018-01-30T01:02:03+01:00" as RFC 3339 has it.
std::optional<base::Time> with_offset(std::string_view text) {
  constexpr std::size_t kOffset = 6;
  if (text.size() <= kOffset) return std::nullopt;
  const std::string_view offset = text.substr(text.size() - kOffset);
  if ((offset[0] != '+' && offset[0] != '-') || offset[3] != ':') return std::nullopt;
  const auto hours = two_digits(offset.substr(1, 2));
  const auto minutes = two_digits(offset.substr(4, 2));
  const auto local = base::parse_time(std::string(text.substr(0, text.size() - kOffset)) + "Z");
  if (!hours || !minutes || !local || *hours > 23 || *minutes > 59) return std::nullopt;
  const base::Duration ahead = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return offset[0] == '+' ? *local - ahead : *local + ahead;
}

void read_suffix(std::string_view suffix, BackupName& name) {
  if (suffix.empty() || suffix.front() != 'r') return;
  suffix.remove_prefix(1);
  const std::size_t dash = suffix.find('-');
  if (dash == std::string_view::npos || dash + 1 == suffix.size()) return;
  std::int64_t revision = 0;
  const auto end = std::from_chars(suffix.data(), suffix.data() + dash, revision);
  if (dash == 0 || end.ec != std::errc{} || end.ptr != suffix.data() + dash || revision < 0) return;
  name.revision = revision;
}

}  // namespace

std::optional<BackupName> parse_backup_name(std::string_view text) {
  if (text.size() > kLongestName) return std::nullopt;
  const std::size_t mark = text.find("Z-");
  const std::string_view time = text.substr(0, mark == std::string_view::npos ? text.size() : mark + 1);
  auto at = base::parse_time(time);
  if (!at && mark == std::string_view::npos) at = with_offset(time);
  if (!at) return std::nullopt;
  BackupName name;
  name.at = *at;
  if (mark != std::string_view::npos) read_suffix(text.substr(mark + 2), name);
  return name;
}

std::string backup_name(base::Time at, std::int64_t revision, std::string_view member, std::string_view mark) {
  std::string plain(member.substr(0, kLongestMember));
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return !is_plain(c); }, '_');
  if (plain.empty()) plain = "unnamed";
  return base::to_string(std::chrono::floor<std::chrono::seconds>(at)) + "-r" + std::to_string(revision) + "-" + plain +
         "-" + std::string(mark);
}

std::string_view name_of(VerifiedHow how) {
  return how == VerifiedHow::Restore ? "restore" : "checksum";
}

std::string file_name(const BackupObject& object) {
  std::string name(kObjectStem);
  if (object.packing == Packing::Gzip) name += ".gz";
  if (object.packing == Packing::Zstd) name += ".zst";
  if (object.sealed) name += ".enc";
  return name;
}

std::optional<BackupObject> parse_backup_object(std::string_view name) {
  for (const Packing packing : {Packing::None, Packing::Gzip, Packing::Zstd}) {
    for (const bool sealed : {false, true}) {
      if (file_name({packing, sealed}) == name) return BackupObject{packing, sealed};
    }
  }
  return std::nullopt;
}

}  // namespace quorate::model
