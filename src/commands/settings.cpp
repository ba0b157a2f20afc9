#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "commands/command_line.h"
#include "commands/run_options.h"
#include "config/load_settings.h"
#include "support/printable.h"

namespace meteor {

void add_settings_command(CLI::App& program, Ranks& /*ranks*/) {
  CLI::App* command = program.add_subcommand("settings", "Check a configuration and print all settings in effect");
  const auto options = add_run_options(*command);
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON instead of TOML");
  command->callback([options, as_json] {
    Settings settings = begin_run(*options);
    for (AttributeSettings& attribute : settings.attributes) {  // so that the output is right in any folder
      if (!attribute.categories.empty()) attribute.categories = std::filesystem::absolute(attribute.categories);
    }
    fmt::print("{}", printable_strings(*as_json ? settings_json(settings).dump(2) + "\n" : settings_toml(settings)));
  });
}

}  // namespace meteor
