#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evaluation/nearest_units.h"
#include "storage/model_file.h"

namespace CLI {
class App;
}

namespace meteor {

/// A unit as a command line names it: attribute and name.
struct NamedUnit {
  std::string attribute;
  std::string name;
};

/// Splits "items:85123A" or "items=85123A" at the first separator. Throws UsageError that names the option.
NamedUnit split_unit(const std::string& text, char separator, std::string_view option);

/// Throws UsageError with the attributes there are, if it is none of them.
AttributeId find_attribute(const Settings& settings, std::string_view name);

/// The name in the model that is most like one that it does not have, as " (did you mean …?)"; empty if none is, or if
/// there are too many to look through.
std::string suggest_unit(const StoredModel& stored, AttributeId attribute, std::string_view name);

/// Adds --model, as every command on a model has it, and -k for those that rank units.
void add_model_option(CLI::App& command, std::string& path);
void add_count_option(CLI::App& command, std::size_t& count);

/// The units with their ranks, scores and how often they were seen, as a table with `heading` above the scores.
std::string ranking_table(const StoredModel& stored, const std::vector<ScoredUnit>& units, std::string_view heading);

}  // namespace meteor
