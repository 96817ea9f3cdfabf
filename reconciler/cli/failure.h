// The end of a command that has no result: talk on stderr, and for programs one document on stdout.
#pragma once

#include <string_view>

#include "reconciler/base/result.h"
#include "reconciler/cli/arguments.h"

namespace quorate::cli {

// With -o json a document of kind "error"; what a person reads has been said on stderr before.
model::ExitCode end_without_result(const Arguments& arguments, const base::Error& why, model::ExitCode code);

// To stderr for people; with -o json the document, too.
model::ExitCode complain(const base::Error& why, model::ExitCode code);
model::ExitCode complain(const Arguments& arguments, const base::Error& why, model::ExitCode code);

// The same for a command line that could not be taken: whether it asked for JSON is read off its words.
model::ExitCode end_of_wrong_words(int argc, const char* const* argv, const Answer& answer);

}  // namespace quorate::cli
