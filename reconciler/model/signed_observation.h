// An observation with the signature of who looked: the text that was signed travels whole, byte for byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/result.h"

namespace quorate::model {

inline constexpr std::string_view kObservationNamespace = "quorate-observation";  // of ssh-keygen -Y

struct OpenedObservation {
  std::string text;                      // for read_observed()
  std::optional<std::string> signature;  // armored; nothing: the file is a plain observation
};

std::string signed_observation(std::string_view observation, std::string_view signature);

// Takes either form; whether the signature is good is another question, and so is what the text says.
base::Result<OpenedObservation> open_observation(std::string_view text, std::string_view name);

}  // namespace quorate::model
