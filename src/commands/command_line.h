#pragma once

#include "commands/command_list.h"
#include "engine/ranks.h"

namespace CLI {
class App;
}

namespace meteor {

/// Runs what the command line asks for and returns the exit status. `ranks` train and evaluate. Every failure is told
/// in one line on stderr; of a configuration each fault is.
int run_command_line(int argc, const char* const* argv, Ranks& ranks);
/// The same in this process alone.
int run_command_line(int argc, const char* const* argv);

/// The sentence and status of the exception that is being handled, after it has been told on stderr.
int tell_failure();

// The commands throw Error, and return normally when done.
#define METEOR_DECLARE(name) void add_##name##_command(CLI::App& program, Ranks& ranks);
METEOR_COMMANDS(METEOR_DECLARE)
#undef METEOR_DECLARE

}  // namespace meteor
