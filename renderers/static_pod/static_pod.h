// A pod manifest that a kubelet watches. Nothing in it changes with the boot mode.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "renderers/renderer.h"

namespace quorate::renderers {

inline constexpr std::string_view kStaticPodName = "static-pod";

// Invalid when the cluster's runtime is not static-pod, or a mount of the file hides a directory of the member.
base::Result<std::vector<File>> render_static_pod(const Input& input);

// Text that /bin/sh takes as one word, whatever stands in it.
std::string shell_word(std::string_view text);

}  // namespace quorate::renderers
