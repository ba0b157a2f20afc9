#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>

#include "commands/command_line.h"
#include "commands/metrics.h"
#include "commands/run_options.h"
#include "methods/stream_run.h"
#include "storage/model_file.h"
#include "support/log.h"
#include "support/stop_signal.h"

namespace meteor {
namespace {

struct TrainOptions {
  std::string input;
  std::string model;
  std::string init_model;
  std::string metrics;
  std::string rejects;
  bool follow = false;
  std::uint64_t max_windows = std::numeric_limits<std::uint64_t>::max();
};

/// A run of hours should not end with a folder that never was.
void check_writable(const std::string& path) {
  if (path.empty()) return;
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (access(folder.c_str(), W_OK) != 0)
    throw StorageError(fmt::format("{} cannot be written: no such folder, or no permission", path));
}

/// The part of the stream that pretrains. A share of it needs a first reading of the whole input.
PretrainingEnd find_pretraining(const TrainOptions& options, const Settings& settings, ProgressState& progress) {
  if (!options.init_model.empty()) return {};
  if (!std::holds_alternative<double>(settings.evaluation.pretrain)) return pretraining_end(settings, nullptr);
  if (options.input == "-" || options.follow) {
    throw UsageError(
        "evaluation.pretrain is a share of the stream, which needs an input that can be read twice; for standard input "
        "and --follow give a time or a number of windows, as in --set 'evaluation.pretrain=30 days'");
  }
  const StreamOutline outline = outline_stream(options.input, settings);
  progress.windows_total = std::min<std::uint64_t>(outline.windows.size(), options.max_windows);
  return pretraining_end(settings, &outline);
}

/// An existing model can be continued only by settings that mean the same units and the same space.
void check_continues(const std::string& path, const Settings& stored, const Settings& settings, const Model& model) {
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format("{} cannot be continued with this configuration: {}", path, what));
  };
  if (stored.learning.dimension != settings.learning.dimension) {
    refuse(fmt::format("its learning.dimension is {}", stored.learning.dimension));
  }
  bool same = stored.attributes.size() == settings.attributes.size();
  for (std::size_t a = 0; same && a < stored.attributes.size(); ++a) {
    same = stored.attributes[a].name == settings.attributes[a].name;
  }
  std::vector<std::string> names;
  for (const auto& attribute : stored.attributes) names.push_back(attribute.name);
  if (!same) refuse(fmt::format("its attributes are {}", fmt::join(names, ", ")));
  if (model.embeddings->scheme() != "none" && settings.compression.scheme == CompressionScheme::none) {
    refuse(fmt::format("its compression.scheme is {}", model.embeddings->scheme()));
  }
}

void report_end(const RunTotals& totals, const OnlineEmbedding& embedding) {
  const Model& model = embedding.model();
  log_info(
      "learnt {} records in {} windows, {:.0f} records/s; {} units in {}, {:.1f} % of full embeddings", totals.records,
      totals.windows, totals.records_per_second(), model.units(), readable_bytes(static_cast<double>(model.bytes())),
      100.0 * static_cast<double>(model.bytes()) / static_cast<double>(std::max<std::uint64_t>(1, model.full_bytes())));
  if (totals.rejected > 0)
    log_warning("{} records were rejected; --rejects FILE keeps them with the reason", totals.rejected);
  if (totals.skipped.too_small > 0)
    log_info("{} records had fewer than two units and taught nothing", totals.skipped.too_small);
  if (totals.skipped.late > 0) log_info("{} late records were dropped", totals.skipped.late);
}

void train(const Settings& settings, const TrainOptions& options, const MakeCrew& make_crew) {
  check_writable(options.model);
  if (options.model.empty()) log_warning("the model will not be kept: give --model FILE to write it");
  std::ofstream metrics;
  if (!options.metrics.empty()) {
    metrics.open(options.metrics);
    if (!metrics) throw StorageError(fmt::format("{} cannot be written", options.metrics));
  }

  const auto crew = make_crew(settings);
  ProgressState state;
  const PretrainingEnd pretraining = find_pretraining(options, settings, state);
  const Categories categories(settings.attributes);
  Vocabulary vocabulary = empty_vocabulary(settings.attributes);
  std::optional<OnlineEmbedding> embedding;
  if (options.init_model.empty()) {
    embedding.emplace(settings, *crew);
  } else {
    StoredModel stored = load_model(options.init_model);
    check_continues(options.init_model, stored.settings, settings, stored.model);
    vocabulary = std::move(stored.vocabulary);
    embedding.emplace(settings, *crew, std::move(stored.model), categories.of_all(vocabulary));
  }

  std::optional<StopSignal> signal;
  StreamInput input{.path = options.input,
                    .follow = options.follow,
                    .rejects = options.rejects,
                    .max_windows = options.max_windows,
                    .stop = {}};
  if (options.follow) {  // a followed file has no end but the user's
    signal.emplace();
    input.stop = StopSignal::asked;
  }
  Progress progress;
  RunHooks hooks;
  hooks.after_learning = [&](const WindowReport& report, const RunTotals& totals) {
    show_progress(progress, state, report, totals);
    if (metrics.is_open()) metrics << window_metrics(report, totals, *embedding).dump() << '\n' << std::flush;
  };
  const RunTotals totals = run_stream(input, settings, pretraining, vocabulary, categories, *embedding, hooks);
  progress.finish();
  if (metrics.is_open() && !metrics) throw StorageError(fmt::format("{} cannot be written", options.metrics));
  if (totals.windows == 0) throw InputError(fmt::format("{} holds no record with two units or more", options.input));
  if (!options.model.empty()) save_model(options.model, settings, vocabulary, embedding->model());
  report_end(totals, *embedding);
}

}  // namespace

void add_train_command(CLI::App& program, const Launch& launch) {
  CLI::App* command = program.add_subcommand("train", "Learn a stream window by window and write the model");
  command->footer(R"(
The first part of the stream (evaluation.pretrain) is learnt uncompressed; then units are clustered and compressed, and from there
on every window is rebuilt, learnt and compressed again.

  meteor train --config configs/shopping.toml --input baskets.csv --model baskets.h5
  zcat new.csv.gz | meteor train --config configs/shopping.toml --input - --init-model baskets.h5 --model newer.h5)");
  const auto run = add_run_options(*command);
  auto options = std::make_shared<TrainOptions>();
  command->add_option("--input", options->input, "The stream: a file (also .gz, .zst), or - for standard input")
      ->required()
      ->type_name("FILE");
  command->add_option("--model", options->model, "Where the model is written when all is learnt (HDF5)")
      ->type_name("FILE");
  command->add_option("--init-model", options->init_model, "Goes on from this model instead of pretraining")
      ->type_name("FILE");
  command->add_option("--metrics", options->metrics, "Writes a line of JSON for every window")->type_name("FILE");
  command->add_option("--rejects", options->rejects, "Writes records that cannot be used, with line and reason")
      ->type_name("FILE");
  command->add_flag("--follow", options->follow, "At the end of the file waits for more, until SIGINT or SIGTERM");
  command->add_option("--max-windows", options->max_windows, "Stops after so many windows")->type_name("N");
  command->callback([run, options, launch] {
    launch([&](const MakeCrew& make_crew) { train(begin_run(*run), *options, make_crew); });
  });
}

}  // namespace meteor
