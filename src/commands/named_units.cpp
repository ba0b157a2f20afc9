#include "commands/named_units.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "model/unit_blocks.h"
#include "support/error.h"
#include "support/nearest_name.h"
#include "support/printable.h"

namespace meteor {
namespace {

constexpr std::size_t kMostNamesToCompare = 1000000;

std::string meant(std::string_view text, std::span<const std::string> names) {
  const auto nearest = nearest_name(text, names);
  return nearest ? fmt::format(" (did you mean {}?)", printable(*nearest)) : "";
}

}  // namespace

NamedUnit split_unit(const std::string& text, char separator, std::string_view option) {
  const std::size_t at = text.find(separator);
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    throw UsageError(
        fmt::format("{} {} does not name a unit: write an attribute, {} and the unit, as in {} items{}85123A", option,
                    text, separator, option, separator));
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

AttributeId find_attribute(const Settings& settings, std::string_view name) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < settings.attributes.size(); ++a) {
    if (settings.attributes[a].name == name) return static_cast<AttributeId>(a);
    names.push_back(settings.attributes[a].name);
  }
  throw UsageError(
      fmt::format("the model has no attribute {}{}; it has {}", name, meant(name, names), fmt::join(names, ", ")));
}

std::string suggest_unit(const StoredModel& stored, AttributeId attribute, std::string_view name) {
  const std::vector<UnitId> units = units_of(stored.model, attribute);
  if (units.size() > kMostNamesToCompare) return "";
  std::vector<std::string> names;
  names.reserve(units.size());
  for (const UnitId unit : units) names.emplace_back(stored.vocabulary.name(unit));
  return meant(name, names);
}

void add_model_option(CLI::App& command, std::string& path) {
  command.add_option("--model", path, "The model, as `meteor train --model` writes it")->required()->type_name("FILE");
}

void add_count_option(CLI::App& command, std::size_t& count) {
  command.add_option("-k", count, "How many units to show")
      ->check([](const std::string& text) {  // CLI11 itself would read -5 as a very large number
        return text.starts_with('-') || text == "0" ? text + " is not a number from 1 on" : std::string();
      })
      ->capture_default_str()
      ->type_name("N");
}

std::string ranking_table(const StoredModel& stored, const std::vector<ScoredUnit>& units, std::string_view heading) {
  std::vector<std::string> names;
  std::size_t width = 4;
  for (const ScoredUnit& scored : units) {
    names.push_back(printable(stored.vocabulary.name(scored.unit)));
    width = std::max(width, names.back().size());
  }
  width = std::min<std::size_t>(width, 60);
  std::string table = fmt::format("{:>4}  {:<{}}  {:>7}  {:>10}\n", "rank", "unit", width, heading, "count");
  for (std::size_t i = 0; i < units.size(); ++i) {
    table += fmt::format("{:>4}  {:<{}}  {:>7.4f}  {:>10}\n", i + 1, names[i], width, units[i].score,
                         stored.model.counts[index(units[i].unit)]);
  }
  return table;
}

}  // namespace meteor
