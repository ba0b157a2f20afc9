#include "learning/window_start.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "fixtures/schemes.h"
#include "fixtures/small_models.h"
#include "model/accumulators.h"

namespace meteor {
namespace {

/// A window that holds every third unit up to `units`, with the attributes of small_model.
WindowUnits every_third(std::uint32_t units) {
  WindowUnits window;
  window.window = 4;
  for (std::uint32_t attribute : {0u, 1u}) {
    for (std::uint32_t i = 0; i < units; i += 3) {
      if (i % 2 == attribute) window.units.push_back(UnitId{i});
    }
    window.attribute_ends.push_back(static_cast<std::uint32_t>(window.units.size()));
  }
  window.counts.assign(window.units.size(), 1);
  return window;
}

AlignedRows rows_of(const WindowStart& start, const WindowUnits& window) {
  AlignedRows rows(window.size(), start.dimension());
  std::vector<std::uint32_t> slots(window.size());
  std::iota(slots.begin(), slots.end(), 0u);
  std::vector<float*> places;
  for (std::uint32_t slot : slots) places.push_back(rows.row(slot).data());
  start.rebuild(slots, places);
  return rows;
}

bool same_bits(const AlignedRows& a, const AlignedRows& b) {
  return a.rows() == b.rows() && std::memcmp(a.data(), b.data(), a.rows() * a.stride() * sizeof(float)) == 0;
}

class WindowStarts : public testing::TestWithParam<CompressionScheme> {
 protected:
  WindowStarts() { stored_.model.accumulators[3] = 0; }
  static constexpr std::uint32_t kKnown = 4000, kDimension = 8;
  StoredModel stored_ = small_model(GetParam(), kKnown, kDimension);
  const WindowUnits window_ = every_third(kKnown + 600);
};

INSTANTIATE_TEST_SUITE_P(Schemes, WindowStarts, testing::ValuesIn(kSchemes), scheme_suffix);

TEST_P(WindowStarts, FromTheRowsOfKnownUnitsAreThoseOfTheModelBitForBit) {
  const ModelStart from_model(window_, stored_.model, 7);
  const SlotRows known = known_rows(window_, stored_.model);
  const GivenStart from_rows(window_, known, kDimension, 7);
  EXPECT_EQ(from_rows.dimension(), from_model.dimension());
  EXPECT_TRUE(same_bits(rows_of(from_rows, window_), rows_of(from_model, window_)));
  for (std::uint32_t slot = 0; slot < window_.size(); ++slot) {
    EXPECT_EQ(from_rows.accumulator(slot), from_model.accumulator(slot));
    EXPECT_GT(from_model.accumulator(slot), 0) << "AdaGrad divides by it";
    EXPECT_EQ(from_rows.knows(slot), from_model.knows(slot));
    EXPECT_EQ(from_model.knows(slot), index(window_.units[slot]) < kKnown);
  }
}

TEST_P(WindowStarts, OfKnownUnitsAreTheirEmbeddings) {
  AlignedRows decoded(window_.size(), kDimension);
  const SlotRows known = known_rows(window_, stored_.model);
  EXPECT_TRUE(std::is_sorted(known.slots.begin(), known.slots.end()));
  std::vector<UnitId> units;
  for (std::uint32_t slot : known.slots) units.push_back(window_.units[slot]);
  stored_.model.embeddings->decode(units, decoded);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto row = known.rows.row(i);
    ASSERT_TRUE(std::equal(row.begin(), row.end(), decoded.row(i).begin())) << "slot " << known.slots[i];
    EXPECT_EQ(known.accumulators[i], accumulator_of(stored_.model.accumulators[index(units[i])]));
  }
}

TEST_P(WindowStarts, OfNewUnitsDependOnTheSeedOnly) {
  const ModelStart start(window_, stored_.model, 7), other_seed(window_, stored_.model, 8);
  const AlignedRows rows = rows_of(start, window_), others = rows_of(other_seed, window_);
  for (std::uint32_t slot = 0; slot < window_.size(); ++slot) {
    EXPECT_EQ(std::equal(rows.row(slot).begin(), rows.row(slot).end(), others.row(slot).begin()), start.knows(slot));
  }
}

TEST_P(WindowStarts, AreShownBlockByBlockEachSlotOnceInAnyNumberOfThreads) {
  const ModelStart start(window_, stored_.model, 7);
  const AlignedRows expected = rows_of(start, window_);
  for (const std::size_t threads : {1, 3}) {
    std::vector<int> shown(window_.size());
    for_each_start(window_, start, threads, [&](std::span<const std::uint32_t> slots, const AlignedRows& rows) {
      for (std::size_t i = 0; i < slots.size(); ++i) {
        ++shown[slots[i]];
        EXPECT_TRUE(std::equal(rows.row(i).begin(), rows.row(i).end(), expected.row(slots[i]).begin()));
      }
    });
    EXPECT_EQ(shown, std::vector<int>(window_.size(), 1));
  }
}

}  // namespace
}  // namespace meteor
