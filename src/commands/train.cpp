#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "commands/checkpointing.h"
#include "commands/command_line.h"
#include "commands/metrics.h"
#include "commands/run_options.h"
#include "engine/stream_run.h"
#include "storage/model_file.h"
#include "stream/byte_source.h"
#include "support/file_target.h"
#include "support/log.h"
#include "support/readable_bytes.h"
#include "support/side_file.h"
#include "support/stop_signal.h"

namespace meteor {
namespace {

struct TrainOptions {
  std::string input;
  std::string model;
  std::string init_model;
  std::string metrics;
  std::string rejects;
  std::string checkpoint_folder;
  ResumeMode resume = ResumeMode::automatic;
  bool follow = false;
  std::uint64_t max_windows = std::numeric_limits<std::uint64_t>::max();
  bool stopped = false;  ///< out: on a signal, after a checkpoint
};

/// A run of hours should not end with a file that cannot be written.
void check_targets(const TrainOptions& options) {
  try {
    check_target(options.model, Targets::files);
    check_target(options.metrics);
    check_target(options.rejects);
  } catch (const Error& fault) {
    throw StorageError(fault.what());
  }
}

/// The start of a run that has learnt nothing. Pretraining on a share of the stream needs a first reading of the whole
/// input; none if that is told to stop.
std::optional<RunState> plan_run(const TrainOptions& options, const Settings& settings, ProgressState& progress) {
  if (!options.init_model.empty()) return run_start({});
  if (!std::holds_alternative<double>(settings.evaluation.pretrain)) {
    return run_start(pretraining_end(settings, nullptr));
  }
  if (!is_rereadable(options.input) || options.follow) {
    throw UsageError(
        "evaluation.pretrain is a share of the stream, which needs an input that can be read twice; for standard "
        "input, pipes and --follow give a time or a number of windows, as in --set 'evaluation.pretrain=30 days'");
  }
  const StreamOutline outline =
      outline_stream(options.input, settings, options.rejects,
                     options.checkpoint_folder.empty() ? std::function<bool()>() : stop_asked);
  if (outline.stopped) return std::nullopt;
  progress.windows_total = std::min<std::uint64_t>(outline.windows.size(), options.max_windows);
  return run_start(pretraining_end(settings, &outline), 0, outline.text);
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
  if (model.embeddings->compressed() && settings.compression.scheme == CompressionScheme::none) {
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
  if (totals.waiting > 0) log_info("{} units have not been seen often enough to be learnt", totals.waiting);
  if (totals.expired > 0) log_info("{} units were not seen for long and have been forgotten", totals.expired);
  if (totals.skipped.late > 0) log_info("{} late records were dropped", totals.skipped.late);
}

/// A training run: what it has learnt, how far it has come, and where it writes.
class Training {
 public:
  Training(Settings settings, TrainOptions& options, Ranks& ranks)
      : settings_(std::move(settings)),
        options_(options),
        categories_(settings_.attributes),
        vocabulary_(empty_vocabulary(settings_.attributes)) {
    if (settings_.learning.replay != ReplayKind::none) {
      throw UsageError("learning.replay keeps records, which models and checkpoints do not: only evaluate has it");
    }
    if (options.follow || !options.checkpoint_folder.empty()) {  // a followed file has no end but the user's
      watch_signals();
    } else {
      release_signals();
    }
    check_targets(options);
    if (options.model.empty() && options.checkpoint_folder.empty()) {
      log_warning("the model will not be kept: give --model FILE to write it");
    }
    if (!options.checkpoint_folder.empty()) {
      checkpoints_.emplace(options.checkpoint_folder, options.resume, settings_.checkpoint);
    }
    std::optional<Checkpoint> found = checkpoints_ ? checkpoints_->take_found() : std::nullopt;
    // The number of shards was settled when the run began, whatever the ranks are now.
    if (found && settings_.parallel.shards == 0) settings_.parallel.shards = found->stored.settings.parallel.shards;
    settle_shards(settings_, ranks);
    crew_ = ranks.crew(settings_);
    if (found) {
      go_on_from(std::move(*found));
    } else {
      start();
    }
    if (!options.metrics.empty()) {
      metrics_.emplace(options.metrics, SideFile::Kept{run_.metrics_bytes, run_.windows});
    }
  }

  void run() {
    if (!embedding_) return stop();
    StreamInput input{.path = options_.input,
                      .follow = options_.follow,
                      .rejects = options_.rejects,
                      .max_windows = options_.max_windows,
                      .stop = {}};
    RunHooks hooks;
    if (checkpoints_) {
      hooks.halt = stop_asked;
      hooks.at_rest = [&](const RunState&, std::mutex& admitting) {
        checkpoint_seconds_ = checkpoints_->at_rest(settings_, vocabulary_, *embedding_, run_, admitting);
      };
      hooks.at_end = [&](const RunState&) { write_last_checkpoint(); };
    } else if (options_.follow) {
      input.stop = stop_asked;
    }
    Progress progress;
    hooks.after_learning = [&](WindowReport report, const RunTotals& totals) {
      report.seconds.checkpoint = checkpoint_seconds_;
      show_progress(progress, progress_, report, totals);
      if (!metrics_) return;
      metrics_->write(report.window, window_metrics(report, totals, *embedding_, settings_.learning).dump() + '\n');
      run_.metrics_bytes = metrics_->bytes();
    };
    const RunTotals totals = run_stream(input, settings_, run_, vocabulary_, categories_, *embedding_, hooks);
    progress.finish();
    if (metrics_) metrics_->finish();
    if (totals.halted) return stop();
    finish(totals);
  }

 private:
  void start() {
    std::optional<RunState> planned = plan_run(options_, settings_, progress_);
    if (!planned) return;
    run_ = std::move(*planned);
    if (options_.init_model.empty()) {
      embedding_.emplace(settings_, *crew_);
    } else {
      StoredModel stored = load_model(options_.init_model);
      check_continues(options_.init_model, stored.settings, settings_, stored.model);
      vocabulary_ = std::move(stored.vocabulary);
      vocabulary_.admit_as(settings_.attributes);
      embedding_.emplace(settings_, *crew_, std::move(stored.model), categories_.of_all(vocabulary_));
    }
    run_.next_number = embedding_->model().windows;
    run_.categories = categories_.hashes();
  }

  void go_on_from(Checkpoint checkpoint) {
    check_same_settings(checkpoint.stored.settings, settings_);
    check_same_categories(checkpoint.run, categories_, settings_);
    run_ = std::move(checkpoint.run);
    vocabulary_ = std::move(checkpoint.stored.vocabulary);
    embedding_.emplace(settings_, *crew_, std::move(checkpoint.stored.model), categories_.of_all(vocabulary_),
                       std::move(checkpoint.waiting));
    progress_.windows_before = run_.windows;
    log_info("going on after window {} and {} records, from the checkpoint in {}", run_.windows, run_.records,
             options_.checkpoint_folder);
    if (options_.input == "-") {
      log_info("standard input must begin as it did before: its first {} bytes are passed over", run_.end.offset);
    }
  }

  void stop() {
    options_.stopped = true;
    if (run_.windows == 0) return log_info("stopped before the first window was learnt");
    if (!checkpoints_->finish(settings_, vocabulary_, *embedding_, run_)) {
      throw StorageError("stopped, but the checkpoint could not be written");
    }
    log_info("stopped after window {}: the same command goes on from there", run_.windows);
  }

  /// One that is required and fails is an error, which must not cost the model: it is told when that is saved.
  void write_last_checkpoint() {
    try {
      checkpoints_->finish(settings_, vocabulary_, *embedding_, run_);
    } catch (const StorageError&) {
      lost_checkpoint_ = std::current_exception();
    }
  }

  void finish(const RunTotals& totals) {
    if (!options_.model.empty()) save_model(options_.model, settings_, vocabulary_, embedding_->model());
    report_end(totals, *embedding_);
    categories_.tell_coverage(settings_.attributes, vocabulary_, embedding_->model().units());
    if (lost_checkpoint_) std::rethrow_exception(lost_checkpoint_);
  }

  Settings settings_;
  TrainOptions& options_;
  std::unique_ptr<Crew> crew_;
  Categories categories_;
  Vocabulary vocabulary_;
  std::optional<Checkpointing> checkpoints_;
  std::optional<OnlineEmbedding> embedding_;  // none where the run was told to stop before it could begin
  RunState run_;
  ProgressState progress_;
  std::optional<SideFile> metrics_;
  std::exception_ptr lost_checkpoint_;
  double checkpoint_seconds_ = 0;  // of the window before
};

}  // namespace

void add_train_command(CLI::App& program, Ranks& ranks) {
  CLI::App* command = program.add_subcommand("train", "Learn a stream window by window and write the model");
  command->footer(R"(
The first part of the stream (evaluation.pretrain) is learnt uncompressed; then its embeddings are compressed, and from there
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
  command
      ->add_option("--checkpoint-dir", options->checkpoint_folder,
                   "Keeps checkpoints here, and goes on from the newest")
      ->type_name("FOLDER");
  command
      ->add_option("--resume", options->resume, "auto: go on where there is a checkpoint; never: start anew; require")
      ->transform(CLI::Transformer(std::map<std::string, ResumeMode>{
          {"auto", ResumeMode::automatic}, {"never", ResumeMode::never}, {"require", ResumeMode::require}}))
      ->type_name("auto|never|require");
  command->add_flag("--follow", options->follow,
                    "At the end of the file waits for more, also in a file that replaces it, until SIGINT or SIGTERM");
  command->add_option("--max-windows", options->max_windows, "Stops after so many windows")->type_name("N");
  command->callback([run, options, &ranks] {
    ranks.run([&] { Training(begin_run(*run), *options, ranks).run(); });
    if (options->stopped) throw Error(ExitStatus::stopped, "start the same command again to go on");
  });
}

}  // namespace meteor
