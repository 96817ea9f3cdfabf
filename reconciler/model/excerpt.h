// Taking a place out of a source for a finding: its line, cut to a bounded length, without secrets.
#pragma once

#include <string>

#include "reconciler/model/finding.h"
#include "reconciler/model/secrets.h"
#include "reconciler/model/source.h"

namespace quorate::model {

// Without `secrets`, when there is no tree, the line itself is searched for them.
Excerpt excerpt(const Source& source, Span span, std::string note = {}, const SecretPlaces* secrets = nullptr);

// Names out of the file may stand in the message; what could steer a terminal is replaced in it.
Finding make_finding(const Source& source, Code code, Span span, std::string message, std::string expected,
                     std::string path = {}, const SecretPlaces* secrets = nullptr);

}  // namespace quorate::model
