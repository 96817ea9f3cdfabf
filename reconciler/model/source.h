// A text that somebody wrote, and how to find a place in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::model {

struct Position {
  int line = 0;    // from 1; 0 = no place in the text
  int column = 0;  // from 1, in characters
};

struct Span {
  Position at;
  int length = 1;  // in characters, at least 1, within one line
};

class Source {
 public:
  // `directory` is where relative paths of the text start. A byte order mark is dropped.
  Source(std::string name, std::string text, std::string directory);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  const std::string& directory() const { return directory_; }

  int line_count() const { return static_cast<int>(line_starts_.size()); }
  std::string_view line(int number) const;  // from 1, without its line break

 private:
  std::string name_;
  std::string text_;
  std::string directory_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace quorate::model
