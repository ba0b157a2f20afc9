#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "record_scene.h"

namespace meteor {
namespace {

using testing::RecordScene;
using testing::runnable_kernels;
using Rows = std::vector<std::vector<double>>;

/// Eq. 3 summed over the units of the record, in double precision: −log σ(v_x·h_x − s) − Σ log σ(s − v_n·h_x).
/// The shift s of the paper is 0.
double record_loss(const RecordScene& scene, const Rows& v) {
  const auto row = [&](int i) -> const std::vector<double>& { return v[static_cast<std::size_t>(i)]; };
  const auto minus_log_sigmoid = [](double x) { return std::log1p(std::exp(-x)); };
  double loss = 0;
  for (std::size_t x = 0; x < scene.units.size(); ++x) {
    std::vector<double> h(scene.dimension);
    double weights = 0;
    for (std::size_t y = 0; y < scene.units.size(); ++y) weights += y != x ? scene.weights[y] : 0;
    for (std::size_t y = 0; y < scene.units.size(); ++y) {
      for (std::size_t i = 0; y != x && i < h.size(); ++i) h[i] += scene.weights[y] * row(scene.units[y])[i] / weights;
    }
    const auto score = [&](int target) {
      double sum = 0;
      for (std::size_t i = 0; i < h.size(); ++i) sum += row(target)[i] * h[i];
      return sum;
    };
    loss += minus_log_sigmoid(score(scene.units[x]) - scene.shift);
    for (std::size_t j = 0; j < scene.negatives_per_unit; ++j) {
      loss += minus_log_sigmoid(scene.shift - score(scene.negatives[x * scene.negatives_per_unit + j]));
    }
  }
  return loss;
}

Rows embeddings(const RecordScene& scene) {
  Rows rows;
  for (std::size_t row = 0; row < scene.values.rows(); ++row) {
    const float* v = scene.values.row(row).data();
    rows.emplace_back(v, v + scene.dimension);
  }
  return rows;
}

/// With equal, huge accumulators A an AdaGrad step is rate·g/√A; with rate = √A it is g itself. The negatives are
/// neither units of the record nor drawn twice, so that nothing reads a row that has already moved.
TEST(Gradient, OfTheKernelAgreesWithFiniteDifferencesOfTheLoss) {
  constexpr float kAccumulator = 0x1p60F;
  Random random{1};
  for (const RecordKernel& kernel : runnable_kernels()) {
    for (const auto& [m, shift] : {std::pair(2UL, 0.0F), {3, 1.6F}, {5, 0.0F}, {12, 1.6F}, {12, -0.7F}}) {
      constexpr std::size_t kDimension = 10, kNegatives = 3;
      RecordScene scene(m + m * kNegatives, kDimension, m, kNegatives);
      scene.fill(0.8F, 1, random);
      if (m != 5) scene.weigh(random);
      for (std::size_t row = 0; row < scene.values.rows(); ++row) {
        std::fill_n(scene.values.row(row).data() + scene.width, scene.width, kAccumulator);
      }
      for (std::size_t i = 0; i < scene.negatives.size(); ++i) scene.negatives[i] = static_cast<int>(m + i);
      scene.rate = std::sqrt(kAccumulator);
      scene.tau = 0;
      scene.shift = shift;

      Rows before = embeddings(scene);
      scene.learn(kernel.learn);
      const Rows after = embeddings(scene);
      for (std::size_t row = 0; row < before.size(); ++row) {
        double largest = 0, worst = 0;
        for (std::size_t i = 0; i < kDimension; ++i) {
          constexpr double kStep = 1e-5;
          Rows moved = before;
          moved[row][i] = before[row][i] + kStep;
          const double above = record_loss(scene, moved);
          moved[row][i] = before[row][i] - kStep;
          const double expected = (above - record_loss(scene, moved)) / (2 * kStep);
          largest = std::max(largest, std::abs(expected));
          worst = std::max(worst, std::abs(before[row][i] - after[row][i] - expected));
        }
        EXPECT_GT(largest, 1e-3);
        EXPECT_LT(worst / largest, 1e-4) << kernel.instruction_set << ": row " << row << " of a record of " << m;
      }
    }
  }
}

}  // namespace
}  // namespace meteor
