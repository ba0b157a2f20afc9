#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands/command_line.h"
#include "commands/named_units.h"
#include "config/setting_values.h"
#include "support/error.h"
#include "support/log.h"

namespace meteor {
namespace {

struct PredictOptions {
  std::string model;
  std::string target;
  std::vector<std::string> context;
  std::string scoring;
  std::size_t count = 10;
};

constexpr const char* footer = R"(
The context is what is known of a record. Every unit of the target attribute is scored as `meteor evaluate` scores
candidates. `pooled` estimates the log of how much likelier the unit is with this context than without, up to a constant, and
listens to every unit of the context; `mean` is the METEOR paper's: the cosine with the mean of each attribute's context,
averaged over these attributes. Units of the context are not among the answers.

  meteor predict --model baskets.h5 --target items --context user=17850 --context items=85123A)";

/// The units that the model knows; the others are named in a warning.
std::vector<UnitId> find_context(const StoredModel& stored, const PredictOptions& options) {
  std::vector<UnitId> context;
  for (const std::string& text : options.context) {
    const NamedUnit asked = split_unit(text, '=', "--context");
    const AttributeId attribute = find_attribute(stored.settings, asked.attribute);
    const auto unit = stored.vocabulary.find(attribute, asked.name);
    if (!unit) {
      log_warning("--context {} is left out: {} has no such unit{}", text, options.model,
                  suggest_unit(stored, attribute, asked.name));
    } else if (std::find(context.begin(), context.end(), *unit) == context.end()) {
      context.push_back(*unit);
    }
  }
  if (context.empty()) throw UsageError(fmt::format("{} knows no unit of the context", options.model));
  return context;
}

Scoring scoring_of(const PredictOptions& options, const Settings& settings) {
  Scoring scoring = settings.evaluation.scoring;
  if (!options.scoring.empty() && !read_value(options.scoring, scoring)) {
    throw UsageError(fmt::format("--scoring {} is unknown: use {}", options.scoring, form_of(scoring)));
  }
  return scoring;
}

void predict(const PredictOptions& options) {
  const StoredModel stored = load_model(options.model);
  const AttributeId target = find_attribute(stored.settings, options.target);
  const std::vector<UnitId> context = find_context(stored, options);
  const Scoring scoring = scoring_of(options, stored.settings);
  const auto best = fitting_units(stored.model, target, context, scoring, options.count);
  fmt::print("{}", ranking_table(stored, best, "score"));
}

}  // namespace

void add_predict_command(CLI::App& program, Ranks& /*ranks*/) {
  CLI::App* command = program.add_subcommand("predict", "Rank what else a record holds, given part of it");
  const auto options = std::make_shared<PredictOptions>();
  add_model_option(*command, options->model);
  command->add_option("--target", options->target, "The attribute to predict")->required()->type_name("ATTRIBUTE");
  command->add_option("--context", options->context, "A unit of the record; may be repeated")
      ->required()
      ->type_name("ATTRIBUTE=NAME")
      ->allow_extra_args(false);
  command->add_option("--scoring", options->scoring, "pooled or mean (default: as the model's settings say)")
      ->type_name("NAME");
  add_count_option(*command, options->count);
  command->footer(footer);
  command->callback([options] { predict(*options); });
}

}  // namespace meteor
