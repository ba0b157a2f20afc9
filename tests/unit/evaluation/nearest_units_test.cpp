#include "evaluation/nearest_units.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fixtures/small_models.h"

namespace meteor {
namespace {

std::vector<double> decode(const Model& model, UnitId unit) {
  AlignedRows row(1, model.dimension);
  model.embeddings->decode({&unit, 1}, row);
  return {row.row(0).begin(), row.row(0).end()};
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
  return ab / std::sqrt(aa * bb);
}

TEST(FittingUnits, ByMeansAgreeWithScoringEveryUnitAlone) {
  const StoredModel stored = small_model(CompressionScheme::clusters, 3000, 16);
  const std::vector<UnitId> context = {UnitId{4}, UnitId{7}, UnitId{9}};
  const auto users = decode(stored.model, UnitId{4});
  auto items = decode(stored.model, UnitId{7});
  const auto more = decode(stored.model, UnitId{9});
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = (items[i] + more[i]) / 2;
  std::vector<ScoredUnit> expected;
  for (std::uint32_t i = 1; i < 3000; i += 2) {
    if (i == 7 || i == 9) continue;
    const auto row = decode(stored.model, UnitId{i});
    expected.push_back({UnitId{i}, (cosine(row, users) + cosine(row, items)) / 2});
  }
  std::sort(expected.begin(), expected.end(),
            [](const ScoredUnit& a, const ScoredUnit& b) { return a.score > b.score; });

  const auto found = fitting_units(stored.model, AttributeId{1}, context, Scoring::mean, 12);
  ASSERT_EQ(found.size(), 12U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].unit, expected[i].unit);
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-6);
  }
}

TEST(NearestUnits, AreAllUnitsWhenMoreAreAskedFor) {
  const StoredModel stored = small_model(CompressionScheme::none, 11);
  const UnitId unit{1};
  const auto found = nearest_units(stored.model, AttributeId{1}, unit, 100);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_NEAR(found[0].score, cosine(decode(stored.model, unit), decode(stored.model, found[0].unit)), 1e-6);
}

}  // namespace
}  // namespace meteor
