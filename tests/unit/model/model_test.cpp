#include "model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"
#include "model/accumulators.h"

namespace meteor {
namespace {

using testing::empty_model;
using testing::plain_update;
using testing::random_rows;

constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();

TEST(Model, AbsorbsWhatAWindowTaught) {
  Random random{1};
  Model model = empty_model(6);
  WindowUpdate first = plain_update(first_units(3), random_rows(3, 6, random), 0);
  first.attributes = {AttributeId{0}, AttributeId{1}, AttributeId{0}};
  first.accumulators = {0.25F, 0.2F, 0.0625F};
  first.counts = {1, 2, 3};
  model.absorb(first, this_thread());
  WindowUpdate second = plain_update({UnitId{3}, UnitId{1}}, random_rows(2, 6, random), 4);
  second.attributes = {AttributeId{2}, AttributeId{1}};
  second.accumulators = {4, 1};
  second.counts = {7, 5};
  model.absorb(second, this_thread());

  EXPECT_EQ(model.units(), 4u);
  EXPECT_EQ(model.windows, 5u);
  EXPECT_EQ(model.attributes,
            (std::vector<AttributeId>{AttributeId{0}, AttributeId{1}, AttributeId{0}, AttributeId{2}}));
  std::vector<float> accumulators;
  for (const std::uint8_t byte : model.accumulators) accumulators.push_back(accumulator_of(byte));
  EXPECT_EQ(accumulators, (std::vector<float>{0.25F, 1, 0.0625F, 4}));
  EXPECT_EQ(model.counts, (std::vector<std::uint32_t>{1, 7, 3, 7}));
  EXPECT_EQ(model.last_windows, (std::vector<std::uint32_t>{0, 4, 0, 4}));
  AlignedRows decoded(4, 6);
  model.embeddings->decode(first_units(4), decoded);
  const auto same = [&](std::size_t unit, std::span<const float> row) {
    return std::equal(row.begin(), row.end(), decoded.row(unit).begin());
  };
  EXPECT_TRUE(same(0, first.rows.row(0)));
  EXPECT_TRUE(same(1, second.rows.row(1)));
  EXPECT_TRUE(same(2, first.rows.row(2)));
  EXPECT_TRUE(same(3, second.rows.row(0)));
}

TEST(Model, CountsSaturate) {
  Model model = empty_model(2);
  WindowUpdate update = plain_update(first_units(2), AlignedRows(2, 2));
  update.counts = {kMost - 1, 5};
  model.absorb(update, this_thread());
  update.counts = {1, 1};
  model.absorb(update, this_thread());
  EXPECT_EQ(model.counts, (std::vector<std::uint32_t>{kMost, 6}));
  update.counts = {kMost, kMost};
  model.absorb(update, this_thread());
  EXPECT_EQ(model.counts, (std::vector<std::uint32_t>{kMost, kMost}));
}

TEST(Model, BytesAreThoseOfEmbeddingsAndOptimiserOnly) {
  Model model = empty_model(10);
  model.absorb(plain_update(first_units(7), AlignedRows(7, 10)), this_thread());
  EXPECT_EQ(model.full_bytes(), 7u * 10 * 4);
  EXPECT_EQ(model.bytes(), 7u * 10 * 4 + 7u);
  EXPECT_EQ(model.bytes_per_new_unit(), 41);
}

TEST(Model, ItsArraysNameEverythingAndChangeWithIt) {
  Random random{2};
  Model model = empty_model(3);
  model.absorb(plain_update(first_units(2), random_rows(2, 3, random)), this_thread());
  const auto arrays = model.arrays();
  EXPECT_EQ(find_array(arrays, "units/attribute").as<std::uint16_t>().size(), 2u);
  EXPECT_EQ(find_array(arrays, "units/count").as<std::uint32_t>()[1], 1u);
  EXPECT_EQ(find_array(arrays, "units/last_window").elements(), 2u);
  EXPECT_EQ(accumulator_of(find_array(arrays, "units/accumulator").as<std::uint8_t>()[0]), 1);
  EXPECT_EQ(find_array(arrays, "embeddings/values").shape, (std::vector<std::uint64_t>{2, 3}));
  const std::string before = content_hash(arrays);
  model.accumulators[1] = 2;
  EXPECT_NE(content_hash(model.arrays()), before);
}

TEST(Uncompressed, ReadsBackWhatItsArraysHold) {
  Random random{3};
  Uncompressed embeddings(5);
  const CompressionOutcome outcome =
      embeddings.absorb(plain_update(first_units(9), random_rows(9, 5, random)), {}, this_thread());
  EXPECT_EQ(outcome.relative_error(), 0);
  const Uncompressed copy(5, embeddings.arrays());
  EXPECT_EQ(copy.scheme(), "none");
  EXPECT_EQ(copy.units(), 9u);
  EXPECT_EQ(content_hash(copy.arrays()), content_hash(embeddings.arrays()));
  for (UnitId unit : first_units(9)) {
    EXPECT_TRUE(std::equal(copy.row(unit).begin(), copy.row(unit).end(), embeddings.row(unit).begin()));
  }
  EXPECT_THROW(Uncompressed(4, embeddings.arrays()), StorageError);
  EXPECT_THROW(Uncompressed(5, std::span<const Array>()), StorageError);
}

TEST(CompressionOutcome, TheRelativeErrorIsTheShareOfLostEnergy) {
  EXPECT_EQ(CompressionOutcome{}.relative_error(), 0);
  EXPECT_EQ((CompressionOutcome{.squared_error = 1, .squared_norm = 4, .turn = {}, .changes = {}}).relative_error(),
            0.25);
}

}  // namespace
}  // namespace meteor
