#pragma once

#include "methods/crew.h"

namespace CLI {
class App;
}

namespace meteor {

/// Runs what the command line asks for and returns the exit status. `launch` starts training and evaluation, in this
/// process or in many. Every failure is told in one line on stderr; of a configuration each fault is.
int run_command_line(int argc, const char* const* argv, const Launch& launch = launch_alone);

/// The sentence and status of the exception that is being handled, after it has been told on stderr.
int tell_failure();

// The commands, each in the file of its name. They throw Error, and return normally when done.
void add_evaluate_command(CLI::App& program, const Launch& launch);
void add_experiment_command(CLI::App& program);
void add_export_command(CLI::App& program);
void add_generate_command(CLI::App& program);
void add_inspect_command(CLI::App& program);
void add_nn_command(CLI::App& program);
void add_predict_command(CLI::App& program);
void add_report_command(CLI::App& program);
void add_settings_command(CLI::App& program);
void add_train_command(CLI::App& program, const Launch& launch);

}  // namespace meteor
