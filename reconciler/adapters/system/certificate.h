// When a certificate begins and ends, and whose it is.
#pragma once

#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/model/observed.h"

namespace quorate::adapters::system {

// PEM. Of several in the file the first counts, which is the leaf; for use "ca" the one that ends first.
base::Result<model::Certificate> look_at_certificate(const std::string& path, const std::string& use);

// The DNS names and IP addresses (canonical) that the leaf is for.
base::Result<std::vector<std::string>> names_in_certificate(const std::string& path);

// Do the leaf and the private key belong together?
base::Result<bool> key_fits(const std::string& certificate, const std::string& key);

}  // namespace quorate::adapters::system
