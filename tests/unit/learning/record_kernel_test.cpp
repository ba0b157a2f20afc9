#include "learning/record_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "record_scene.h"
#include "reference_kernel.h"

namespace meteor {
namespace {

using testing::RecordScene;
using testing::reference_learn_record;
using testing::reference_learn_record_plainly;
using testing::runnable_kernels;

/// A record of m units among m + 8 rows; each negative is any row but the unit itself, so that some repeat and some are
/// other units of the record. Every seventh unit has no negatives.
RecordScene random_scene(std::size_t m, std::size_t dimension, std::size_t negatives, Random& random) {
  RecordScene scene(m + 8, dimension, m, negatives);
  scene.fill(1.5F / std::sqrt(static_cast<float>(dimension)), 0.01F, random);
  if (m % 2 == 1) scene.weigh(random);
  for (std::size_t x = 0; x < m; ++x) {
    if (x % 7 == 6) continue;
    for (std::size_t j = 0; j < negatives; ++j) {
      const auto row = static_cast<int>(random.below(static_cast<std::uint32_t>(m + 7)));
      scene.negatives[x * negatives + j] = row >= static_cast<int>(x) ? row + 1 : row;
    }
  }
  scene.rate = 0.05F;
  scene.tau = 0.3F;
  return scene;
}

/// The largest difference of two equally long ranges, relative to 1 or to the number where that is larger.
float difference(std::span<const float> a, std::span<const float> b) {
  float worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
    worst = std::max(worst, std::abs(a[i] - b[i]) / std::max(1.0F, std::abs(a[i])));
  }
  return worst;
}

std::span<const float> all_values(const RecordScene& scene) {
  return {scene.values.data(), scene.values.rows() * scene.values.stride()};
}

void expect_agreement(const RecordScene& start, float bound) {
  RecordScene expected(start);
  const float psi = expected.learn(reference_learn_record);
  for (const RecordKernel& kernel : runnable_kernels()) {
    SCOPED_TRACE(std::string(kernel.instruction_set) + ": " + std::to_string(start.units.size()) + " units, d " +
                 std::to_string(start.dimension) + ", negatives " + std::to_string(start.negatives_per_unit));
    RecordScene scene(start);
    EXPECT_NEAR(scene.learn(kernel.learn), psi, 1e-5F);
    EXPECT_LT(difference(expected.scores, scene.scores), bound);
    EXPECT_LT(difference(all_values(expected), all_values(scene)), bound);
    RecordScene plain(start), plain_twin(start);
    EXPECT_NEAR(plain.learn(kernel.learn_plainly), plain_twin.learn(reference_learn_record_plainly), 1e-5F);
    EXPECT_LT(difference(plain_twin.scores, plain.scores), bound);
    EXPECT_LT(difference(all_values(plain_twin), all_values(plain)), bound);
  }
}

/// A record whose negatives are different rows, none of them in the record: each row takes one step.
RecordScene scene_of_single_steps(std::size_t m, std::size_t dimension, Random& random) {
  RecordScene scene(4 * m, dimension, m, 3);
  scene.fill(1.5F / std::sqrt(static_cast<float>(dimension)), 0.01F, random);
  for (std::size_t i = 0; i < scene.negatives.size(); ++i) scene.negatives[i] = static_cast<int>(m + i);
  return scene;
}

TEST(RecordKernel, FastStepsAreWithinTheirBoundOfTheReference) {
  Random random{9};
  for (const RecordKernel& kernel : runnable_kernels()) {
    const float bound = (kernel.instruction_set == "avx512" ? 1 : 6) * 0x1p-14F;
    for (std::size_t m : {2, 5, 22}) {
      const RecordScene start = scene_of_single_steps(m, 300, random);
      RecordScene fast(start), expected(start);
      EXPECT_NEAR(fast.learn(kernel.learn_fast), expected.learn(reference_learn_record), 1e-5F);
      EXPECT_LT(difference(expected.scores, fast.scores), 2e-5F);
      for (std::size_t row = 0; row < start.values.rows(); ++row) {
        for (std::size_t i = 0; i < 300; ++i) {
          const float step = expected.values.row(row)[i] - start.values.row(row)[i];
          constexpr float kRounding = 1e-6F;  // sums of the reference have another order
          ASSERT_NEAR(fast.values.row(row)[i], expected.values.row(row)[i], bound * std::abs(step) + kRounding)
              << kernel.instruction_set << ": " << m << " units";
          ASSERT_NEAR(fast.values.row(row)[start.width + i], expected.values.row(row)[start.width + i], 1e-6F);
        }
      }
    }
  }
}

constexpr float kBound = 2e-5F;  // embeddings, accumulators and scores here are of the order of 1 or below

TEST(RecordKernel, AgreesWithTheReferenceForEveryLengthOfRecord) {
  Random random{1};
  for (std::size_t m = 2; m <= 40; ++m) {
    for (std::size_t negatives : {0, 3}) expect_agreement(random_scene(m, 48, negatives, random), kBound);
  }
}

TEST(RecordKernel, AgreesWithTheReferenceForEveryDimensionAndNumberOfNegatives) {
  Random random{2};
  for (std::size_t dimension : {1, 7, 16, 300}) {
    for (std::size_t negatives : {0, 1, 2, 3, 4, 5, 6, 20}) {
      for (std::size_t m : {2, 3, 9}) expect_agreement(random_scene(m, dimension, negatives, random), kBound);
    }
  }
}

TEST(RecordKernel, AgreesWithTheReferenceOnRecordsLongerThanTheAgreementCompares) {
  Random random{3};
  expect_agreement(random_scene(kAgreementUnits, 7, 3, random), kBound);
  expect_agreement(random_scene(kAgreementUnits + 1, 7, 3, random), kBound);
  expect_agreement(random_scene(300, 16, 3, random), kBound);
  expect_agreement(random_scene(300, 300, 2, random), kBound);
}

TEST(RecordKernel, AgreesWithTheReferenceWhereSigmoidsSaturate) {
  Random random{4};
  RecordScene scene(6, 16, 4, 2);
  scene.fill(6, 1, random);
  scene.negatives = {4, 5, 4, 5, 5, 4, 4, 4};
  expect_agreement(scene, 1e-4F);
}

TEST(RecordKernel, ANegativeDrawnTwiceTakesTwoSteps) {
  Random random{5};
  for (const RecordKernel& kernel : runnable_kernels()) {
    RecordScene once(3, 4, 2, 1);
    once.fill(0.5F, 1, random);
    RecordScene twice(3, 4, 2, 2);
    std::memcpy(twice.values.data(), once.values.data(), 3 * once.values.stride() * sizeof(float));
    once.negatives = {2, RecordScene::kNone};
    twice.negatives = {2, 2, RecordScene::kNone, RecordScene::kNone};
    const float before = once.values.row(2)[0];
    once.learn(kernel.learn);
    twice.learn(kernel.learn);
    const float one_step = once.values.row(2)[0] - before, two_steps = twice.values.row(2)[0] - before;
    EXPECT_GT(two_steps / one_step, 1.8F) << kernel.instruction_set;
    EXPECT_LE(two_steps / one_step, 2.0F) << kernel.instruction_set;
  }
}

TEST(RecordKernel, Avx2AndAvx512GiveTheSameBits) {
  const auto kernels = runnable_kernels();
  if (kernels.size() < 3) GTEST_SKIP() << "this machine has no AVX-512";
  Random random{6};
  for (std::size_t m : {2, 3, 4, 5, 8, 13, 14, 15, 22, 40, 300}) {
    for (std::size_t dimension : {1, 16, 33, 300}) {
      RecordScene narrow = random_scene(m, dimension, 5, random);
      RecordScene wide(narrow);
      const float narrow_psi = narrow.learn(kernels[1].learn), wide_psi = wide.learn(kernels[2].learn);
      EXPECT_EQ(narrow_psi, wide_psi);
      EXPECT_EQ(narrow.scores, wide.scores);
      const auto left = all_values(narrow), right = all_values(wide);
      EXPECT_EQ(std::memcmp(left.data(), right.data(), left.size_bytes()), 0) << m << " units, d " << dimension;
    }
  }
}

TEST(RecordKernel, PaddingStaysZero) {
  Random random{7};
  for (const RecordKernel& kernel : runnable_kernels()) {
    for (std::size_t dimension : {1, 7, 300}) {
      RecordScene scene = random_scene(9, dimension, 3, random);
      for (int repeat = 0; repeat < 5; ++repeat) scene.learn(kernel.learn);
      for (std::size_t row = 0; row < scene.values.rows(); ++row) {
        for (std::size_t i = dimension; i < scene.width; ++i) ASSERT_EQ(scene.values.row(row)[i], 0.0F);
      }
    }
  }
}

TEST(RecordKernel, ScoresAreThoseBeforeTheStep) {
  for (const RecordKernel& kernel : runnable_kernels()) {
    RecordScene scene(3, 1, 2, 1);  // units 2 and 3, the negative −5
    const float values[] = {2, 3, -5};
    for (std::size_t row = 0; row < 3; ++row) {
      scene.values.row(row)[0] = values[row];
      for (std::size_t i = 0; i < scene.width; ++i) scene.values.row(row)[scene.width + i] = 1;
    }
    scene.negatives = {2, RecordScene::kNone};
    scene.rate = 1;
    scene.learn(kernel.learn);
    EXPECT_EQ(scene.scores, (std::vector<float>{6, -15, 6, 0})) << kernel.instruction_set;
    EXPECT_NE(scene.values.row(0)[0], 2);
  }
}

TEST(RecordKernel, TheRateFallsWithTheAgreement) {
  for (const RecordKernel& kernel : runnable_kernels()) {
    Random random{8};
    RecordScene plain = random_scene(5, 16, 0, random);
    RecordScene damped(plain);
    const RecordScene start(plain);
    plain.tau = 0;
    damped.tau = 2;
    const float psi = plain.learn(kernel.learn);
    damped.learn(kernel.learn);
    const float full_step = plain.values.row(0)[3] - start.values.row(0)[3];
    const float damped_step = damped.values.row(0)[3] - start.values.row(0)[3];
    EXPECT_NEAR(damped_step / full_step, std::exp(-2 * psi), 1e-3F) << kernel.instruction_set;
  }
}

TEST(RecordKernel, TheBestKernelIsOneThatThisMachineRuns) {
  EXPECT_EQ(best_record_kernel().instruction_set, runnable_kernels().back().instruction_set);
  EXPECT_EQ(best_record_kernel().learn, runnable_kernels().back().learn);
}

}  // namespace
}  // namespace meteor
