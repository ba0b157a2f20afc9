#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "commands/command_line.h"
#include "commands/named_units.h"
#include "support/error.h"

namespace meteor {
namespace {

struct NeighbourOptions {
  std::string model;
  std::string unit;
  std::string attribute;
  std::size_t count = 10;
};

constexpr const char* footer = R"(
Units are near each other when they keep the same company in the stream: items that are bought together or by the same
users, words and the places they are written at. 1 is the same direction, 0 is no relation.

  meteor nn --model baskets.h5 --unit items:85123A
  meteor nn --model baskets.h5 --unit user:17850 --attribute items -k 20)";

void print_neighbours(const NeighbourOptions& options) {
  const NamedUnit asked = split_unit(options.unit, ':', "--unit");
  const StoredModel stored = load_model(options.model);
  const AttributeId own = find_attribute(stored.settings, asked.attribute);
  const AttributeId attribute = options.attribute.empty() ? own : find_attribute(stored.settings, options.attribute);
  const auto unit = stored.vocabulary.find(own, asked.name);
  if (!unit) {
    throw UsageError(fmt::format("{} has no unit {} of attribute {}{}", options.model, asked.name, asked.attribute,
                                 suggest_unit(stored, own, asked.name)));
  }
  const auto nearest = nearest_units(stored.model, attribute, *unit, options.count);
  fmt::print("{}", ranking_table(stored, nearest, "cosine"));
}

}  // namespace

void add_nn_command(CLI::App& program, Ranks& /*ranks*/) {
  CLI::App* command = program.add_subcommand("nn", "Show the units nearest to a unit");
  const auto options = std::make_shared<NeighbourOptions>();
  add_model_option(*command, options->model);
  command->add_option("--unit", options->unit, "The unit, with its attribute in front, as in items:85123A")
      ->required()
      ->type_name("ATTRIBUTE:NAME");
  command->add_option("--attribute", options->attribute, "Show units of this attribute (default: the unit's own)")
      ->type_name("NAME");
  add_count_option(*command, options->count);
  command->footer(footer);
  command->callback([options] { print_neighbours(*options); });
}

}  // namespace meteor
