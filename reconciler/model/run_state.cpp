// Reads etcd's last words: its own JSON lines, the older format of 3.4, Go's flag errors and panics.
#include "reconciler/model/run_state.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <nlohmann/json.hpp>

#include "reconciler/base/check.h"
#include "reconciler/base/utf8.h"

namespace quorate::model {
namespace {

constexpr std::size_t kLine = std::size_t{64} << 10;
constexpr std::size_t kText = 400;

// How much a line tells about an end. A panic stands twice, and the second time, as Go puts it, without the error.
enum class Weight { None, Mentions, Error, Panic, Fatal };

struct Line {
  Weight weight = Weight::None;
  std::string message;
  std::string error;

  std::string text() const { return error.empty() ? message : message + ": " + error; }
};

bool begins(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool holds(std::string_view text, std::string_view piece) {
  return text.find(piece) != std::string_view::npos;
}

std::string word(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Line from_json(std::string_view text) {
  const auto entry = nlohmann::json::parse(text, nullptr, false);
  if (!entry.is_object()) return {};
  Line line{Weight::None, word(entry, "msg"), word(entry, "error")};
  const std::string level = word(entry, "level");
  if (level == "fatal" || level == "panic") {
    line.weight = Weight::Fatal;
  } else if (line.message == "failed to verify flags" || line.message == "failed to start etcd") {
    line.weight = Weight::Panic;  // only warnings, but etcd ends after them
  } else if (level == "error") {
    line.weight = Weight::Error;
  } else if (level == "warn") {
    line.weight = Weight::Mentions;
  }
  return line;
}

// "2026-11-18 16:58:14.510025 C | etcdmain: listen tcp 127.0.0.1:2379: bind: address already in use"
Line from_3_4(std::string_view text) {
  const auto bar = text.find(" | ");
  if (bar == std::string_view::npos || bar < 2 || bar > 40 || text[bar - 2] != ' ') return {};
  std::string_view message = text.substr(bar + 3);
  const auto colon = message.find(": ");  // behind the name of its package
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  switch (text[bar - 1]) {
    case 'C':
      return {Weight::Fatal, std::string(message), ""};
    case 'E':
      return {begins(message, "error verifying flags") ? Weight::Panic : Weight::Error, std::string(message), ""};
    case 'W':
      return {Weight::Mentions, std::string(message), ""};
    default:
      return {};
  }
}

bool is_flag_error(std::string_view text) {
  return begins(text, "flag provided but not defined") || begins(text, "flag needs an argument") ||
         begins(text, "bad flag syntax") || begins(text, "invalid value \"") || begins(text, "invalid boolean ");
}

Line read_line(std::string_view text) {
  if (text.empty() || text.size() > kLine) return {};
  if (text.front() == '{') return from_json(text);
  if (is_flag_error(text) || begins(text, "panic: ") || begins(text, "fatal error: ")) {
    return {Weight::Panic, std::string(text), ""};
  }
  return text.front() >= '0' && text.front() <= '9' ? from_3_4(text) : Line{};
}

bool says_removed(const Line& line) {
  constexpr std::string_view kRemoved = "the member has been permanently removed from the cluster";
  return (line.message == "server error" && line.error == kRemoved) || (line.message == kRemoved && line.error.empty());
}

bool about_certificate(std::string_view text) {
  // Beside the data below "member", certificates are all that etcd opens under these words.
  const bool opens = holds(text, "open ") && !holds(text, "/member/") &&
                     (begins(text, "listener failed: open ") || begins(text, "discovery failed: open ") ||
                      begins(text, "failed to start etcd: open ") || begins(text, "open ") ||
                      begins(text, "creating peer listener failed: open "));
  return opens || holds(text, "tls: ") || holds(text, "x509: ") || holds(text, "KeyFile and CertFile");
}

EndReason reason_of(std::string_view text) {
  struct Known {
    std::string_view piece;
    EndReason reason;
  };
  static constexpr std::array kKnown{
      Known{"no space left on device", EndReason::DiskFull},
      Known{"disk quota exceeded", EndReason::DiskFull},
      Known{"address already in use", EndReason::PortTaken},
      Known{"failed to verify flags", EndReason::BadConfig},
      Known{"error verifying flags", EndReason::BadConfig},
      Known{"cannot assign requested address", EndReason::BadConfig},
      Known{"in the initial cluster configuration", EndReason::BadConfig},
      Known{"cluster ID mismatch", EndReason::ClusterIdMismatch},
      Known{"invalid downgrade", EndReason::WrongVersion},
      Known{"incompatible with current running cluster", EndReason::WrongVersion},
      Known{"not allowed to join when downgrade", EndReason::WrongVersion},
      Known{"crc mismatch", EndReason::DataUnusable},
      Known{"wal: ", EndReason::DataUnusable},
      Known{"failed to open database", EndReason::DataUnusable},
      Known{"cannot open database", EndReason::DataUnusable},
      Known{"invalid database", EndReason::DataUnusable},
      Known{"Was the raft log corrupted", EndReason::DataUnusable},
      Known{"cannot use none as id", EndReason::DataUnusable},  // what a log without its first record leads to
      Known{"failed to recover v3 backend", EndReason::DataUnusable},
      Known{"snap: ", EndReason::DataUnusable},
  };
  if (is_flag_error(text)) return EndReason::BadFlag;
  for (const Known& known : kKnown) {
    if (holds(text, known.piece)) return known.reason;
  }
  return about_certificate(text) ? EndReason::BadCertificate : EndReason::Other;
}

// One short line of UTF-8 that cannot do anything to a terminal.
std::string plain(std::string text) {
  if (text.size() > kLine) text.resize(kLine);
  while (const auto bad = base::first_invalid_utf8(text)) text[*bad] = '?';
  for (char& letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7f) letter = ' ';
  }
  if (text.size() <= kText) return text;
  std::size_t end = kText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string without_words(int status) {
  if (status < 0) return "it ended and said nothing about why";
  if (status > 128) return "it was ended by signal " + std::to_string(status - 128);
  return "it ended with status " + std::to_string(status) + " and said nothing about why";
}

}  // namespace

std::string_view name_of(RunPhase phase) {
  switch (phase) {
    case RunPhase::Stopped:
      return "Stopped";
    case RunPhase::Running:
      return "Running";
    case RunPhase::Waiting:
      return "Waiting";
    case RunPhase::Ended:
      return "Ended";
  }
  QUORATE_CHECK(false);
}

std::string_view name_of(EndReason reason) {
  switch (reason) {
    case EndReason::None:
      return "None";
    case EndReason::PortTaken:
      return "PortTaken";
    case EndReason::BadFlag:
      return "BadFlag";
    case EndReason::BadConfig:
      return "BadConfig";
    case EndReason::BadCertificate:
      return "BadCertificate";
    case EndReason::DiskFull:
      return "DiskFull";
    case EndReason::RemovedFromCluster:
      return "RemovedFromCluster";
    case EndReason::ClusterIdMismatch:
      return "ClusterIdMismatch";
    case EndReason::DataUnusable:
      return "DataUnusable";
    case EndReason::WrongVersion:
      return "WrongVersion";
    case EndReason::Other:
      return "Other";
  }
  QUORATE_CHECK(false);
}

Ending ending_of(std::string_view output, int status) {
  Line last;     // the weightiest, of those the last
  Line mention;  // a warning that would explain an end without any words
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    Line line = read_line(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (says_removed(line)) return {EndReason::RemovedFromCluster, plain(line.text())};
    if (line.weight == Weight::None) continue;
    const EndReason reason = reason_of(line.text());
    if (reason == EndReason::DiskFull || reason == EndReason::ClusterIdMismatch) mention = line;
    if (line.weight != Weight::Mentions && line.weight >= last.weight) last = std::move(line);
  }
  // A signal comes from outside, whatever etcd said before, and after an orderly end an old error is no reason.
  const bool ended_by_itself = status <= 128 && (status != 0 || last.weight >= Weight::Panic);
  if (!ended_by_itself) return {EndReason::Other, without_words(status)};
  const EndReason reason = last.weight == Weight::None ? EndReason::Other : reason_of(last.text());
  if (reason == EndReason::Other && mention.weight != Weight::None) {
    return {reason_of(mention.text()), plain(mention.text())};
  }
  return {reason, last.weight == Weight::None ? without_words(status) : plain(last.text())};
}

}  // namespace quorate::model
