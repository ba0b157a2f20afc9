#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "commands/command_line.h"
#include "commands/export_formats.h"
#include "commands/named_units.h"
#include "support/file_target.h"
#include "support/log.h"

namespace meteor {
namespace {

struct ExportOptions {
  std::string model;
  std::string attribute;
  std::string format;
  std::string output;
};

constexpr const char* footer = R"(
Formats:
  word2vec    text: a line with the number of units and the dimension, then a unit and its numbers a line
              (gensim: KeyedVectors.load_word2vec_format)
  npy         a matrix of float32, a row a unit (numpy.load), and the names in PATH.txt, a line each
  projector   a folder with vectors.tsv and metadata.tsv for the TensorFlow Embedding Projector
White space within a name becomes _ where a format cannot hold it. Units are in the order of their first appearance.

  meteor export --model baskets.h5 --attribute items --format word2vec --output items.txt)";

/// Beside the numbers of npy there is a file with the names.
Targets targets_of(const std::string& format) { return format == "npy" ? Targets::files : Targets::streams; }

void export_model(const ExportOptions& options) {
  if (options.format != "projector") check_target(options.output, targets_of(options.format));
  const StoredModel stored = load_model(options.model);
  const AttributeId attribute = find_attribute(stored.settings, options.attribute);
  ExportOutcome outcome;
  if (options.format == "word2vec")
    outcome = export_word2vec(stored.vocabulary, stored.model, attribute, options.output);
  if (options.format == "npy") outcome = export_npy(stored.vocabulary, stored.model, attribute, options.output);
  if (options.format == "projector") {
    outcome = export_projector(stored.vocabulary, stored.model, attribute, options.output);
  }
  if (outcome.changed_names > 0) {
    log_warning("{} of {} names hold white space or are empty, and were written with _ instead", outcome.changed_names,
                outcome.units);
  }
  log_info("{} units of attribute {} are in {}", outcome.units, options.attribute, options.output);
}

}  // namespace

void add_export_command(CLI::App& program, Ranks& /*ranks*/) {
  CLI::App* command = program.add_subcommand("export", "Write the embeddings of an attribute for other programs");
  const auto options = std::make_shared<ExportOptions>();
  add_model_option(*command, options->model);
  command->add_option("--attribute", options->attribute, "Whose units to write")->required()->type_name("NAME");
  command->add_option("--format", options->format, "See below")
      ->required()
      ->check(CLI::IsMember({"word2vec", "npy", "projector"}).description(""))
      ->type_name("word2vec|npy|projector");
  command->add_option("--output", options->output, "The file to write; for projector, the folder")
      ->required()
      ->type_name("PATH");
  command->footer(footer);
  command->callback([options] { export_model(*options); });
}

}  // namespace meteor
