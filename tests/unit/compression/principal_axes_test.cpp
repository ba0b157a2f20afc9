#include "compression/principal_axes.h"

#include <gtest/gtest.h>

#include <limits>

#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"
#include "model/local_block_workers.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

using testing::empty_model;
using testing::plain_update;
using testing::random_rows;

constexpr std::uint32_t kDimension = 20;

/// Units whose embeddings vary along random directions, along direction k with 1/(1 + k) of the deviation of the first.
Model some_space(std::size_t units) {
  Random random{4};
  const AlignedRows along = random_rows(units, kDimension, random),
                    directions = random_rows(kDimension, kDimension, random);
  AlignedRows rows(units, kDimension);
  for (std::size_t i = 0; i < units; ++i) {
    for (std::size_t k = 0; k < kDimension; ++k) {
      for (std::size_t j = 0; j < kDimension; ++j) {
        rows.row(i)[j] += along.row(i)[k] / static_cast<float>(1 + k) * directions.row(k)[j];
      }
    }
  }
  Model model = empty_model(kDimension);
  WindowUpdate update = plain_update(first_units(units), std::move(rows), 0);
  for (std::size_t i = 0; i < units; ++i) update.counts[i] = static_cast<std::uint32_t>(1 + i % 50);
  model.absorb(update, this_thread());
  return model;
}

AlignedRows all_rows(const Model& model) {
  AlignedRows rows(model.units(), kDimension);
  model.embeddings->decode(first_units(model.units()), rows);
  return rows;
}

TEST(PrincipalAxes, MomentsThatAreNotFiniteHaveNone) {
  Eigen::MatrixXd moments = Eigen::MatrixXd::Identity(4, 4);
  EXPECT_NO_THROW(turn_to_axes_of(moments));
  moments(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(turn_to_axes_of(moments), NumericError);
}

TEST(PrincipalAxes, AfterATurnCoordinatesAreUncorrelatedAndDescend) {
  Model model = some_space(700);
  model.embeddings->turn_axes(model.facts(), this_thread());
  std::vector<float> weights;
  for (const std::uint32_t count : model.counts) weights.push_back(static_cast<float>(weight_of(count)));
  const RowMatrix moments = weighed_moments(all_rows(model), weights);
  for (Eigen::Index i = 0; i < kDimension; ++i) {
    for (Eigen::Index k = 0; k < i; ++k) EXPECT_NEAR(moments(i, k), 0, 1e-4 * moments(0, 0)) << i << ' ' << k;
    if (i > 0) {
      EXPECT_LE(moments(i, i), moments(i - 1, i - 1) + 1e-4F);
    }
  }
  EXPECT_GT(moments(0, 0), 5 * moments(kDimension - 1, kDimension - 1));
}

TEST(PrincipalAxes, ATurnKeepsDistancesAndAngles) {
  Model model = some_space(600);  // more than are turned in one go
  AlignedRows before = all_rows(model);
  const AlignedRows turn = model.embeddings->turn_axes(model.facts(), this_thread());
  const AlignedRows after = all_rows(model);
  EXPECT_LT((row_products(rows_of(after), rows_of(after)) - row_products(rows_of(before), rows_of(before))).norm(),
            1e-4F * row_products(rows_of(before), rows_of(before)).norm());
  turn_rows(before, turn);
  EXPECT_EQ(RowMatrix(rows_of(before)), RowMatrix(rows_of(after))) << "it tells how it turned";
}

TEST(PrincipalAxes, AreTheSameWhoeverWorks) {
  Model one = some_space(40000), other = some_space(40000);  // three blocks
  LocalBlockWorkers three(3);
  one.embeddings->turn_axes(one.facts(), this_thread());
  other.embeddings->turn_axes(other.facts(), three);
  EXPECT_EQ(content_hash(one.arrays()), content_hash(other.arrays()));
}

TEST(PrincipalAxes, ASpaceOfZerosStaysZero) {
  Model model = empty_model(kDimension);
  model.absorb(plain_update(first_units(30), AlignedRows(30, kDimension), 0), this_thread());
  model.embeddings->turn_axes(model.facts(), this_thread());
  EXPECT_EQ(rows_of(all_rows(model)).squaredNorm(), 0);
}

TEST(PrincipalAxes, FrequentUnitsWeighTheFourthRootOfTheirRecords) {
  EXPECT_DOUBLE_EQ(weight_of(0), 1);
  EXPECT_DOUBLE_EQ(weight_of(1), 1);
  EXPECT_DOUBLE_EQ(weight_of(16), 2);
  EXPECT_DOUBLE_EQ(weight_of(10000), 10);
}

}  // namespace
}  // namespace meteor
