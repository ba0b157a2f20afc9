// Names of units to their ids: those that are known, and those that are new.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "model/vocabulary.h"
#include "support/random.h"

namespace meteor {
namespace {

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(fmt::format("item{}", 7 * i));
  return result;
}

Vocabulary admitted(const std::vector<std::string>& all) {
  Vocabulary vocabulary({1});
  for (const std::string& name : all) {
    if (vocabulary.sight(AttributeId{0}, name)) vocabulary.admit(AttributeId{0}, name);
  }
  return vocabulary;
}

void admit_units(benchmark::State& state) {
  const auto all = names(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(admitted(all).size());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(admit_units)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void find_units(benchmark::State& state) {
  const auto all = names(static_cast<std::size_t>(state.range(0)));
  const Vocabulary vocabulary = admitted(all);
  constexpr std::size_t kAsked = 100'000;
  std::vector<const std::string*> asked;
  Random random{1};
  for (std::size_t i = 0; i < kAsked; ++i) {  // a few often, as in streams
    const double place = random.uniform();
    asked.push_back(&all[static_cast<std::size_t>(place * place * static_cast<double>(all.size()))]);
  }
  for (auto _ : state) {
    for (const std::string* name : asked) benchmark::DoNotOptimize(vocabulary.find(AttributeId{0}, *name));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kAsked));
}
BENCHMARK(find_units)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace meteor

BENCHMARK_MAIN();
