// The record kernel at dimension 300 with 3 negatives, beside what the core can do at most, measured in the same run:
// floating-point operations a second as a share of fused multiply-adds from registers; and which share of the time
// roots and divisions alone would take, and reading and writing the rows alone.
#include <benchmark/benchmark.h>

#include <chrono>
#include <functional>
#include <vector>

#include "generated_space.h"
#include "learning/learn.h"
#include "machine_limits.h"
#include "support/aligned_rows.h"

namespace meteor {
namespace {

constexpr std::size_t kNegatives = 3;
const std::size_t kWidth = padded_width(kDimension);

struct Limits {
  double multiply_adds;  ///< floating-point operations a second
  double roots;          ///< square roots with a division, a second
  void (*read_and_write)(float* const*, std::size_t, std::size_t, float);
};

double times_per_second(float (*loop)(std::size_t)) {
  double best = 0;
  for (int round = 0; round < 20; ++round) {  // the fastest, should somebody else disturb
    constexpr std::size_t kTimes = 200'000;
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(loop(kTimes));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    best = std::max(best, kTimes / spent.count());
  }
  return best * kChains * kLaneCount;
}

Limits measured_limits() {
  switch (best_instruction_set()) {
#if defined(__x86_64__)
    case InstructionSet::avx512:
      return {2 * times_per_second(avx512::multiply_adds), times_per_second(avx512::roots_and_divisions),
              avx512::read_and_write};
    case InstructionSet::avx2:
      return {2 * times_per_second(avx2::multiply_adds), times_per_second(avx2::roots_and_divisions),
              avx2::read_and_write};
#endif
    default:
      return {2 * times_per_second(baseline::multiply_adds), times_per_second(baseline::roots_and_divisions),
              baseline::read_and_write};
  }
}

const Limits& limits() {
  static const Limits measured = measured_limits();
  return measured;
}

/// Of a unit in a record of m: the agreement with half of the others; the sum, the context, a positive and the
/// negatives scored; their gradients; and a step of seven operations, root and division among them, for the unit and
/// each negative. σ is left out.
double operations_of_unit_step(std::size_t m) {
  constexpr double kRows = kNegatives + 1;
  return kDimension * (static_cast<double>(m - 1) + 2 + 2 * kRows + (2 * kRows - 1) + 3 + 7 * kRows + 1);
}

/// Records of m units among those of a window, more frequent ones first, with their negatives.
struct Records {
  Records(std::size_t window_units, std::size_t m) : rows(window_units, 2 * kWidth), length(m) {
    Random random{1};
    const auto draw = [&] {
      const double place = random.uniform();
      return static_cast<std::uint32_t>(place * place * static_cast<double>(window_units));
    };
    for (std::size_t row = 0; row < window_units; ++row) {
      float* const values = rows.row(row).data();
      for (std::size_t i = 0; i < kDimension; ++i) values[i] = 0.2F * static_cast<float>(random.uniform() - 0.5);
      for (std::size_t i = 0; i < kWidth; ++i) values[kWidth + i] = 0.01F;
    }
    std::vector<std::size_t> last_record(window_units);
    for (std::size_t record = 1; record <= 4096 / m + 1; ++record) {
      for (std::size_t x = 0; x < m; ++x) {
        std::uint32_t unit = draw();
        while (last_record[unit] == record) unit = static_cast<std::uint32_t>((unit + 1) % window_units);
        last_record[unit] = record;
        units.push_back(rows.row(unit).data());
        for (std::size_t j = 0; j < kNegatives; ++j) {
          const std::uint32_t other = draw();
          negatives.push_back(rows.row(other == unit ? (other + 1) % window_units : other).data());
        }
      }
    }
    scratch = AlignedRows(1, record_scratch_floats(m, kNegatives, kWidth));
    scores.resize(m * (kNegatives + 1));
    weights.assign(m, 0.5F);
  }

  void learn(LearnRecord kernel) {
    for (std::size_t first = 0; first < units.size(); first += length) {
      benchmark::DoNotOptimize(kernel({.units = units.data() + first,
                                       .unit_count = length,
                                       .weights = weights.data(),
                                       .negatives = negatives.data() + first * kNegatives,
                                       .negatives_per_unit = kNegatives,
                                       .width = kWidth,
                                       .rate = 0.05F,
                                       .tau = 0.1F,
                                       .shift = 1.6F,
                                       .scratch = scratch.data(),
                                       .scores = scores.data()}));
    }
  }

  /// Seconds in which all rows that a pass steps are read and written, and nothing else is done.
  double seconds_of_traffic() {
    double best = 1;
    for (int round = 0; round < 20; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t x = 0; x < units.size(); ++x) {
        limits().read_and_write(negatives.data() + x * kNegatives, kNegatives, 2 * kWidth, 1.0F);
        limits().read_and_write(units.data() + x, 1, 2 * kWidth, 1.0F);
      }
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
  }

  AlignedRows rows, scratch;
  std::size_t length;
  std::vector<float*> units, negatives;
  std::vector<float> scores;
  std::vector<float> weights;
};

void record_kernel(benchmark::State& state, LearnRecord kernel) {
  const auto m = static_cast<std::size_t>(state.range(0));
  Records records(static_cast<std::size_t>(state.range(1)), m);
  records.learn(kernel);
  for (auto _ : state) records.learn(kernel);
  const double steps = static_cast<double>(state.iterations()) * static_cast<double>(records.units.size());
  const auto rate = [&](double amount) { return benchmark::Counter(amount, benchmark::Counter::kIsRate); };
  state.counters["unit_steps/s"] = rate(steps);
  state.counters["FLOP/s"] = rate(steps * operations_of_unit_step(m));
  state.counters["of_peak"] = rate(steps * operations_of_unit_step(m) / limits().multiply_adds);
  state.counters["of_roots"] = rate(steps * (kNegatives + 1) * kDimension / limits().roots);
  state.counters["of_traffic"] = rate(static_cast<double>(state.iterations()) * records.seconds_of_traffic());
}

/// A window of a day has about 800 units on Online Retail.
void lengths(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"m", "units"})->Unit(benchmark::kMillisecond);
  for (const int m : {5, 22, 60, 200}) benchmark->Args({m, 800});
  for (const int units : {100, 3000, 30000}) benchmark->Args({22, units});
}
BENCHMARK_CAPTURE(record_kernel, exact, best_record_kernel().learn)->Apply(lengths);
BENCHMARK_CAPTURE(record_kernel, fast, best_record_kernel().learn_fast)->Apply(lengths);

void core(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(limits().roots);
  state.counters["peak_FLOP/s"] = limits().multiply_adds;
  state.counters["roots_and_divisions/s"] = limits().roots;
}
BENCHMARK(core)->Iterations(1);

}  // namespace
}  // namespace meteor

BENCHMARK_MAIN();
