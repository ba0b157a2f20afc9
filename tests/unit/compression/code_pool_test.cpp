#include "compression/spectral/code_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random.h"

namespace meteor {
namespace {

using Code = std::vector<std::uint8_t>;

bool holds(const CodePool& pool, UnitId unit, const Code& code) {
  return std::equal(code.begin(), code.end(), pool.get(unit));
}

TEST(CodePool, GivesBackWhatWasSet) {
  CodePool pool;
  pool.grow(3);
  EXPECT_EQ(pool.units(), 3u);
  EXPECT_FALSE(pool.has(UnitId{1}));
  pool.set(UnitId{1}, 0, Code{1, 2, 3});
  pool.set(UnitId{0}, 0, Code{4});
  EXPECT_TRUE(pool.has(UnitId{1}));
  EXPECT_FALSE(pool.has(UnitId{2}));
  EXPECT_TRUE(holds(pool, UnitId{1}, {1, 2, 3}));
  EXPECT_TRUE(holds(pool, UnitId{0}, {4}));
  EXPECT_EQ(pool.bytes(), 4u);
}

TEST(CodePool, ACodeOfTheSameLengthTakesThePlaceOfTheOld) {
  CodePool pool;
  pool.grow(1);
  pool.set(UnitId{0}, 0, Code{1, 2});
  const std::uint8_t* const place = pool.get(UnitId{0});
  pool.set(UnitId{0}, 2, Code{3, 4});
  EXPECT_EQ(pool.get(UnitId{0}), place);
  EXPECT_TRUE(holds(pool, UnitId{0}, {3, 4}));
  EXPECT_EQ(pool.bytes(), 2u);
}

TEST(CodePool, RoomThatAUnitLeavesIsGivenToTheNextCodeOfItsLength) {
  CodePool pool;
  pool.grow(3);
  pool.set(UnitId{0}, 0, Code{1, 2, 3, 4});
  pool.set(UnitId{1}, 0, Code{5, 6});
  const std::ptrdiff_t between = pool.get(UnitId{1}) - pool.get(UnitId{0});
  pool.set(UnitId{0}, 4, Code{7, 8});  // leaves room of four bytes
  pool.set(UnitId{2}, 0, Code{9, 10, 11, 12});
  EXPECT_EQ(pool.get(UnitId{1}) - pool.get(UnitId{2}), between) << "it is where unit 0 was";
  EXPECT_EQ(pool.bytes(), 8u);
  EXPECT_TRUE(holds(pool, UnitId{0}, {7, 8}));
  EXPECT_TRUE(holds(pool, UnitId{1}, {5, 6}));
  EXPECT_TRUE(holds(pool, UnitId{2}, {9, 10, 11, 12}));
}

TEST(CodePool, AUnitMayHaveACodeOfNoBytes) {
  CodePool pool;
  pool.grow(2);
  pool.set(UnitId{0}, 0, Code{});
  EXPECT_TRUE(pool.has(UnitId{0}));
  pool.set(UnitId{1}, 0, Code{1});
  pool.set(UnitId{0}, 0, Code{2, 3});
  pool.set(UnitId{1}, 1, Code{});
  EXPECT_EQ(pool.bytes(), 2u);
  EXPECT_TRUE(holds(pool, UnitId{0}, {2, 3}));
}

TEST(CodePool, CodesThatChangeTheirLengthsAgainAndAgainKeepApart) {
  constexpr std::uint32_t kUnits = 50;
  Random random{1};
  CodePool pool;
  pool.grow(kUnits);
  std::vector<Code> expected(kUnits);
  for (int step = 0; step < 5000; ++step) {
    const std::uint32_t unit = random.below(kUnits);
    Code code(random.below(6));
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random.below(256));
    pool.set(UnitId{unit}, expected[unit].size(), code);
    expected[unit] = code;
  }
  std::uint64_t bytes = 0;
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) {
    EXPECT_TRUE(holds(pool, UnitId{unit}, expected[unit])) << unit;
    bytes += expected[unit].size();
  }
  EXPECT_EQ(pool.bytes(), bytes);
}

}  // namespace
}  // namespace meteor
