#pragma once

#include <cstring>
#include <vector>

#include "learning/record_kernel.h"
#include "support/aligned_rows.h"
#include "support/random.h"

namespace meteor::testing {

/// Rows with accumulators, a record among them and its negatives: what one call of a kernel needs. Copies are
/// independent, so that two kernels can start from the same numbers.
struct RecordScene {
  RecordScene(std::size_t rows, std::size_t dimension_, std::size_t unit_count, std::size_t negatives_per_unit_)
      : dimension(dimension_),
        width(padded_width(dimension_)),
        negatives_per_unit(negatives_per_unit_),
        values(rows, 2 * width),
        units(unit_count),
        weights(unit_count, 1.0F),
        negatives(unit_count * negatives_per_unit_, kNone),
        scores(unit_count * (negatives_per_unit_ + 1), -1.0F) {
    for (std::size_t x = 0; x < unit_count; ++x) units[x] = static_cast<int>(x);
  }
  RecordScene(const RecordScene& other)
      : dimension(other.dimension),
        width(other.width),
        negatives_per_unit(other.negatives_per_unit),
        values(other.values.rows(), other.values.width()),
        units(other.units),
        weights(other.weights),
        negatives(other.negatives),
        scores(other.scores),
        rate(other.rate),
        tau(other.tau),
        shift(other.shift) {
    std::memcpy(values.data(), other.values.data(), values.rows() * values.stride() * sizeof(float));
  }
  RecordScene& operator=(const RecordScene&) = delete;

  /// Embeddings uniform in ±scale, accumulators uniform in [1, 2) times `accumulator`.
  void fill(float scale, float accumulator, Random& random) {
    for (std::size_t row = 0; row < values.rows(); ++row) {
      float* const v = values.row(row).data();
      for (std::size_t i = 0; i < dimension; ++i) v[i] = scale * static_cast<float>(2 * random.uniform() - 1);
      for (std::size_t i = 0; i < width; ++i) v[width + i] = accumulator * static_cast<float>(1 + random.uniform());
    }
  }

  void weigh(Random& random) {
    for (float& weight : weights) weight = static_cast<float>(0.2 + random.uniform());
  }

  float learn(LearnRecord kernel) {
    std::vector<float*> unit_rows, negative_rows;
    for (int row : units) unit_rows.push_back(values.row(static_cast<std::size_t>(row)).data());
    for (int row : negatives) {
      negative_rows.push_back(row == kNone ? nullptr : values.row(static_cast<std::size_t>(row)).data());
    }
    AlignedRows scratch(1, record_scratch_floats(units.size(), negatives_per_unit, width));
    return kernel({.units = unit_rows.data(),
                   .unit_count = units.size(),
                   .weights = weights.data(),
                   .negatives = negative_rows.data(),
                   .negatives_per_unit = negatives_per_unit,
                   .width = width,
                   .rate = rate,
                   .tau = tau,
                   .shift = shift,
                   .scratch = scratch.data(),
                   .scores = scores.data()});
  }

  static constexpr int kNone = -1;
  std::size_t dimension, width, negatives_per_unit;
  AlignedRows values;
  std::vector<int> units;      ///< the row of each unit of the record
  std::vector<float> weights;  ///< of each unit of the record
  std::vector<int> negatives;  ///< the row of each negative, or kNone
  std::vector<float> scores;
  float rate = 0.05F;
  float tau = 0.1F;
  float shift = 1.6F;
};

/// The kernels that this machine can run.
inline std::vector<RecordKernel> runnable_kernels() {
  std::vector<RecordKernel> kernels{
      {"baseline", baseline::learn_record, baseline::learn_record_fast, baseline::learn_record_plainly}};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fused) kernels.push_back({"avx2", avx2::learn_record, avx2::learn_record_fast, avx2::learn_record_plainly});
  if (fused && __builtin_cpu_supports("avx512f"))
    kernels.push_back({"avx512", avx512::learn_record, avx512::learn_record_fast, avx512::learn_record_plainly});
#endif
  return kernels;
}

}  // namespace meteor::testing
