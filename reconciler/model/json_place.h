// Reading a value out of a JSON tree step by step: the first thing that is not as it should be is kept with its path.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"
#include "reconciler/base/time.h"
#include "reconciler/model/json_document.h"

namespace quorate::model {

struct JsonReading {
  const JsonTree& root;
  std::string problem;  // "/steps/0/id must be text"; empty: none so far
};

// A value in the tree. After a problem every read returns an empty value, so callers need not ask after each.
class JsonPlace {
 public:
  explicit JsonPlace(JsonReading& reading) : JsonPlace(&reading.root, reading) {}

  JsonPlace at(const char* key) const;     // must be there
  JsonPlace maybe(const char* key) const;  // exists() says whether it is there and not null
  bool exists() const { return value_ != nullptr && !value_->is_null(); }
  bool has(const char* key) const { return maybe(key).exists(); }
  bool names(const char* key) const { return maybe(key).value_ != nullptr; }  // null or not
  bool is_text() const { return value_ != nullptr && value_->is_string(); }

  std::string text() const;
  std::string text_or_null() const;  // null: empty
  bool truth() const;
  std::uint64_t natural(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  std::int64_t whole() const;  // from 0 on
  int count() const;           // from 0 on
  base::Time time() const;
  base::Time time_or_null() const;  // null: the epoch
  base::Duration milliseconds() const;
  std::uint64_t id() const;
  std::uint64_t id_or_null() const;  // null: 0
  std::vector<std::string> texts() const;
  void each(const std::function<void(const JsonPlace&)>& visit) const;                            // of an array
  void each_entry(const std::function<void(const std::string&, const JsonPlace&)>& visit) const;  // of an object

  // "must be a time ..."; kept when it is the first.
  void fail(const std::string& what) const;

 private:
  JsonPlace(const JsonTree* value, JsonReading& reading) : value_(value), reading_(&reading) {}
  bool is(bool right, const char* what) const;

  const JsonTree* value_;  // null: not there
  JsonReading* reading_;
};

// The value whose name stands there, out of all that there are.
template <class Values, class Name>
auto one_of(const JsonPlace& place, const Values& values, const Name& name) {
  const std::string text = place.text();
  std::string known;
  for (const auto& value : values) {
    if (name(value) == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(name(value));
  }
  place.fail("must be one of " + known + ", found " + in_quotes(text));
  return *std::begin(values);
}

}  // namespace quorate::model
