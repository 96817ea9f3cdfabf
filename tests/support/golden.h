// Golden files: compare what was made with what is checked in, show the difference, and never accept by accident.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quorate::support {

inline std::filesystem::path golden_path(const std::string& path) {
  return std::filesystem::path(QUORATE_SOURCE_DIR) / "tests" / "golden" / path;
}

inline bool accepts_goldens() {
  const char* value = std::getenv("QUORATE_ACCEPT");
  return value != nullptr && std::string(value) == "1";
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (!text.empty() && text.back() != '\n') lines.back() += "  (no line break at the end)";
  return lines;
}

// Where two texts part and meet again, with two lines around it.
inline std::string difference(const std::string& expected, const std::string& actual) {
  const auto was = lines_of(expected);
  const auto is = lines_of(actual);
  std::size_t head = 0;
  while (head < was.size() && head < is.size() && was[head] == is[head]) ++head;
  std::size_t tail = 0;
  while (tail < was.size() - head && tail < is.size() - head &&
         was[was.size() - 1 - tail] == is[is.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t from = head < 2 ? 0 : head - 2;
  std::string text = "@@ line " + std::to_string(from + 1) + "\n";
  for (std::size_t i = from; i < head; ++i) text += "  " + was[i] + "\n";
  for (std::size_t i = head; i < was.size() - tail; ++i) text += "- " + was[i] + "\n";
  for (std::size_t i = head; i < is.size() - tail; ++i) text += "+ " + is[i] + "\n";
  for (std::size_t i = is.size() - tail; i < is.size() && i < is.size() - tail + 2; ++i) text += "  " + is[i] + "\n";
  return text;
}

inline void write_golden(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

inline void check_golden(const std::filesystem::path& file, const std::string& text) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    ADD_FAILURE() << file << " is missing; QUORATE_ACCEPT=1 writes it:\n" << text;
    return;
  }
  const std::string expected{std::istreambuf_iterator<char>(stream), {}};
  if (expected != text) {
    ADD_FAILURE() << file << " differs; QUORATE_ACCEPT=1 accepts this:\n" << difference(expected, text);
  }
}

// `path` below tests/golden. With QUORATE_ACCEPT=1 the file is written and the test skipped: accepting never passes.
inline void compare_with_golden(const std::string& path, const std::string& text) {
  if (accepts_goldens()) {
    write_golden(golden_path(path), text);
    GTEST_SKIP() << "accepted " << path;
  }
  check_golden(golden_path(path), text);
}

// A folder that holds exactly these files: a checked-in file that nothing makes any more is a failure.
inline void compare_folder_with_golden(const std::string& folder, const std::map<std::string, std::string>& files) {
  const auto root = golden_path(folder);
  if (accepts_goldens()) {
    std::filesystem::remove_all(root);
    for (const auto& [name, text] : files) write_golden(root / name, text);
    GTEST_SKIP() << "accepted " << folder;
  }
  for (const auto& [name, text] : files) check_golden(root / name, text);
  if (!std::filesystem::exists(root)) return;  // each file was reported missing
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().lexically_relative(root).generic_string();
    if (entry.is_regular_file() && files.count(name) == 0) ADD_FAILURE() << entry.path() << " is made by nothing";
  }
}

}  // namespace quorate::support
