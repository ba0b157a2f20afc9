// A window as a run learns it (embeddings rebuilt from codes, learnt, merged, compressed again), and what a unit-step
// of it costs. The window holds about 1,320 units of records, of 800 different ones, however large the vocabulary is.
#include <benchmark/benchmark.h>

#include "compression/spectral/fit_spectral.h"
#include "engine/online_embedding.h"
#include "generated_space.h"
#include "model/local_block_workers.h"

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
  model.embeddings = fit_spectral(model, space_of(model), 2, {}, workers);
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

/// A model and a window to learn. Fitting a large model takes longer than what is measured: it is kept for repetitions.
struct Run {
  explicit Run(const std::vector<std::int64_t>& sizes)
      : settings(settings_of(static_cast<std::uint32_t>(sizes[2]), static_cast<std::uint32_t>(sizes[3]))),
        crew(local_crew(settings)),
        embedding(settings, *crew,
                  fitted_model(static_cast<std::size_t>(sizes[0]), static_cast<std::uint32_t>(sizes[2])),
                  std::vector<CategoryKey>(static_cast<std::size_t>(sizes[0]), CategoryKey::none)),
        read(generated_window(embedding.model(), static_cast<std::uint32_t>(sizes[1]),
                              std::max<std::size_t>(1, static_cast<std::size_t>(sizes[4]) * kOccurrences /
                                                           static_cast<std::size_t>(sizes[1])))) {}

  Settings settings;
  std::unique_ptr<Crew> crew;
  OnlineEmbedding embedding;
  ReadWindow read;
};

void learn_window(benchmark::State& state) {
  static std::vector<std::int64_t> kept_sizes;
  static std::unique_ptr<Run> run;
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < 5; ++i) sizes.push_back(state.range(i));
  if (sizes != kept_sizes) {
    run.reset();
    run = std::make_unique<Run>(sizes);
    kept_sizes = sizes;
  }
  double steps = 0, learning = 0;
  for (auto _ : state) {
    const WindowReport report = run->embedding.learn(run->read, false);
    steps += static_cast<double>(report.unit_steps);
    learning += report.seconds.optimise;
    run->read.units.window = ++run->read.window.number;
  }
  state.counters["s/unit_step"] = benchmark::Counter(steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
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
