// The notary of this machine, on top of OpenSSL.
#pragma once

#include <memory>

#include "reconciler/ports/notary.h"

namespace quorate::adapters::system {

std::unique_ptr<ports::Notary> make_notary();

}  // namespace quorate::adapters::system
