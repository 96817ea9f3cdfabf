// Facts and lists of our JSON documents, for both directions: a fact is {known or unknown, at}.
#pragma once

#include <vector>

#include "reconciler/model/fact.h"
#include "reconciler/model/json_words.h"

namespace quorate::model {

template <class T, class Write>
base::Json fact_json(const Fact<T>& fact, const Write& write) {
  base::Json object = base::Json::object();
  if (fact.is_known()) {
    object["known"] = write(*fact);
  } else {
    object["unknown"] = fact.why();
  }
  object["at"] = time_or_null(fact.at());
  return object;
}

template <class T, class Write>
base::Json list_json(const std::vector<T>& values, const Write& write) {
  base::Json list = base::Json::array();
  for (const T& value : values) list.push_back(write(value));
  return list;
}

// A fact that does not stand there is one that nobody looked at.
template <class Read>
auto read_fact(const JsonPlace& parent, const char* key, const Read& read) {
  using Value = decltype(read(parent));
  if (!parent.names(key)) return Fact<Value>();
  const JsonPlace place = parent.at(key);
  const base::Time at = place.has("at") ? place.at("at").time() : base::Time{};
  if (place.has("known") == place.has("unknown")) {
    place.fail("must have one of known and unknown");
    return Fact<Value>();
  }
  return place.has("known") ? Fact<Value>::known(read(place.at("known")), at)
                            : Fact<Value>::unknown(place.at("unknown").text(), at);
}

template <class Read>
auto read_list(const Read& read) {
  return [read](const JsonPlace& place) {
    std::vector<decltype(read(place))> all;
    place.each([&](const JsonPlace& item) { all.push_back(read(item)); });
    return all;
  };
}

}  // namespace quorate::model
