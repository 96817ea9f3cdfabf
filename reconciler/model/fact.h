// What was seen, or why it could not be seen. Unknown is never taken for absent.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "reconciler/base/time.h"

namespace quorate::model {

template <class T>
class Fact {
 public:
  Fact() = default;  // Unknown: "nobody looked"

  static Fact known(T value, base::Time at) {
    Fact fact;
    fact.content_ = std::move(value);
    fact.at_ = at;
    return fact;
  }
  static Fact unknown(std::string why, base::Time at = {}) {
    Fact fact;
    fact.content_ = Why{std::move(why)};
    fact.at_ = at;
    return fact;
  }

  bool is_known() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return is_known(); }
  const T* get() const { return std::get_if<T>(&content_); }  // null: Unknown
  T* get() { return std::get_if<T>(&content_); }
  const T& operator*() const { return std::get<T>(content_); }
  const T* operator->() const { return &std::get<T>(content_); }
  const std::string& why() const { return std::get<Why>(content_).text; }  // of an Unknown only
  base::Time at() const { return at_; }                                    // when it was looked at; epoch: never

  friend bool operator==(const Fact&, const Fact&) = default;

 private:
  struct Why {
    std::string text;
    friend bool operator==(const Why&, const Why&) = default;
  };
  std::variant<Why, T> content_{Why{"nobody looked"}};
  base::Time at_{};
};

}  // namespace quorate::model
