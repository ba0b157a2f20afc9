#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "commands/command_line.h"
#include "commands/metrics.h"
#include "commands/run_options.h"
#include "config/load_settings.h"
#include "config/setting_values.h"
#include "engine/online_embedding.h"
#include "engine/stream_run.h"
#include "evaluation/query_file.h"
#include "evaluation/retrieval.h"
#include "storage/model_file.h"
#include "support/file_replacement.h"
#include "support/file_target.h"
#include "support/readable_bytes.h"
#include "support/stop_signal.h"
#include "support/version.h"
#include "systems/systems.h"

namespace meteor {
namespace {

struct EvaluateOptions {
  std::string input;
  std::string method = "meteor";
  std::string json;
  std::string rejects;
  std::string queries;
};

/// What a system has made of a stream.
struct Learnt {
  RunTotals totals;
  std::size_t units = 0;
  ModelSize size;
  std::string sha256;
};

nlohmann::ordered_json quality_json(const RetrievalScore& score, Scoring scoring) {
  return {{"mrr", score.mrr(scoring)},
          {"recall@1", score.recall_at_1(scoring)},
          {"recall@5", score.recall_at_5(scoring)},
          {"mrr_rare", score.mrr_rare(scoring)}};
}

/// Whatever the system's own dimension is, it is compared with full embeddings of the configured one.
ModelSize compared_with_full(ModelSize size, std::size_t units, std::uint32_t dimension) {
  size.full_bytes = std::uint64_t{sizeof(float)} * dimension * units;
  return size;
}

/// `queries`, if given, gets those of the windows that are asked about.
Learnt learn_stream(const System& system, Crew& crew, const StreamInput& input, const QueryPlan& plan, RunHooks hooks,
                    QueryFile* queries) {
  const Settings& settings = system.settings;
  Vocabulary vocabulary = empty_vocabulary(settings.attributes);
  const Categories categories(settings.attributes);
  RunState run = run_start(plan.pretraining, 0, plan.text);
  if (queries != nullptr) {
    hooks.before_learning = [&](const ReadWindow& read, bool /*pretrains*/, std::mutex& admitting) {
      if (!hooks.asks(read.window)) return;
      const std::lock_guard lock(admitting);
      queries->write(read.window, read.units, vocabulary);
    };
  }
  const auto run_with = [&](StreamLearner& learner) {
    const RunTotals totals = run_stream(input, settings, run, vocabulary, categories, learner, hooks);
    categories.tell_coverage(settings.attributes, vocabulary, learner.units());
    return Learnt{totals, learner.units(), learner.size(), {}};
  };
  if (system.counts_by) {
    Counting counting(*system.counts_by, settings);
    Learnt learnt = run_with(counting);
    learnt.sha256 = content_hash(counting.counts().arrays());
    return learnt;
  }
  OnlineEmbedding embedding(settings, crew);
  Learnt learnt = run_with(embedding);
  learnt.sha256 = model_sha256(vocabulary, embedding.model());
  return learnt;
}

void evaluate(const Settings& configured, const EvaluateOptions& options, Ranks& ranks) {
  System system = system_of(options.method, configured);
  settle_shards(system.settings, ranks);
  const Settings& settings = system.settings;
  release_signals();
  check_evaluable(system, options.input);
  check_target(options.rejects);
  std::optional<FileReplacement> json;
  if (!options.json.empty()) json.emplace(options.json);
  std::optional<QueryFile> queries;
  if (!options.queries.empty()) {
    if (settings.evaluation.negatives == CandidateSource::vocabulary) {
      throw UsageError("--queries needs evaluation.negatives = \"window\"");
    }
    queries.emplace(options.queries, settings);
  }

  const auto crew = ranks.crew(settings);
  const QueryPlan plan = plan_queries(options.input, settings, options.rejects);

  Progress progress;
  ProgressState state;
  state.windows_total = plan.windows;
  RunHooks hooks;
  hooks.asks = [&](const Window& window) { return plan.queries.contains(window.number); };
  hooks.after_learning = [&](const WindowReport& report, const RunTotals& totals) {
    show_progress(progress, state, report, totals);
  };
  const StreamInput input{.path = options.input, .rejects = options.rejects, .stop = {}};
  const Learnt learnt = learn_stream(system, *crew, input, plan, hooks, queries ? &*queries : nullptr);
  const RunTotals& totals = learnt.totals;
  const ModelSize size = compared_with_full(learnt.size, learnt.units, configured.learning.dimension);
  progress.finish();

  const RetrievalScore& score = totals.score;
  const Scoring scoring = settings.evaluation.scoring;
  nlohmann::ordered_json result = {{"method", options.method}, {"loss", system.loss()}};
  result.update(quality_json(score, scoring));
  result["scoring"] = write_value(scoring);
  for (const Scoring either : {Scoring::pooled, Scoring::mean}) {
    result["by_scoring"][write_value(either).get<std::string>()] = quality_json(score, either);
  }
  result.update(nlohmann::ordered_json{{"queries", score.queries},
                                       {"queries_rare", score.rare_queries},
                                       {"records", totals.records},
                                       {"windows", totals.windows},
                                       {"query_windows", plan.queries.size()},
                                       {"units", learnt.units},
                                       {"expired", totals.expired},
                                       {"waiting", totals.waiting}});
  if (score.left_out > 0) result["queries_left_out"] = score.left_out;
  add_cost(result, totals, *crew, size);
  result["rejected"] = totals.rejected;
  result["version"] = program_version();
  result["model_sha256"] = learnt.sha256;
  result["settings"] = settings_json(settings);
  fmt::print(
      "{}: MRR {:.4f}, Recall@1 {:.4f}, Recall@5 {:.4f} (pooled; {:.4f}, {:.4f}, {:.4f} by means; {} queries{}); model "
      "{}, {:.1f} % of full; {:.0f} records/s\n",
      options.method, score.mrr(Scoring::pooled), score.recall_at_1(Scoring::pooled),
      score.recall_at_5(Scoring::pooled), score.mrr(Scoring::mean), score.recall_at_1(Scoring::mean),
      score.recall_at_5(Scoring::mean), score.queries,
      score.left_out > 0 ? fmt::format(", {} without candidates left out", score.left_out) : "",
      readable_bytes(static_cast<double>(size.bytes)),
      100.0 * static_cast<double>(size.bytes) / static_cast<double>(std::max<std::uint64_t>(1, size.full_bytes)),
      totals.records_per_second());
  // The result first: a disk without room for the queries does not cost it.
  if (json) {
    json->stream() << result.dump(2) << '\n';
    json->commit();
  }
  if (queries) queries->commit();
}

}  // namespace

void add_evaluate_command(CLI::App& program, Ranks& ranks) {
  CLI::App* command =
      program.add_subcommand("evaluate", "Measure how well held-out units are found, as in the METEOR paper");
  command->footer(fmt::format(R"(
The first part of the stream pretrains. From the rest, evaluation.query_windows windows are drawn; each is tested before it is
learnt: every unit of a target attribute is looked for among evaluation.candidates others, given the rest of its record.

Methods:
{}
  meteor evaluate --config configs/shopping.toml --input baskets.csv --method full --json full.json)",
                              describe_systems()));
  const auto run = add_run_options(*command);
  auto options = std::make_shared<EvaluateOptions>();
  command->add_option("--input", options->input, "The stream: a file (also .gz, .zst)")->required()->type_name("FILE");
  command->add_option("--method", options->method, "What is measured, as below")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--json", options->json, "Writes the result, its cost and the settings as JSON")
      ->type_name("FILE");
  command->add_option("--queries", options->queries, "Writes every query with its candidates as JSON lines")
      ->type_name("FILE");
  command->add_option("--rejects", options->rejects, "Writes records that cannot be used, with line and reason")
      ->type_name("FILE");
  command->callback([run, options, &ranks] { ranks.run([&] { evaluate(begin_run(*run), *options, ranks); }); });
}

}  // namespace meteor
