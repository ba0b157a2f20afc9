#include "model/vocabulary.h"

#include <gtest/gtest.h>

#include <map>

#include "support/random.h"

namespace meteor {
namespace {

TEST(Vocabulary, FindsEachOfManyRandomNames) {
  Vocabulary vocabulary({1, 1, 1});
  std::map<std::pair<std::uint16_t, std::string>, UnitId> expected;
  Random random{1};
  while (expected.size() < 100000) {
    const auto attribute = static_cast<std::uint16_t>(random.below(3));
    std::string name;
    for (std::uint32_t length = random.below(12); name.size() < length;) {
      name.push_back(static_cast<char>(random.below(256)));  // any byte, zero too
    }
    if (expected.contains({attribute, name})) continue;
    ASSERT_FALSE(vocabulary.find(AttributeId{attribute}, name).has_value());
    const UnitId unit = vocabulary.admit(AttributeId{attribute}, name);
    ASSERT_EQ(index(unit), expected.size()) << "ids follow the order of admission";
    expected[{attribute, name}] = unit;
  }
  EXPECT_EQ(vocabulary.size(), 100000u);
  for (const auto& [key, unit] : expected) {
    ASSERT_EQ(vocabulary.find(AttributeId{key.first}, key.second), unit);
    ASSERT_EQ(vocabulary.name(unit), key.second);
    ASSERT_EQ(vocabulary.attribute(unit), AttributeId{key.first});
  }
}

TEST(Vocabulary, EqualNamesInDifferentAttributesAreDifferentUnits) {
  Vocabulary vocabulary({1, 1});
  const UnitId user = vocabulary.admit(AttributeId{0}, "17");
  EXPECT_FALSE(vocabulary.find(AttributeId{1}, "17").has_value());
  const UnitId item = vocabulary.admit(AttributeId{1}, "17");
  EXPECT_NE(user, item);
  EXPECT_EQ(vocabulary.find(AttributeId{0}, "17"), user);
  EXPECT_EQ(vocabulary.find(AttributeId{1}, "17"), item);
  EXPECT_EQ(vocabulary.attribute_count(), 2u);
}

TEST(Vocabulary, EqualNamesStayApartWhereTheyMeetInTheIndex) {
  Vocabulary vocabulary({1, 1, 1});
  for (std::uint32_t i = 0; i < 90000; ++i) {  // so many that places of equal names are neighbours now and then
    const auto attribute = static_cast<std::uint16_t>(i % 3);
    const std::string name = std::to_string(i / 3);
    ASSERT_FALSE(vocabulary.find(AttributeId{attribute}, name).has_value()) << name;
    ASSERT_EQ(index(vocabulary.admit(AttributeId{attribute}, name)), i);
    ASSERT_EQ(vocabulary.find(AttributeId{attribute}, name), UnitId{i});
  }
}

TEST(Vocabulary, AUnitIsAdmittedAtItsMinimalCount) {
  Vocabulary vocabulary({1, 3, 0});
  EXPECT_TRUE(vocabulary.sight(AttributeId{0}, "bread"));
  EXPECT_TRUE(vocabulary.sight(AttributeId{2}, "bread"));
  EXPECT_FALSE(vocabulary.sight(AttributeId{1}, "bread"));
  EXPECT_FALSE(vocabulary.sight(AttributeId{1}, "milk"));
  EXPECT_FALSE(vocabulary.sight(AttributeId{1}, "bread"));
  EXPECT_TRUE(vocabulary.sight(AttributeId{1}, "bread"));
  EXPECT_FALSE(vocabulary.find(AttributeId{1}, "bread").has_value()) << "only admit() gives an id";
  const UnitId bread = vocabulary.admit(AttributeId{1}, "bread");
  EXPECT_EQ(vocabulary.find(AttributeId{1}, "bread"), bread);
  EXPECT_FALSE(vocabulary.sight(AttributeId{1}, "milk"));
  EXPECT_TRUE(vocabulary.sight(AttributeId{1}, "milk"));
}

TEST(Vocabulary, SightingsOfDifferentAttributesAreCountedApart) {
  Vocabulary vocabulary({2, 2});
  EXPECT_FALSE(vocabulary.sight(AttributeId{0}, "x"));
  EXPECT_FALSE(vocabulary.sight(AttributeId{1}, "x"));
  EXPECT_TRUE(vocabulary.sight(AttributeId{0}, "x"));
}

TEST(Vocabulary, NamesLieEndToEnd) {
  Vocabulary vocabulary({1});
  for (const char* name : {"ab", "", "cde"}) vocabulary.admit(AttributeId{0}, name);
  EXPECT_EQ(vocabulary.name_bytes(), "abcde");
  ASSERT_EQ(vocabulary.name_ends().size(), 3u);
  EXPECT_EQ(vocabulary.name_ends()[1], 2u);
  EXPECT_EQ(vocabulary.name(UnitId{1}), "");
  EXPECT_EQ(vocabulary.name(UnitId{2}), "cde");
}

}  // namespace
}  // namespace meteor
