#include "commands/run_options.h"

#include <CLI/CLI.hpp>

#include "config/load_settings.h"
#include "support/log.h"

namespace meteor {

std::shared_ptr<const RunOptions> add_run_options(CLI::App& command) {
  auto options = std::make_shared<RunOptions>();
  command.add_option("--config", options->config, "The settings, a TOML file")->required()->type_name("FILE");
  command.add_option("--set", options->overrides, "Overrides one setting, as in learning.epochs=5; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--log", options->log, "Appends the messages, with their time, to a file too")->type_name("FILE");
  command.add_flag("--quiet", options->quiet, "Shows only warnings and errors");
  return options;
}

Settings begin_run(const RunOptions& options) {
  set_quiet(options.quiet);
  if (!options.log.empty()) open_log_file(options.log);
  return load_settings(options.config, options.overrides);
}

}  // namespace meteor
