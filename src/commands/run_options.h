#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/settings.h"

namespace CLI {
class App;
}

namespace meteor {

/// The options that all commands with a configuration have in common.
struct RunOptions {
  std::string config;
  std::vector<std::string> overrides;
  std::string log;
  bool quiet = false;
};

/// Adds --config, --set, --log and --quiet to `command`. What is returned is filled once the command runs.
std::shared_ptr<const RunOptions> add_run_options(CLI::App& command);

/// Sets up the log as asked and loads the settings.
Settings begin_run(const RunOptions& options);

}  // namespace meteor
