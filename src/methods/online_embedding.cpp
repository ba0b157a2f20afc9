#include "methods/online_embedding.h"

#include <fmt/format.h>

#include "compression/fit_clusters.h"
#include "learning/learn.h"
#include "model/uncompressed.h"

namespace meteor {
namespace {

Model empty_model(const Settings& settings) {
  Model model;
  model.dimension = settings.learning.dimension;
  model.embeddings = std::make_unique<Uncompressed>(model.dimension);
  return model;
}

}  // namespace

OnlineEmbedding::OnlineEmbedding(const Settings& settings, const Vocabulary& vocabulary)
    : OnlineEmbedding(settings, vocabulary, empty_model(settings)) {}

OnlineEmbedding::OnlineEmbedding(const Settings& settings, const Vocabulary& vocabulary, Model model)
    : settings_(settings),
      vocabulary_(vocabulary),
      categories_(settings.attributes),
      kernel_(best_record_kernel()),
      model_(std::move(model)) {}

WindowUnits OnlineEmbedding::count(const Window& window) const {
  return count_units(window, vocabulary_.attributes(), vocabulary_.attribute_count());
}

WindowReport OnlineEmbedding::learn(const Window& window, const WindowUnits& units) {
  WindowReport report;
  report.window = window.number;
  report.begin = window.begin;
  report.records = window.records();

  const Shard shard = whole_window(window, units);
  CostlyEmbeddings costly(units, model_, settings_.learning.seed);
  {
    const PhaseTimer timer(report.seconds.reconstruct);
    costly.rebuild(count_slots(shard, units.size()).slots);
  }
  ShardUpdate learnt;
  try {
    const PhaseTimer timer(report.seconds.optimise);
    learnt = meteor::learn(units, shard, costly, settings_.learning, kernel_);
  } catch (const NotFinite& fault) {
    throw NumericError(
        fmt::format("window {}: record {}: the embedding of {}:{} is not finite; a smaller learning.rate may help",
                    fault.window, fault.record, settings_.attributes[index(vocabulary_.attribute(fault.unit))].name,
                    vocabulary_.name(fault.unit)));
  }

  WindowUpdate update;
  update.window = window.number;
  for (std::uint32_t slot : learnt.slots) {
    const UnitId unit = units.units[slot];
    const AttributeId attribute = vocabulary_.attribute(unit);
    update.units.push_back(unit);
    update.attributes.push_back(attribute);
    update.categories.push_back(categories_.of(attribute, vocabulary_.name(unit)));
  }
  update.accumulators = std::move(learnt.accumulators);
  update.counts = std::move(learnt.counts);
  update.rows = std::move(learnt.rows);

  const std::size_t known = model_.units();
  {
    const PhaseTimer timer(report.seconds.compress);
    report.compression_error = model_.absorb(update).relative_error();
  }
  report.new_units = model_.units() - known;
  report.unit_steps = learnt.unit_steps;
  report.loss = learnt.losses > 0 ? learnt.loss / static_cast<double>(learnt.losses) : 0;
  return report;
}

void OnlineEmbedding::compress() {
  const auto* space = dynamic_cast<const Uncompressed*>(model_.embeddings.get());
  if (settings_.compression.scheme == CompressionScheme::none || space == nullptr) return;
  std::vector<CategoryKey> categories;
  for (std::size_t i = 0; i < model_.units(); ++i) {
    const UnitId unit{static_cast<std::uint32_t>(i)};
    categories.push_back(categories_.of(vocabulary_.attribute(unit), vocabulary_.name(unit)));
  }
  model_.embeddings =
      fit_clusters(model_, *space, categories, settings_.attributes, settings_.compression, settings_.learning.seed);
}

}  // namespace meteor
