// The forms that a text can be asked to have (x-format in the schema), and what to say when it has another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reconciler/model/codes.h"

namespace quorate::validate {

enum class Format {
  None,
  Prose,
  DnsLabel,
  DnsSubdomain,
  Host,
  Url,
  Listen,
  Path,
  Program,
  Version,
  Size,
  Duration,
  Retention,
  Image,
  Token,
  Flag,
  Unit,
  User,
  LabelKey,
  LabelValue,
  Quantity,
  MemberId,
  ClusterId,
  Lost,
  Time,
  StepId,
};

std::optional<Format> format_named(std::string_view name);

struct FormatProblem {
  model::Code code = model::Code::E106;
  std::string what;  // goes on from the name of the field: "must be a DNS label"
  std::string expected;
  std::string help;
};

std::optional<FormatProblem> check_format(Format format, std::string_view text);

// What such a text looks like, e.g. "a duration: 30s, 30m or 30h"; also for values that are no text at all.
std::string_view expectation(Format format);

}  // namespace quorate::validate
