// spdlog filters and locks; what a line looks like is made here, from text that a terminal cannot obey.
#include "reconciler/adapters/spdlog/events.h"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/base/time.h"
#include "reconciler/base/yaml_text.h"
#include "reconciler/report/prose.h"

namespace quorate::log {
namespace {

spdlog::level::level_enum level_of(ports::EventLevel level) {
  switch (level) {
    case ports::EventLevel::Debug:
      return spdlog::level::debug;
    case ports::EventLevel::Info:
      return spdlog::level::info;
    case ports::EventLevel::Warning:
      return spdlog::level::warn;
    case ports::EventLevel::Error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Name, and priority of syslog.
std::pair<const char*, const char*> names_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::debug:
      return {"debug", "<7>"};
    case spdlog::level::info:
      return {"info", "<6>"};
    case spdlog::level::warn:
      return {"warning", "<4>"};
    default:
      return {"error", "<3>"};
  }
}

// The marks that tell a terminal nothing stay out of JSON, too: everything beyond ASCII is written as \u....
std::string json_line(const std::string& time, const char* level, const std::string& text) {
  const base::Json line = {{"time", time}, {"level", level}, {"text", text}};
  return line.dump(-1, ' ', true, base::Json::error_handler_t::replace);
}

class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  LineSink(const EventOptions& options, bool with_time)
      : format_(options.format), with_time_(with_time), to_(options.to) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto [level, priority] = names_of(message.level);
    const std::string text(message.payload.data(), message.payload.size());
    const std::string time = base::to_string(std::chrono::floor<base::Duration>(message.time));
    std::string line;
    switch (format_) {
      case EventFormat::Text:
        line = (with_time_ ? time + " " : "") + level + ": " + report::printable(text);
        break;
      case EventFormat::Json:
        line = json_line(time, level, text);
        break;
      case EventFormat::Journal:
        line = priority + report::printable(text);
        break;
    }
    line += '\n';
    for (std::string_view left = line; !left.empty();) {
      const ssize_t wrote = ::write(to_, left.data(), left.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return;
      left.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }
  void flush_() override {}

  EventFormat format_;
  bool with_time_;
  int to_;
};

class Logged final : public ports::Events {
 public:
  explicit Logged(const EventOptions& options)
      : logger_("events", std::make_shared<LineSink>(options, !goes_to_the_journal(options.to))) {
    logger_.set_level(level_of(options.level));
    logger_.set_error_handler([](const std::string&) {});
  }

  void say(ports::EventLevel level, const std::string& text) override {
    logger_.log(level_of(level), spdlog::string_view_t(text));
  }

 private:
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<ports::Events> make_events(const EventOptions& options) {
  return std::make_unique<Logged>(options);
}

bool goes_to_the_journal(int file) {
  const char* named = ::getenv("JOURNAL_STREAM");
  struct stat about {};
  if (named == nullptr || ::fstat(file, &about) != 0) return false;
  return std::to_string(about.st_dev) + ":" + std::to_string(about.st_ino) == named;
}

}  // namespace quorate::log
