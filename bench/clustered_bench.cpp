// The scheme of the paper's clusters: fitting (k-means, bases, codes), rebuilding embeddings from codes, solving codes
// and moving bases, of 10,000 units in one thread.
#include <benchmark/benchmark.h>

#include "compression/clusters/basis.h"
#include "compression/clusters/fit_clusters.h"
#include "compression/gather_rows.h"
#include "generated_space.h"
#include "model/local_block_workers.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

constexpr std::size_t kUnits = 10'000;

struct Space {
  Model model = generated_space(kUnits);
  LocalBlockWorkers workers = LocalBlockWorkers(1);
  std::vector<UnitId> units = first_units(kUnits);

  std::unique_ptr<Clustered> fitted() {
    const std::vector<CategoryKey> categories(kUnits, CategoryKey::none);
    const std::vector<AttributeSettings> attributes(2);
    return fit_clusters(model, space_of(model), categories, attributes, {}, 1, workers);
  }
};

void fit_units(benchmark::State& state) {
  Space space;
  for (auto _ : state) benchmark::DoNotOptimize(space.fitted());
}
BENCHMARK(fit_units)->Unit(benchmark::kMillisecond);

void basis_of_cluster(benchmark::State& state) {
  const Space space;
  const auto first = std::span(space.units).first(static_cast<std::size_t>(state.range(0)));
  const RowMatrix points = gather_rows(space_of(space.model), first);
  for (auto _ : state) benchmark::DoNotOptimize(leading_directions(points, first.size() / 10));
}
BENCHMARK(basis_of_cluster)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void decode_units(benchmark::State& state) {
  Space space;
  const auto clustered = space.fitted();
  AlignedRows rows(kUnits, kDimension);
  for (auto _ : state) clustered->decode(space.units, rows);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kUnits));
}
BENCHMARK(decode_units)->Unit(benchmark::kMillisecond);

void absorb_window(benchmark::State& state) {
  Space space;
  AlignedRows rows(kUnits, kDimension);
  space.model.embeddings->decode(space.units, rows);
  space.model.embeddings = space.fitted();
  WindowUpdate update;
  update.units = space.units;
  update.attributes = space.model.attributes;
  update.accumulators.assign(kUnits, 1);
  update.counts.assign(kUnits, 1);
  update.categories.assign(kUnits, CategoryKey::none);
  update.rows = std::move(rows);
  for (auto _ : state) benchmark::DoNotOptimize(space.model.absorb(update, space.workers));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kUnits));
}
BENCHMARK(absorb_window)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace meteor

BENCHMARK_MAIN();
