#include <gtest/gtest.h>

#include <filesystem>

#include "model/accumulators.h"
#include "storage/checkpoint.h"

namespace meteor {
namespace {

// Files that meteor 0.1.0 wrote, from 40 generated baskets: --set learning.dimension=8 --set learning.epochs=1
// --set 'compression.budget=90 %' --set checkpoint.every_windows=1. All later versions must read them: they are never
// written anew.
const std::filesystem::path kFiles = METEOR_TEST_DATA "/format_2";

void expect_content(const Model& model) {
  EXPECT_EQ(model.embeddings->scheme(), "spectral");
  EXPECT_EQ(model.windows, 38u);
  ASSERT_EQ(model.units(), 119u);
  ASSERT_EQ(model.accumulators.size(), 119u);
  const float were[] = {0.00262429F, 0.0006953F, 0.00204334F};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(accumulator_of(model.accumulators[i]), were[i], 0.1 * were[i]) << i;
}

TEST(Format2, AccumulatorsThatWereFloatsBecomeTheNearestBytes) {
  expect_content(load_model(kFiles / "model.h5").model);
  expect_content(load_checkpoint(kFiles / "checkpoint.h5").stored.model);
}

}  // namespace
}  // namespace meteor
