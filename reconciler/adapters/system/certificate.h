// When a certificate begins and ends, and whose it is.
#pragma once

#include <string>

#include "reconciler/base/result.h"
#include "reconciler/model/observed.h"

namespace quorate::adapters::system {

// PEM. Of several in the file the first counts, which is the leaf; for use "ca" the one that ends first.
base::Result<model::Certificate> look_at_certificate(const std::string& path, const std::string& use);

}  // namespace quorate::adapters::system
