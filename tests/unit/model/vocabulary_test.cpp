#include "model/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Vocabulary, AdmitsAsOtherSettingsSayFromWhereItIsToldThem) {
  Vocabulary vocabulary({1, 3});
  std::vector<AttributeSettings> attributes(2);
  attributes[0].min_count = 2;
  vocabulary.admit_as(attributes);
  EXPECT_FALSE(vocabulary.sight(AttributeId{0}, "bread"));
  EXPECT_TRUE(vocabulary.sight(AttributeId{0}, "bread"));
  EXPECT_TRUE(vocabulary.sight(AttributeId{1}, "bread"));
}

TEST(Vocabulary, AKeyStandsForTheUnitThatWaitsUnderItAndForNoOther) {
  Vocabulary vocabulary({2, 2});
  EXPECT_FALSE(vocabulary.sight(AttributeId{1}, "7:a"));
  const std::string key = vocabulary.take_sightings().at(0).key;
  const auto unit = vocabulary.unit_of_key(key);
  ASSERT_TRUE(unit);
  EXPECT_EQ(unit->attribute, AttributeId{1});
  EXPECT_EQ(unit->name, "7:a");
  for (const char* other : {"", ":", "7", "2:a", "-1:a", "01:a", "+1:a", "1x:a", "x:a", "18446744073709551617:a"}) {
    EXPECT_FALSE(vocabulary.unit_of_key(other)) << other;
  }
}

TEST(Vocabulary, SightingsOfDifferentAttributesAreCountedApart) {
  Vocabulary vocabulary({2, 2});
  EXPECT_FALSE(vocabulary.sight(AttributeId{0}, "x"));
  EXPECT_FALSE(vocabulary.sight(AttributeId{1}, "x"));
  EXPECT_TRUE(vocabulary.sight(AttributeId{0}, "x"));
}

TEST(Vocabulary, UnitsThatAreForgottenAreNewWhenTheyComeBack) {
  Vocabulary vocabulary({1, 1});
  const auto name = [](std::uint32_t i) { return std::to_string(i / 2); };
  const auto attribute = [](std::uint32_t i) { return AttributeId{static_cast<std::uint16_t>(i % 2)}; };
  constexpr std::uint32_t kUnits = 5000;
  for (std::uint32_t i = 0; i < kUnits; ++i) vocabulary.admit(attribute(i), name(i));
  std::vector<UnitId> gone;
  for (std::uint32_t i = 0; i < kUnits; ++i) {
    if (i % 7 == 3 || i > 2000) gone.push_back(UnitId{i});
  }
  vocabulary.forget(gone, 0);
  EXPECT_EQ(vocabulary.size(), kUnits - gone.size());
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < kUnits; ++i) {
    const auto found = vocabulary.find(attribute(i), name(i));
    if (std::binary_search(gone.begin(), gone.end(), UnitId{i})) {
      ASSERT_FALSE(found) << i;
      continue;
    }
    ASSERT_EQ(found, UnitId{next}) << "the others move up";
    ASSERT_EQ(vocabulary.name(UnitId{next}), name(i));
    ASSERT_EQ(vocabulary.attribute(UnitId{next}), attribute(i));
    ++next;
  }
  EXPECT_EQ(vocabulary.name_bytes().size(), vocabulary.name_ends().back());
  EXPECT_EQ(vocabulary.admit(attribute(3), name(3)), UnitId{next});
}

TEST(Vocabulary, SightingsBeforeAWindowAreForgotten) {
  Vocabulary vocabulary({3});
  for (const std::uint64_t window : {4, 5}) EXPECT_FALSE(vocabulary.sight(AttributeId{0}, "old", window));
  for (const std::uint64_t window : {4, 6}) EXPECT_FALSE(vocabulary.sight(AttributeId{0}, "seen", window));
  vocabulary.forget({}, 6);
  EXPECT_TRUE(vocabulary.sight(AttributeId{0}, "seen", 7));
  EXPECT_FALSE(vocabulary.sight(AttributeId{0}, "old", 7)) << "it is counted from the start";
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
