#pragma once

#include <span>

namespace CLI {
class App;
}

namespace meteor {

/// Adds one subcommand with its options and what it does to the program.
using AddCommand = void (*)(CLI::App& program);

/// Runs what the command line asks for and returns the exit status. `more` are commands from outside this library.
/// Every failure is told in one sentence on stderr.
int run_command_line(int argc, const char* const* argv, std::span<const AddCommand> more = {});

// The commands, each in the file of its name. They throw Error, and return normally when done.
void add_evaluate_command(CLI::App& program);
void add_generate_command(CLI::App& program);
void add_settings_command(CLI::App& program);
void add_train_command(CLI::App& program);

}  // namespace meteor
