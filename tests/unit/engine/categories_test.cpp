#include "engine/categories.h"

#include <gmock/gmock.h>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

using ::testing::HasSubstr;

constexpr AttributeId kUser{0};
constexpr AttributeId kItems{1};

std::vector<AttributeSettings> attributes(const std::filesystem::path& file) {
  std::vector<AttributeSettings> result(2);
  result[0].name = "user";
  result[1].name = "items";
  result[1].clusters = ClusterSource::categories;
  result[1].categories = file;
  return result;
}

TEST(Categories, UnitsOfACategoryShareItsKey) {
  const TemporaryFolder folder;
  const Categories categories(attributes(
      folder.write("c.csv", "item,category,more\nmilk,dairy,1\n\"soft, cheese\",dairy,2\nbread,bakery,3\n")));
  EXPECT_EQ(categories.of(kItems, "milk"), categories.of(kItems, "soft, cheese"));
  EXPECT_NE(categories.of(kItems, "milk"), categories.of(kItems, "bread"));
  EXPECT_NE(categories.of(kItems, "milk"), CategoryKey::none);
}

TEST(Categories, AUnitThatTheFileDoesNotNameHasNone) {
  const TemporaryFolder folder;
  const Categories categories(attributes(folder.write("c.csv", "item,category\nmilk,dairy\nodd,\n")));
  EXPECT_EQ(categories.of(kItems, "bread"), CategoryKey::none);
  EXPECT_EQ(categories.of(kItems, "odd"), CategoryKey::none);
  EXPECT_EQ(categories.of(kUser, "milk"), CategoryKey::none);
}

TEST(Categories, KeysDoNotDependOnTheOrderOfTheFile) {
  const TemporaryFolder folder;
  const Categories one(attributes(folder.write("1.csv", "item,category\nmilk,dairy\nbread,bakery\n")));
  const Categories other(attributes(folder.write("2.csv", "item,category\nroll,bakery\nbread,bakery\nmilk,dairy\n")));
  EXPECT_EQ(one.of(kItems, "bread"), other.of(kItems, "bread"));
}

TEST(Categories, SpacesAndQuotesAroundNamesDoNotMatter) {
  const TemporaryFolder folder;
  const Categories plain(attributes(folder.write("1.csv", "item,category\nmilk,dairy\n\"oat, milk\",vegan food\n")));
  for (const char* text : {"item, category\nmilk ,dairy\n\"oat, milk\", vegan food\n",
                           "\"item\",\"category\"\n\" milk\",\"dairy \"\n\"oat, milk\",\"vegan food\"\n",
                           "\"the \"\"item\"\"\",\"its\ncategory\"\nmilk,\tdairy\n\"oat, milk\",vegan food\n",
                           "\xef\xbb\xbfname,name\r\nmilk,dairy\r\n\"oat, milk\",vegan food\r\n"}) {
    const Categories categories(attributes(folder.write("2.csv", text)));
    EXPECT_EQ(categories.of(kItems, "milk"), plain.of(kItems, "milk")) << text;
    EXPECT_EQ(categories.of(kItems, "oat, milk"), plain.of(kItems, "oat, milk")) << text;
    EXPECT_EQ(categories.hashes(), plain.hashes()) << text;
  }
}

TEST(Categories, AUnitWithSeveralIsToldAndHasTheLast) {
  const TemporaryFolder folder;
  ::testing::internal::CaptureStderr();
  const Categories categories(attributes(
      folder.write("c.csv", "item,category\nmilk,dairy\nmilk,dairy\nroll,bakery\nroll,dairy\nbread,bakery\n")));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("c.csv: 1 units are listed with several categories, as roll is; their last one counts"));
  EXPECT_EQ(categories.of(kItems, "roll"), categories.of(kItems, "milk"));
}

TEST(Categories, AFileWithoutTwoColumnsIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(Categories(attributes(folder.write("c.csv", "item\nmilk\n"))), InputError);
  EXPECT_THROW(Categories(attributes(folder.write("empty.csv", ""))), InputError);
}

TEST(Categories, TheirHashFollowsTheContentAndNotTheFile) {
  const TemporaryFolder folder;
  const auto hash = [&](const std::string& name, const std::string& text) {
    return Categories(attributes(folder.write(name, text))).hashes();
  };
  const auto first = hash("a.csv", "item,category\nmilk,dairy\nbread,bakery\n");
  EXPECT_EQ(first.size(), 1u);
  EXPECT_TRUE(first.contains("items"));
  EXPECT_EQ(hash("b.csv", "unit,kind,more\r\nmilk,\"dairy\",1\r\nbread,bakery,2\r\n"), first);
  EXPECT_NE(hash("a.csv", "item,category\nmilk,dairy\nbread,dairy\n"), first);
  EXPECT_NE(hash("a.csv", "item,category\nmilk,dairy\n"), first);
  EXPECT_NE(hash("a.csv", "item,category\nmilks,dairy\nbread,bakery\n"), first);
}

}  // namespace
}  // namespace meteor
