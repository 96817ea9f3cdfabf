// Every line is taken apart into characters first: marks stand under characters, not under bytes.
#include "reconciler/report/excerpt.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

constexpr std::size_t kNarrowestGutter = 3;
constexpr std::size_t kNarrowestLine = 40;
constexpr std::string_view kCut = "...";

struct Mark {
  std::size_t begin = 0;  // in characters of the line, from 0
  std::size_t end = 0;
  bool is_finding = false;
  std::string note;
};

// The part of a line that is shown.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Paper {
  std::size_t gutter = kNarrowestGutter;
  bool is_error = true;
  const Style& style;
};

Mark mark_for(const model::Excerpt& place, std::size_t line_length, bool is_finding) {
  // A place may lie behind the last character: something is missing there. And a masked secret is shorter than it was.
  const auto column = static_cast<std::size_t>(std::max(place.caret, 1));
  const auto length = static_cast<std::size_t>(std::max(place.span.length, 1));
  Mark mark;
  mark.begin = std::min(column - 1, line_length);
  mark.end = std::max(mark.begin + 1, std::min(mark.begin + length, line_length));
  mark.is_finding = is_finding;
  mark.note = printable(place.note);
  return mark;
}

Window window_around(std::size_t begin, std::size_t end, std::size_t line_length, std::size_t width) {
  if (line_length <= width) return {0, line_length};
  const std::size_t room = width - 2 * kCut.size();
  const std::size_t shown = std::min(end - begin, room);
  const std::size_t before = std::min(begin, (room - shown) / 2);
  const std::size_t first = std::min(begin - before, line_length - room);
  // A cut that hides no more than its own three dots is no cut.
  if (first <= kCut.size()) return {0, width - kCut.size()};
  if (first + room + kCut.size() >= line_length) return {line_length - room - kCut.size(), line_length};
  return {first, first + room};
}

std::string colored_mark(const Paper& paper, char symbol, std::string_view text) {
  if (symbol == '-') return paper.style.cyan(text);
  return paper.is_error ? paper.style.red(text) : paper.style.yellow(text);
}

// `offset` is where the first shown character of the line stands.
std::string marks_line(const Paper& paper, const std::vector<Mark>& marks, const Window& window, std::size_t offset) {
  std::string symbols;
  const auto draw = [&](const Mark& mark) {
    const std::size_t begin = mark.begin - window.begin + offset;
    const std::size_t end =
        std::max(begin + 1, std::min(mark.end, std::max(window.end, mark.begin + 1)) - window.begin + offset);
    if (symbols.size() < end) symbols.resize(end, ' ');
    std::fill(symbols.begin() + static_cast<std::ptrdiff_t>(begin), symbols.begin() + static_cast<std::ptrdiff_t>(end),
              mark.is_finding ? '^' : '-');
  };
  // The finding's own mark comes last and lies on top.
  for (const Mark& mark : marks) {
    if (!mark.is_finding) draw(mark);
  }
  for (const Mark& mark : marks) {
    if (mark.is_finding) draw(mark);
  }
  std::string text;
  for (std::size_t at = 0; at < symbols.size();) {
    const std::size_t end = std::min(symbols.find_first_not_of(symbols[at], at), symbols.size());
    const std::string run = symbols.substr(at, end - at);
    text += symbols[at] == ' ' ? run : colored_mark(paper, symbols[at], run);
    at = end;
  }
  return text;
}

std::string note_text(const Paper& paper, const Mark& mark) {
  return colored_mark(paper, mark.is_finding ? '^' : '-', mark.note);
}

std::string ruled(const Paper& paper, std::string_view number, const std::string& content) {
  const std::string gutter = std::string(paper.gutter - number.size(), ' ') + std::string(number) + " |";
  return paper.style.dim(gutter) + (content.empty() ? "" : " " + content) + "\n";
}

// One source line, the marks under it with the note of the rightmost, and the other notes below, from right to left.
std::string marked_line(const Paper& paper, int number, const std::vector<std::string>& characters,
                        std::vector<Mark> marks, const Window& window) {
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.end < b.end; });
  const bool cut_before = window.begin > 0;
  std::string line(cut_before ? kCut : "");
  for (std::size_t i = window.begin; i < window.end; ++i) line += characters[i];
  if (window.end < characters.size()) line += kCut;
  while (!line.empty() && line.back() == ' ') line.pop_back();

  const std::size_t offset = cut_before ? kCut.size() : 0;
  const Mark& rightmost = marks.back();
  std::string text = ruled(paper, std::to_string(number), line);
  text += ruled(
      paper, "",
      marks_line(paper, marks, window, offset) + (rightmost.note.empty() ? "" : " " + note_text(paper, rightmost)));
  for (auto mark = marks.rbegin() + 1; mark != marks.rend(); ++mark) {
    if (mark->note.empty()) continue;
    text += ruled(paper, "", std::string(mark->begin - window.begin + offset, ' ') + note_text(paper, *mark));
  }
  return text;
}

// All places of one line. They are shown together, or one by one where a long line must be cut between them.
std::string line_text(const Paper& paper, const model::Finding& finding,
                      const std::vector<const model::Excerpt*>& places) {
  const model::Excerpt& shown = *places.front();
  const std::vector<std::string> characters = printable_characters(shown.line);
  const std::size_t width = std::max(paper.style.width, kNarrowestLine);

  std::vector<Mark> marks;
  for (const model::Excerpt* place : places) {
    marks.push_back(mark_for(*place, characters.size(), place == &finding.place));
  }
  std::size_t begin = marks.front().begin, end = marks.front().end;
  for (const Mark& mark : marks) {
    begin = std::min(begin, mark.begin);
    end = std::max(end, mark.end);
  }
  const int number = shown.span.at.line;
  if (characters.size() <= width || marks.size() == 1 || end - begin <= width - 2 * kCut.size()) {
    return marked_line(paper, number, characters, marks, window_around(begin, end, characters.size(), width));
  }
  std::string text;
  for (const Mark& mark : marks) {
    text +=
        marked_line(paper, number, characters, {mark}, window_around(mark.begin, mark.end, characters.size(), width));
  }
  return text;
}

}  // namespace

std::string excerpt_text(const model::Finding& finding, const Style& style) {
  std::vector<const model::Excerpt*> places;
  const auto add = [&](const model::Excerpt& place) {
    if (place.span.at.line > 0 && !place.line.empty()) places.push_back(&place);
  };
  add(finding.place);
  for (const model::Excerpt& place : finding.related) add(place);
  if (places.empty()) return {};
  std::stable_sort(places.begin(), places.end(),
                   [](const model::Excerpt* a, const model::Excerpt* b) { return a->span.at.line < b->span.at.line; });
  const std::size_t digits = std::to_string(places.back()->span.at.line).size();
  const Paper paper{std::max(digits, kNarrowestGutter), model::severity(finding.code) == model::Severity::Error, style};

  std::string text;
  for (auto first = places.begin(); first != places.end();) {
    // A line that was cut for one place shows another part for the next, and their marks do not belong together.
    const auto last = std::find_if(first, places.end(), [&](const model::Excerpt* place) {
      return place->span.at.line != (*first)->span.at.line || place->line != (*first)->line;
    });
    text += line_text(paper, finding, {first, last});
    first = last;
  }
  return text;
}

}  // namespace quorate::report
