#include "model/unit_categories.h"

#include <gmock/gmock.h>

#include <array>

namespace meteor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr CategoryKey kNone = CategoryKey::none, kA{11}, kB{13};

TEST(UnitCategories, TellsTheCategoryOfAUnitAndTheUnitsOfACategory) {
  UnitCategories categories(std::array{kA, kNone, kB, kA});
  categories.add(std::array{kB});
  EXPECT_EQ(categories.of(UnitId{2}), kB);
  EXPECT_THAT(categories.of_all(), ElementsAre(kA, kNone, kB, kA, kB));
  EXPECT_THAT(categories.members(kA), ElementsAre(UnitId{0}, UnitId{3}));
  EXPECT_THAT(categories.members(kB), ElementsAre(UnitId{2}, UnitId{4}));
  EXPECT_THAT(categories.members(kNone), IsEmpty());
  EXPECT_THAT(categories.members(CategoryKey{5}), IsEmpty());
}

TEST(UnitCategories, UnitsMoveUpWhenOthersAreForgotten) {
  UnitCategories categories(std::array{kA, kNone, kB, kA, kB});
  categories.forget(std::array{UnitId{0}, UnitId{2}});
  EXPECT_THAT(categories.of_all(), ElementsAre(kNone, kA, kB));
  EXPECT_THAT(categories.members(kA), ElementsAre(UnitId{1}));
  EXPECT_THAT(categories.members(kB), ElementsAre(UnitId{2}));
}

}  // namespace
}  // namespace meteor
