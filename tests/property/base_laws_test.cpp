// Laws of the base: what is written is read back.
#include <gtest/gtest.h>
// Its header wants gtest's in front of it.
#include <rapidcheck/gtest.h>
#include <yaml-cpp/yaml.h>

#include "reconciler/base/suggest.h"
#include "reconciler/base/units.h"
#include "reconciler/base/utf8.h"
#include "reconciler/base/yaml_text.h"

namespace quorate::base {
namespace {

// Texts that are likely to be mistaken for something else.
rc::Gen<std::string> tricky_text() {
  return rc::gen::oneOf(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)),
                        rc::gen::container<std::string>(
                            rc::gen::element(' ', ':', '-', '#', '\'', '"', '\n', '\t', '{', 'a', '0', '.', 'e', '~')),
                        rc::gen::element<std::string>("yes", "NO", "null", "0x1F", "1e3", "0o7", "2026-11-18", "12:30",
                                                      "<<", "=", "\xC3\xA4", "\xF0\x9F\x98\x80", "\xE2\x80\xA8", ".inf",
                                                      "-", "---", "...", "1_000"));
}

rc::Gen<Json> json_value(int depth) {
  auto scalar = rc::gen::oneOf(rc::gen::map(tricky_text(), [](std::string text) { return Json(std::move(text)); }),
                               rc::gen::map(rc::gen::arbitrary<std::int32_t>(), [](std::int32_t n) { return Json(n); }),
                               rc::gen::map(rc::gen::arbitrary<bool>(), [](bool b) { return Json(b); }));
  if (depth == 0) return scalar;
  // By hand: a container of Json converts itself into a Json of a container.
  return rc::gen::exec([scalar, depth] {
    const int kind = *rc::gen::inRange(0, 3);
    if (kind == 0) return *scalar;
    Json value = kind == 1 ? Json::array() : Json::object();
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
      if (kind == 1) {
        value.push_back(*json_value(depth - 1));
      } else {
        value[*tricky_text()] = *json_value(depth - 1);
      }
    }
    return value;
  });
}

// What a YAML reader sees, with scalars as texts; quoted ones in quotes, so that types cannot be confused.
std::string as_read(const YAML::Node& node) {
  if (node.IsMap()) {
    std::string text = "{";
    for (const auto& entry : node) text += as_read(entry.first) + ":" + as_read(entry.second) + ",";
    return text + "}";
  }
  if (node.IsSequence()) {
    std::string text = "[";
    for (const auto& item : node) text += as_read(item) + ",";
    return text + "]";
  }
  return node.Scalar();
}

std::string as_written(const Json& value) {
  if (value.is_object()) {
    std::string text = "{";
    for (const auto& [key, child] : value.items()) text += key + ":" + as_written(child) + ",";
    return text + "}";
  }
  if (value.is_array()) {
    std::string text = "[";
    for (const Json& child : value) text += as_written(child) + ",";
    return text + "]";
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

RC_GTEST_PROP(BaseLaws, AYamlReaderReadsBackWhatWeWrite, ()) {
  const Json value = *json_value(3);
  RC_ASSERT(as_read(YAML::Load(to_yaml(value))) == as_written(value));
}

RC_GTEST_PROP(BaseLaws, APlainScalarThatWeWriteIsTextToEveryReader, ()) {
  const std::string text = *tricky_text();
  const std::string written = to_yaml(Json(text));
  if (written.front() == '"') return;
  double number = 0;
  bool truth = false;
  const YAML::Node node = YAML::Load(written);
  RC_ASSERT(!node.IsNull());
  RC_ASSERT(!YAML::convert<double>::decode(node, number));
  RC_ASSERT(!YAML::convert<bool>::decode(node, truth));
}

RC_GTEST_PROP(BaseLaws, ADurationIsReadBackAsItWasWritten, ()) {
  const auto duration = Duration(*rc::gen::inRange<std::int64_t>(0, 10'000'000'000));
  RC_ASSERT(parse_duration(to_string(duration)) == duration);
}

RC_GTEST_PROP(BaseLaws, ASizeIsReadBackAsItWasWritten, ()) {
  const Size size{*rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 49)};
  RC_ASSERT(parse_size(to_string(size)) == size);
}

RC_GTEST_PROP(BaseLaws, NoTextMakesAParserFail, ()) {
  const auto text = *rc::gen::arbitrary<std::string>();
  parse_duration(text);
  parse_size(text);
  const auto bad = first_invalid_utf8(text);
  RC_ASSERT(bad.value_or(0) <= text.size());
}

RC_GTEST_PROP(BaseLaws, EditDistanceIsSymmetricAndZeroOnlyForEqualTexts, ()) {
  const auto a = *rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c'));
  const auto b = *rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c'));
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

}  // namespace quorate::base
