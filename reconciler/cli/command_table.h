// The one table of commands, flags and environment variables; help, man page and completion are read off it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "reconciler/cli/arguments.h"

namespace quorate::cli {

// What is parsed goes into `arguments`.
std::unique_ptr<CLI::App> command_table(Arguments& arguments);

// As people look them up; model::all_exit_codes() has the order in which one wins over another.
std::vector<model::ExitCodeInfo> exit_codes_by_number();

// Formats that a command can print; the first is its default.
const std::vector<std::string_view>& formats_of(std::string_view command);

}  // namespace quorate::cli
