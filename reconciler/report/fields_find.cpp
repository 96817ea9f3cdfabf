// From a path as somebody writes it to the field that it means.
#include <algorithm>
#include <cstddef>

#include "reconciler/base/suggest.h"
#include "reconciler/report/fields.h"

namespace quorate::report {
namespace {

constexpr std::string_view kAnyName = "<name>";
constexpr std::string_view kItem = "[]";
constexpr std::size_t kMostSuggestions = 3;

using Steps = std::vector<std::string>;

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string unquoted(std::string text) {
  const bool is_quoted =
      text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// "a.b[0].c", "a.b.0.c", "/a/b/0/c" and "a["b"]" alike; an index becomes "[]".
Steps steps_of(std::string_view path) {
  const char separator = path.substr(0, 1) == "/" ? '/' : '.';
  Steps steps;
  std::string step;
  char quote = 0;
  const auto finish = [&] {
    if (!step.empty()) steps.push_back(is_number(step) ? std::string(kItem) : unquoted(step));
    step.clear();
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      step += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      step += c;
    } else if (c == separator || c == ']') {
      finish();
    } else if (c == '[') {
      finish();
      if (path.substr(i, 2) == kItem) steps.emplace_back(kItem);
    } else {
      step += c;
    }
  }
  finish();
  return steps;
}

// How many steps agree word for word, or nothing when the path means another field. Names of entries may themselves
// have dots, so <name> takes as many steps as it needs when more follow it.
std::optional<std::size_t> agreement(const Field& field, const Steps& pattern, std::size_t p, const Steps& path,
                                     std::size_t at) {
  if (p == pattern.size()) {
    const std::size_t rest = path.size() - at;
    if (rest == 0) return std::size_t{0};
    if (field.holds == Holds::Entries) return std::size_t{0};
    if (field.holds == Holds::Items && rest == 1 && path[at] == kItem) return std::size_t{0};
    return std::nullopt;
  }
  if (at == path.size()) return std::nullopt;
  if (pattern[p] != kAnyName) {
    if (pattern[p] != path[at]) return std::nullopt;
    const auto rest = agreement(field, pattern, p + 1, path, at + 1);
    return rest ? std::optional(*rest + 1) : std::nullopt;
  }
  const std::size_t longest = p + 1 == pattern.size() ? at + 1 : path.size();
  std::optional<std::size_t> best;
  for (std::size_t next = at + 1; next <= longest; ++next) {
    const auto rest = agreement(field, pattern, p + 1, path, next);
    if (rest && (!best || *rest > *best)) best = rest;
  }
  return best;
}

}  // namespace

const Field* find_field(const std::vector<Field>& fields, std::string_view path) {
  const Steps steps = steps_of(path);
  const Field* found = nullptr;
  std::size_t best = 0;
  for (const Field& field : fields) {
    const auto agrees = agreement(field, steps_of(field.path), 0, steps, 0);
    if (agrees && (found == nullptr || *agrees > best)) {
      found = &field;
      best = *agrees;
    }
  }
  return found;
}

std::vector<const Field*> children_of(const std::vector<Field>& fields, const Field& field) {
  const Steps parent = steps_of(field.path);
  std::vector<const Field*> children;
  for (const Field& other : fields) {
    const Steps steps = steps_of(other.path);
    if (steps.size() <= parent.size() || !std::equal(parent.begin(), parent.end(), steps.begin())) continue;
    std::size_t depth = steps.size() - parent.size();
    const std::string& first = steps[parent.size()];
    if (depth > 1 && (first == kItem || first == kAnyName)) --depth;
    if (depth == 1) children.push_back(&other);
  }
  return children;
}

std::vector<std::string> near_fields(const std::vector<Field>& fields, std::string_view path) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& known) {
    if (found.size() < kMostSuggestions && std::find(found.begin(), found.end(), known) == found.end()) {
      found.push_back(known);
    }
  };
  Steps block = steps_of(path);
  if (block.empty()) return found;
  const std::string typed = block.back();
  block.pop_back();
  const auto add_named = [&](const std::string& name, bool in_its_block) {
    for (const Field& field : fields) {
      Steps steps = steps_of(field.path);
      if (steps.back() != name) continue;
      steps.pop_back();
      if (!in_its_block || agreement(Field{}, steps, 0, block, 0)) add(field.path);
    }
  };
  std::vector<std::string> paths, names;
  for (const Field& field : fields) {
    paths.push_back(field.path);
    names.push_back(steps_of(field.path).back());
  }
  const std::vector<std::string> slips = base::nearest(typed, names, names.size());

  // A slip in the right block comes first, then one anywhere in the path, then the same or a similar name elsewhere.
  for (const std::string& slip : slips) add_named(slip, true);
  for (const std::string& near : base::nearest(path, paths, kMostSuggestions)) add(near);
  add_named(typed, false);
  for (const std::string& slip : slips) add_named(slip, false);
  // Nothing is called like that: then it is at least something under this.
  const Field* holder = found.empty() ? find_field(fields, path.substr(0, path.find_last_of("./["))) : nullptr;
  if (holder != nullptr) add(holder->path);
  return found;
}

}  // namespace quorate::report
