#include "commands/command_line.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "stream/generator.h"
#include "support/error.h"
#include "support/file_replacement.h"

namespace meteor {
namespace {

struct GenerateOptions {
  std::string kind;
  GeneratorSettings settings;
  std::filesystem::path output;
  std::filesystem::path categories;
};

/// CLI11 itself would read -5 as a very large number.
std::string refuse_minus(const std::string& value) {
  return value.starts_with('-') ? value + " is negative" : std::string();
}

void generate(const GenerateOptions& options) {
  GeneratorSettings settings = options.settings;
  settings.kind = options.kind == "geo" ? GeneratorKind::geo : GeneratorKind::shopping;
  StreamGenerator generator(settings);
  std::optional<FileReplacement> categories;
  if (!options.categories.empty()) categories.emplace(options.categories);
  std::optional<FileReplacement> output;
  if (options.output != "-") output.emplace(options.output);
  if (categories) {
    write_categories(generator, categories->stream());
    categories->commit();
  }
  if (output) {
    write_csv(generator, output->stream());
    output->commit();
    return;
  }
  write_csv(generator, std::cout);
  if (!std::cout.flush()) throw Error(ExitStatus::failed, "cannot write the stream to standard output");
}

}  // namespace

void add_generate_command(CLI::App& program, Ranks& /*ranks*/) {
  auto options = std::make_shared<GenerateOptions>();
  GeneratorSettings& settings = options->settings;
  CLI::App* command =
      program.add_subcommand("generate", "Write a synthetic stream: planted topics, drift, new units over time");
  command->add_option("--kind", options->kind, "shopping (baskets) or geo (messages in a city)")
      ->required()
      ->check(CLI::IsMember({"shopping", "geo"}).description(""))
      ->type_name("shopping|geo");
  command->add_option("--records", settings.records, "How many records")
      ->required()
      ->check(refuse_minus)
      ->type_name("N");
  command->add_option("--output", options->output, "CSV file to write, - for standard output")
      ->required()
      ->type_name("FILE");
  command->add_option("--seed", settings.seed, "Equal seeds give equal streams")
      ->check(refuse_minus)
      ->capture_default_str()
      ->type_name("S");
  command->add_option("--days", settings.days, "Length of the period")->capture_default_str()->type_name("D");
  command
      ->add_option("--change", settings.change, "Share of the period after which half of the items change their topic")
      ->type_name("X");
  command->add_option("--categories", options->categories, "Also write the planted topic of each item, as CSV")
      ->type_name("FILE");
  command->callback([options] { generate(*options); });
}

}  // namespace meteor
