// The path of a problem is worked out when there is one, not before.
#include "reconciler/model/json_place.h"

#include <utility>

namespace quorate::model {
namespace {

// Keys that we did not ask for may hold anything, so they are shown as they may be shown.
bool find_path(const JsonTree& from, const JsonTree* wanted, std::string& path) {
  if (&from == wanted) return true;
  const std::size_t length = path.size();
  if (from.is_object()) {
    for (const auto& [key, child] : from.get_ref<const JsonTree::object_t&>()) {
      const std::string shown = in_quotes(key);
      path += "/" + shown.substr(1, shown.size() - 2);
      if (find_path(child, wanted, path)) return true;
      path.resize(length);
    }
  } else if (from.is_array()) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      path += "/" + std::to_string(i);
      if (find_path(from[i], wanted, path)) return true;
      path.resize(length);
    }
  }
  return false;
}

}  // namespace

void JsonPlace::fail(const std::string& what) const {
  if (!reading_->problem.empty() || value_ == nullptr) return;
  std::string path;
  find_path(reading_->root, value_, path);
  reading_->problem = (path.empty() ? "the document" : path) + " " + what;
}

bool JsonPlace::is(bool right, const char* what) const {
  if (!right) fail(what);
  return right;
}

JsonPlace JsonPlace::at(const char* key) const {
  if (value_ == nullptr || !is(value_->is_object(), "must be an object")) return {nullptr, *reading_};
  const auto found = value_->find(key);
  if (found != value_->end()) return {&*found, *reading_};
  fail("has no " + std::string(key));
  return {nullptr, *reading_};
}

JsonPlace JsonPlace::maybe(const char* key) const {
  if (value_ == nullptr || !value_->is_object()) return {nullptr, *reading_};
  const auto found = value_->find(key);
  return {found == value_->end() ? nullptr : &*found, *reading_};
}

std::string JsonPlace::text() const {
  if (value_ == nullptr || !is(value_->is_string(), "must be text")) return {};
  return value_->get<std::string>();
}

std::string JsonPlace::text_or_null() const {
  return exists() ? text() : std::string();
}

bool JsonPlace::truth() const {
  if (value_ == nullptr || !is(value_->is_boolean(), "must be true or false")) return false;
  return value_->get<bool>();
}

std::uint64_t JsonPlace::natural(std::uint64_t most) const {
  if (value_ == nullptr) return 0;
  // A number that is written as an integer and fits is kept unsigned; everything else is too large, negative or broken.
  const auto* number = value_->get_ptr<const JsonTree::number_unsigned_t*>();
  if (!is(number != nullptr && *number <= most, "must be a whole number that is not negative and fits")) return 0;
  return *number;
}

std::int64_t JsonPlace::whole() const {
  return static_cast<std::int64_t>(natural(std::numeric_limits<std::int64_t>::max()));
}

int JsonPlace::count() const {
  return static_cast<int>(natural(std::numeric_limits<int>::max()));
}

base::Time JsonPlace::time() const {
  const auto time = base::parse_time(text());
  if (!time) fail("must be a time in UTC such as 2026-09-24T09:12:41Z");
  return time.value_or(base::Time{});
}

base::Time JsonPlace::time_or_null() const {
  return exists() ? time() : base::Time{};
}

base::Duration JsonPlace::milliseconds() const {
  return base::Duration{whole()};
}

std::uint64_t JsonPlace::id() const {
  const auto id = base::parse_id(text());
  if (!id) fail("must be an ID: 1 to 16 hexadecimal digits");
  if (id && *id == 0) fail("must be an ID: 0 names nothing");
  return id.value_or(0);
}

std::uint64_t JsonPlace::id_or_null() const {
  return exists() ? id() : 0;
}

std::vector<std::string> JsonPlace::texts() const {
  std::vector<std::string> all;
  each([&](const JsonPlace& item) { all.push_back(item.text()); });
  return all;
}

void JsonPlace::each(const std::function<void(const JsonPlace&)>& visit) const {
  if (value_ == nullptr || !is(value_->is_array(), "must be a list")) return;
  for (const JsonTree& item : *value_) {
    if (!reading_->problem.empty()) return;
    visit({&item, *reading_});
  }
}

void JsonPlace::each_entry(const std::function<void(const std::string&, const JsonPlace&)>& visit) const {
  if (value_ == nullptr || !is(value_->is_object(), "must be an object")) return;
  for (const auto& [key, child] : value_->get_ref<const JsonTree::object_t&>()) {
    if (!reading_->problem.empty()) return;
    visit(key, {&child, *reading_});
  }
}

}  // namespace quorate::model
