// The spectral scheme at 10 % of full embeddings: fitting units in two threads, encoding and decoding them in one.
#include <benchmark/benchmark.h>

#include "compression/spectral/fit_spectral.h"
#include "generated_space.h"
#include "model/local_block_workers.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

std::unique_ptr<Spectral> fitted(const Model& model, std::size_t threads) {
  LocalBlockWorkers workers(threads);
  return fit_spectral(model, space_of(model), 2, {}, workers);
}

void fit_units(benchmark::State& state) {
  const Model model = generated_space(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(fitted(model, 2));
}
BENCHMARK(fit_units)->Arg(50000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond)->UseRealTime();

/// 10,000 units, as a window may hold.
struct Coded {
  Model model = generated_space(10000);
  std::unique_ptr<Spectral> spectral = fitted(model, 1);
  std::vector<UnitId> units = first_units(10000);
  AlignedRows rows = AlignedRows(10000, kDimension);

  Coded() { model.embeddings->decode(units, rows); }
};

void encode_units(benchmark::State& state) {
  const Coded coded;
  const std::vector<std::uint8_t> tables = coded.spectral->codes_of(coded.units).tables;
  for (auto _ : state) {
    CodingLoss loss;
    benchmark::DoNotOptimize(encode_rows(coded.spectral->plan(), coded.rows, tables, loss));
  }
  state.SetItemsProcessed(state.iterations() * 10000);
}
BENCHMARK(encode_units)->Unit(benchmark::kMillisecond);

void decode_units(benchmark::State& state) {
  Coded coded;
  for (auto _ : state) coded.spectral->decode(coded.units, coded.rows);
  state.SetItemsProcessed(state.iterations() * 10000);
}
BENCHMARK(decode_units)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace meteor

BENCHMARK_MAIN();
