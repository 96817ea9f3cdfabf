// The journal of an agent as a file: one JSON object per line, never rewritten, and bounded by starting a second file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "reconciler/ports/journal.h"

namespace quorate::adapters::system {

inline constexpr std::size_t kJournalBytes = std::size_t{8} << 20;

// At `path`; when the file would grow beyond `most_bytes` it becomes `path`.1 (of which there is one) and a new one
// begins. Whoever appends holds the lock of the state directory; readers need none. Ambiguous from append: the line may
// be there.
std::unique_ptr<ports::Journal> make_journal(std::string path, std::size_t most_bytes = kJournalBytes);

}  // namespace quorate::adapters::system
