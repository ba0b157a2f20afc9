#include "experiments/studies.h"

#include <atomic>
#include <memory>
#include <optional>

#include "compression/clusters/fit_clusters.h"
#include "engine/online_embedding.h"
#include "engine/stream_run.h"
#include "experiments/cluster_drift.h"
#include "systems/systems.h"

namespace meteor {
namespace {

using nlohmann::ordered_json;

/// The settings of a system, for a run in one thread whose units keep their numbers and find their clusters themselves.
Settings study_settings(const std::string& method, const Settings& configured) {
  Settings settings = system_of(method, configured).settings;
  settings.model.expire.reset();
  settings.parallel.threads = 1;
  settings.parallel.shards = 1;
  settings.parallel.staleness = 0;
  for (AttributeSettings& attribute : settings.attributes) attribute.clusters = ClusterSource::fitted;
  return settings;
}

void learn(const std::string& input, const Settings& settings, StreamLearner& learner, const RunHooks& hooks) {
  Vocabulary vocabulary = empty_vocabulary(settings.attributes);
  const QueryPlan plan = plan_queries(input, settings);
  RunState state = run_start(plan.pretraining, 0, plan.text);
  run_stream({.path = input, .rejects = {}, .stop = {}}, settings, state, vocabulary, Categories(settings.attributes),
             learner, hooks);
}

/// The paper's clusters of a model that has plain embeddings.
std::unique_ptr<Clustered> paper_clusters(const Model& model, const Settings& paper, BlockWorkers& workers) {
  const std::vector<CategoryKey> none(model.units(), CategoryKey::none);
  return fit_clusters(model, space_of(model), none, paper.attributes, paper.compression, paper.learning.seed, workers);
}

}  // namespace

ordered_json study_presence(const std::string& input, const Settings& configured) {
  const Settings settings = study_settings("popularity", configured);
  std::vector<bool> seen;
  std::vector<std::size_t> units(settings.attributes.size());  // seen so far
  std::vector<std::vector<double>> shares(settings.attributes.size());
  RunHooks hooks;
  hooks.before_learning = [&](const ReadWindow& read, bool pretrains, std::mutex& /*admitting*/) {
    seen.resize(seen.size() + read.new_categories.size());
    for (std::size_t a = 0; a < units.size(); ++a) {
      const std::uint32_t begin = read.units.attribute_begin(a);
      const std::uint32_t end = read.units.attribute_ends[a];
      for (std::uint32_t slot = begin; slot < end; ++slot) {
        const std::size_t unit = index(read.units.units[slot]);
        if (!seen[unit]) ++units[a];
        seen[unit] = true;
      }
      if (!pretrains && units[a] > 0) {
        shares[a].push_back(static_cast<double>(end - begin) / static_cast<double>(units[a]));
      }
    }
  };
  Counting counting({CountedBy::Kind::popularity}, settings);
  learn(input, settings, counting, hooks);
  ordered_json result = {{"attributes", ordered_json::array()}};
  for (std::size_t a = 0; a < units.size(); ++a) {
    result["attributes"].push_back(
        {{"name", settings.attributes[a].name}, {"units", units[a]}, {"windows", shares[a]}});
  }
  return result;
}

ordered_json study_drift(const std::string& input, const Settings& configured) {
  const Settings settings = study_settings("full", configured);
  const Settings paper = study_settings("paper", configured);
  const auto crew = local_crew(settings);
  OnlineEmbedding embedding(settings, *crew);
  std::optional<ClusterDrift> drift;
  WindowUnits units;  // of the window that is learnt
  ordered_json windows = ordered_json::array();
  RunHooks hooks;
  hooks.before_learning = [&](const ReadWindow& read, bool pretrains, std::mutex& /*admitting*/) {
    if (!pretrains && !drift) drift.emplace(*paper_clusters(embedding.model(), paper, *crew), embedding.model());
    units = read.units;
  };
  hooks.after_learning = [&](const WindowReport& report, const RunTotals& /*totals*/) {
    if (!drift) return;
    const auto [moved, changed] = drift->follow(units, embedding.model());
    windows.push_back({{"window", report.window},
                       {"units", moved},
                       {"changed", moved > 0 ? static_cast<double>(changed) / static_cast<double>(moved) : 0},
                       {"all_units", drift->clustered_units()}});
  };
  learn(input, settings, embedding, hooks);
  return {{"method", "paper"}, {"embeddings", "full"}, {"windows", std::move(windows)}};
}

ordered_json study_sizes(const std::string& input, const Settings& configured) {
  const Settings settings = study_settings("paper", configured);
  const auto crew = local_crew(settings);
  OnlineEmbedding embedding(settings, *crew);
  ordered_json clusters = ordered_json::array();
  std::atomic<bool> pretrained = false;
  RunHooks hooks;
  hooks.before_learning = [&](const ReadWindow& /*read*/, bool pretrains, std::mutex& /*admitting*/) {
    if (pretrains || pretrained) return;
    pretrained = true;
    const auto& clustered = dynamic_cast<const Clustered&>(*embedding.model().embeddings);
    std::vector<std::size_t> sizes(clustered.clusters().size());
    for (std::size_t i = 0; i < clustered.units(); ++i) ++sizes[index(clustered.cluster_of(static_cast<UnitId>(i)))];
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      const Cluster& cluster = clustered.clusters()[c];
      clusters.push_back({{"attribute", settings.attributes[index(cluster.attribute)].name},
                          {"units", sizes[c]},
                          {"basis_vectors", cluster.basis.rows()}});
    }
  };
  hooks.halt = [&] { return pretrained.load(); };
  learn(input, settings, embedding, hooks);
  return {{"method", "paper"}, {"clusters", std::move(clusters)}};
}

}  // namespace meteor
