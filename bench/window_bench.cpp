// A window as a run learns it (embeddings rebuilt from codes, learnt, merged, compressed again), and what a unit-step
// of it costs. The window holds about 1,320 units of records, of 800 different ones, however large the vocabulary is.
#include <benchmark/benchmark.h>

#include "compression/fit_spectral.h"
#include "compression/local_block_workers.h"
#include "generated_space.h"
#include "methods/online_embedding.h"

namespace meteor {
namespace {

constexpr std::uint32_t kWindowUnits = 800;
constexpr std::size_t kOccurrences = 1320;

Settings settings_of(std::uint32_t dimension, std::uint32_t negatives) {
  Settings settings;
  settings.attributes.resize(2);
  settings.learning.dimension = dimension;
  settings.learning.negatives = negatives;
  settings.learning.epochs = 5;
  settings.compression.refit = 0;
  return settings;
}

Model fitted_model(std::size_t units, std::uint32_t dimension) {
  Model model = generated_space(units, dimension);
  LocalBlockWorkers workers(2);
  model.embeddings = fit_spectral(model, dynamic_cast<const Uncompressed&>(*model.embeddings), 2, {}, workers);
  return model;
}

/// Records of m different units that are spread over the whole vocabulary.
ReadWindow generated_window(const Model& model, std::uint32_t m, std::size_t records) {
  ReadWindow read;
  Random random{1};
  const auto apart = static_cast<std::uint32_t>(model.units() / kWindowUnits);
  for (std::size_t record = 0; record < records; ++record) {
    const std::uint32_t first = random.below(kWindowUnits);
    for (std::uint32_t i = 0; i < m; ++i) {
      read.window.units.push_back(UnitId{(first + 31 * i) % kWindowUnits * apart});
    }
    read.window.ends.push_back(read.window.units.size());
    read.window.record_numbers.push_back(record);
  }
  read.window.number = model.windows;
  read.units = count_units(read.window, model.attributes, 2);
  return read;
}

void learn_window(benchmark::State& state) {
  const auto vocabulary = static_cast<std::size_t>(state.range(0));
  const auto m = static_cast<std::uint32_t>(state.range(1)), dimension = static_cast<std::uint32_t>(state.range(2));
  const auto negatives = static_cast<std::uint32_t>(state.range(3)), share = static_cast<std::uint32_t>(state.range(4));
  const Settings settings = settings_of(dimension, negatives);
  const auto crew = local_crew(settings);
  const std::vector<CategoryKey> categories(vocabulary, CategoryKey::none);
  OnlineEmbedding embedding(settings, *crew, fitted_model(vocabulary, dimension), categories);
  ReadWindow read = generated_window(embedding.model(), m, std::max<std::size_t>(1, share * kOccurrences / m));
  double steps = 0, learning = 0;
  for (auto _ : state) {
    const WindowReport report = embedding.learn(read, false);
    steps += static_cast<double>(report.unit_steps);
    learning += report.seconds.optimise;
    read.units.window = ++read.window.number;
  }
  const auto inverse = benchmark::Counter::kIsRate | benchmark::Counter::kInvert;
  state.counters["s/unit_step"] = benchmark::Counter(steps, inverse);
  state.counters["learning_s/unit_step"] = learning / steps;
}

/// Each varies alone; the rest stays as on Online Retail.
void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"vocabulary", "m", "d", "negatives", "windows"})->Unit(benchmark::kMillisecond);
  const std::vector<std::int64_t> usual = {10'000, 22, 300, 3, 1};
  const std::vector<std::vector<std::int64_t>> values = {{10'000, 30'000, 100'000, 300'000, 1'000'000},
                                                         {5, 10, 50, 100, 200},
                                                         {50, 100, 200, 600},
                                                         {1, 2, 5, 10, 20},
                                                         {2, 4, 8, 16}};
  for (std::size_t varied = 0; varied < usual.size(); ++varied) {
    for (const std::int64_t value : values[varied]) {
      std::vector<std::int64_t> arguments = usual;
      arguments[varied] = value;
      benchmark->Args(arguments);
    }
  }
}
BENCHMARK(learn_window)->Apply(sizes);

}  // namespace
}  // namespace meteor

BENCHMARK_MAIN();
