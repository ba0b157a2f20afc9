#include "compression/gather_rows.h"

#include <gtest/gtest.h>

#include <limits>

#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"

namespace meteor {
namespace {

using testing::plain_update;
using testing::random_rows;

TEST(GatherRows, ComeInTheOrderAskedFor) {
  Random random{1};
  const AlignedRows rows = random_rows(5, 19, random);
  const std::vector<std::size_t> places{3, 0, 3};
  const RowMatrix gathered = gather_rows(rows, places);
  ASSERT_EQ(gathered.rows(), 3);
  ASSERT_EQ(gathered.cols(), 19);
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index j = 0; j < 19; ++j) {
      EXPECT_EQ(gathered(i, j), rows.row(places[static_cast<std::size_t>(i)])[static_cast<std::size_t>(j)]);
    }
  }
  EXPECT_EQ(gather_rows(rows, {}).rows(), 0);
}

TEST(GatherRows, OfASpaceAreThoseOfItsUnits) {
  Random random{2};
  Uncompressed space(7);
  space.absorb(plain_update(first_units(6), random_rows(6, 7, random)), {}, this_thread());
  const std::vector<UnitId> units{UnitId{5}, UnitId{1}};
  const RowMatrix gathered = gather_rows(space, units);
  ASSERT_EQ(gathered.rows(), 2);
  for (Eigen::Index i = 0; i < 2; ++i) {
    const auto row = space.row(units[static_cast<std::size_t>(i)]);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), gathered.row(i).data()));
  }
}

TEST(RefuseBroken, NamesWindowAndUnitOfARowThatIsNotFinite) {
  Random random{3};
  AlignedRows rows = random_rows(3, 5, random);
  const std::vector<UnitId> units{UnitId{8}, UnitId{2}, UnitId{4}};
  EXPECT_NO_THROW(refuse_broken(6, units, rows));
  for (const float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    rows.row(1)[4] = broken;
    try {
      refuse_broken(6, units, rows);
      FAIL() << "it went unnoticed";
    } catch (const NumericError& error) {
      EXPECT_STREQ(error.what(), "window 6: the embedding of unit 2 is not finite");
    }
  }
}

}  // namespace
}  // namespace meteor
