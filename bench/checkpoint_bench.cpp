// A checkpoint of 100,000 units at 10 % of full embeddings: copying the state, which the run waits for; writing it,
// which a thread does meanwhile; and reading it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "compression/spectral/fit_spectral.h"
#include "generated_space.h"
#include "model/local_block_workers.h"
#include "storage/checkpoint.h"

namespace meteor {
namespace {

constexpr std::size_t kUnits = 100'000;

struct Run {
  Run() {
    settings.attributes.resize(2);
    settings.attributes[0].name = settings.attributes[0].column = "user";
    settings.attributes[1].name = settings.attributes[1].column = "items";
    for (std::size_t i = 0; i < kUnits; ++i) {
      const AttributeId attribute = model.attributes[i];
      const std::string name = fmt::format("unit{}", i);
      if (vocabulary.sight(attribute, name)) vocabulary.admit(attribute, name);
    }
    LocalBlockWorkers workers(1);
    model.embeddings = fit_spectral(model, space_of(model), 2, settings.compression, workers);
    run.windows = run.next_number = run.records = run.end.records = model.windows;
  }
  ~Run() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  FileContent content() const { return checkpoint_content(settings, vocabulary, model, run, nullptr); }

  Settings settings;
  Vocabulary vocabulary = Vocabulary({1, 1});
  Model model = generated_space(kUnits);
  RunState run;
  std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("meteor_bench_{}.h5", getpid());
};

void copy_state(benchmark::State& state) {
  const Run run;
  for (auto _ : state) benchmark::DoNotOptimize(run.content());
}
BENCHMARK(copy_state)->Unit(benchmark::kMillisecond);

void write_checkpoint(benchmark::State& state) {
  const Run run;
  const FileContent content = run.content();
  for (auto _ : state) write_content(run.path, content);
  state.counters["bytes"] = static_cast<double>(std::filesystem::file_size(run.path));
}
BENCHMARK(write_checkpoint)->Unit(benchmark::kMillisecond)->UseRealTime();

void read_checkpoint(benchmark::State& state) {
  const Run run;
  write_content(run.path, run.content());
  for (auto _ : state) benchmark::DoNotOptimize(load_checkpoint(run.path));
}
BENCHMARK(read_checkpoint)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace meteor

BENCHMARK_MAIN();
