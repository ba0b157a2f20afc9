#include "evaluation/query_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "fixtures/shopping_attributes.h"
#include "fixtures/temporary_folder.h"

namespace meteor {
namespace {

TEST(QueryFile, HoldsEveryQueryWithItsContextAndCandidatesByName) {
  const TemporaryFolder folder;
  Settings settings;
  settings.attributes = shopping_attributes();
  settings.evaluation.candidates = 2;
  Vocabulary vocabulary({1, 1});
  Window window{.number = 4, .begin = 864000, .units = {}, .ends = {}, .record_numbers = {}};
  for (const auto& [user, items] :
       {std::pair("ann", std::vector{"tea", "milk"}), {"bob", {"rum"}}, {"ann", {"ale", "gin"}}}) {
    const auto add = [&](AttributeId attribute, const char* name) {
      const auto known = vocabulary.find(attribute, name);
      window.units.push_back(known ? *known : vocabulary.admit(attribute, name));
    };
    add(AttributeId{0}, user);
    for (const char* item : items) add(AttributeId{1}, item);
    window.ends.push_back(window.units.size());
    window.record_numbers.push_back(70 + window.ends.size());
  }
  const WindowUnits units = count_units(window, vocabulary.attributes(), 2);
  const auto path = folder.path() / "queries.jsonl";
  {
    QueryFile file(path, settings);
    file.write(window, units, vocabulary);
    file.commit();
  }
  std::ifstream in(path);
  std::vector<nlohmann::json> queries;
  for (std::string line; std::getline(in, line);) queries.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(queries.size(), 5u) << "items are targets, users are not";
  const nlohmann::json& first = queries[0];
  EXPECT_EQ(first["window"], 4);
  EXPECT_EQ(first["begin"], 864000);
  EXPECT_EQ(first["record"], 71);
  EXPECT_EQ(first["target"], "items");
  EXPECT_EQ(first["candidates"].size(), 3u);
  const std::string answer = first["candidates"][first["answer"].get<std::size_t>()];
  EXPECT_TRUE(answer == "tea" || answer == "milk");
  EXPECT_EQ(first["context"], nlohmann::json({{"user", {"ann"}}, {"items", {answer == "tea" ? "milk" : "tea"}}}));
  for (const nlohmann::json& query : queries) {
    const auto candidates = query["candidates"].get<std::vector<std::string>>();
    EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end())) << "where the answer stands says nothing";
  }
  EXPECT_EQ(queries[2]["context"], nlohmann::json({{"user", {"bob"}}, {"items", nlohmann::json::array()}}));
}

}  // namespace
}  // namespace meteor
