// Lines of a text.
#include "reconciler/model/source.h"

#include <utility>

#include "reconciler/base/check.h"

namespace quorate::model {

Source::Source(std::string name, std::string text, std::string directory)
    : name_(std::move(name)), text_(std::move(text)), directory_(std::move(directory)), line_starts_{0} {
  if (text_.compare(0, 3, "\xEF\xBB\xBF") == 0) text_.erase(0, 3);
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    line_starts_.push_back(at + 1);
  }
}

std::string_view Source::line(int number) const {
  QUORATE_CHECK(number >= 1 && number <= line_count());
  const std::size_t start = line_starts_[static_cast<std::size_t>(number) - 1];
  const std::size_t end = number == line_count() ? text_.size() : line_starts_[static_cast<std::size_t>(number)] - 1;
  std::string_view rest = std::string_view(text_).substr(start, end - start);
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

}  // namespace quorate::model
