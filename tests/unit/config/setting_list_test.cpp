#include "config/setting_list.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <sstream>

#include "config/load_settings.h"

namespace meteor {
namespace {

struct Documented {
  std::string value;
  std::string meaning;
};

/// The rows of the tables in docs/settings.md by section and key; a row may explain several.
std::map<std::string, Documented> documented_settings() {
  std::ifstream file(METEOR_DOCS "/settings.md");
  std::map<std::string, Documented> found;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## [")) section = line.substr(line.rfind('[') + 1, line.find(']') - line.rfind('[') - 1);
    if (!line.starts_with("| `")) continue;
    const std::size_t keys_end = line.find(" |", 2);
    const std::size_t value_end = line.find(" |", keys_end + 2);
    std::string value = line.substr(keys_end + 2, value_end - keys_end - 2);
    std::erase_if(value, [](char c) { return c == '`'; });
    if (value.starts_with(' ')) value.erase(0, 1);
    const std::string meaning = line.substr(value_end + 3, line.size() - value_end - 5);
    std::istringstream keys(line.substr(2, keys_end - 2));
    for (std::string key; std::getline(keys, key, ',');) {
      std::erase_if(key, [](char c) { return c == '`' || c == ' '; });
      found[section + "." + key] = {value, meaning};
    }
  }
  return found;
}

/// Compares every setting that it visits with its row, which it takes away.
struct Comparison {
  std::map<std::string, Documented>& documented;

  template <class Member, class Check>
  void operator()(const SettingEntry& entry, const Member& member, const Check& /*check*/) {
    const std::string key = (entry.section.empty() ? "attribute." : "") + entry.key();
    ASSERT_TRUE(documented.contains(key)) << key;
    const Documented& row = documented[key];
    EXPECT_EQ(row.meaning, entry.meaning) << key;
    const Json value = write_value(member);
    const bool nothing = value.is_null() || value == "";
    if (key == "attribute.name") {
      EXPECT_EQ(row.value, "required");
    } else if (key == "model.expire") {
      EXPECT_EQ(row.value, "\"never\"");
    } else if (nothing) {
      EXPECT_EQ(row.value, "") << key;
    } else {
      EXPECT_EQ(Json::parse(row.value, nullptr, false), value) << key;
    }
    documented.erase(key);
  }
};

TEST(SettingList, TheDocumentsExplainEverySettingAsTheListDoes) {
  auto documented = documented_settings();
  Comparison comparison{documented};
  for_each_setting(Settings{}, comparison);
  for_each_attribute_setting(AttributeSettings{}, comparison);
  for (const auto& [key, row] : documented) ADD_FAILURE() << key << " is not a setting";
}

TEST(SettingList, WhatDoesNotChangeResultsIsNamed) {
  const std::vector<std::string> harmless = harmless_settings();
  EXPECT_THAT(harmless, ::testing::IsSupersetOf({"/parallel/threads", "/checkpoint/keep", "/evaluation/scoring"}));
  EXPECT_THAT(harmless, ::testing::Not(::testing::Contains("/learning/seed")));
}

}  // namespace
}  // namespace meteor
