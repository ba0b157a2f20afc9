#include "stream/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "support/error.h"

namespace meteor {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

GeneratorSettings shopping(std::uint64_t records) { return {.kind = GeneratorKind::shopping, .records = records}; }
GeneratorSettings geo(std::uint64_t records) { return {.kind = GeneratorKind::geo, .records = records}; }

std::string csv(const GeneratorSettings& settings) {
  StreamGenerator generator(settings);
  std::ostringstream out;
  write_csv(generator, out);
  return out.str();
}

std::vector<GeneratedRecord> records(const GeneratorSettings& settings) {
  StreamGenerator generator(settings);
  std::vector<GeneratedRecord> all;
  for (GeneratedRecord record; generator.next(record);) all.push_back(record);
  return all;
}

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

/// How much two histograms have in common: 1 for equal shares, 0 for none.
double overlap(const std::map<std::uint32_t, double>& a, const std::map<std::uint32_t, double>& b) {
  double sum_a = 0, sum_b = 0, common = 0;
  for (const auto& [topic, count] : a) sum_a += count;
  for (const auto& [topic, count] : b) sum_b += count;
  for (const auto& [topic, count] : a) {
    if (b.contains(topic)) common += std::min(count / sum_a, b.at(topic) / sum_b);
  }
  return common;
}

/// The planted topics in the baskets of the most active users, by the third of the period they were bought in.
std::vector<std::map<std::uint32_t, double>> topics_by_third(std::uint32_t user) {
  StreamGenerator generator(shopping(30000));
  std::vector<std::map<std::uint32_t, double>> thirds(3);
  std::uint64_t position = 0;
  for (GeneratedRecord record; generator.next(record); ++position) {
    if (record.user != user) continue;
    for (const std::uint32_t item : record.items) ++thirds[position * 3 / 30000][generator.topic(item)];
  }
  return thirds;
}

TEST(Generator, EqualSettingsGiveEqualBytes) {
  EXPECT_EQ(csv(shopping(3000)), csv(shopping(3000)));
  EXPECT_EQ(csv(geo(3000)), csv(geo(3000)));
}

TEST(Generator, BytesAreTheSameOnEveryMachine) {
  EXPECT_THAT(csv(shopping(5)), StartsWith("timestamp,user,items\n1704743863,u18,i45\n1705663149,u14,i37\n"));
  EXPECT_THAT(csv(geo(5)), StartsWith("timestamp,user,lat,lon,text\n1704743863,u18,40.80789,-74.05879,bebe dabe "));
  EXPECT_EQ(fnv1a(csv(shopping(20000))), 16372655507056443817u);
  EXPECT_EQ(fnv1a(csv(geo(20000))), 7819813108139101417u);
}

TEST(Generator, AnotherSeedGivesAnotherStream) {
  GeneratorSettings other = shopping(1000);
  other.seed = 2;
  EXPECT_NE(csv(shopping(1000)), csv(other));
}

TEST(Generator, TimesAreSortedAndFillThePeriod) {
  for (const GeneratorSettings& settings : {shopping(5000), geo(5000)}) {
    const auto all = records(settings);
    EXPECT_TRUE(std::ranges::is_sorted(all, {}, &GeneratedRecord::time));
    const auto span = static_cast<double>(all.back().time - all.front().time);
    EXPECT_GT(span, 59 * 86400.0);
    EXPECT_LE(span, 60 * 86400.0);
  }
}

TEST(Generator, NightsAreQuieterThanEvenings) {
  std::map<std::int64_t, int> by_hour;
  for (const auto& record : records(shopping(20000))) ++by_hour[record.time / 3600 % 24];
  EXPECT_GT(by_hour[18], 5 * by_hour[3]);
}

TEST(Generator, EveryRecordIsWrittenOnce) {
  for (const GeneratorSettings& settings : {shopping(1234), geo(1234)}) {
    EXPECT_EQ(records(settings).size(), 1234u);
    const std::string text = csv(settings);
    EXPECT_EQ(std::ranges::count(text, '\n'), 1235);
  }
}

TEST(Generator, BasketsHoldOneToSixtyDifferentItemsAndEightOnAverage) {
  double sum = 0;
  const auto all = records(shopping(20000));
  for (const auto& record : all) {
    ASSERT_GE(record.items.size(), 1u);
    ASSERT_LE(record.items.size(), 60u);
    ASSERT_EQ(std::set(record.items.begin(), record.items.end()).size(), record.items.size());
    sum += static_cast<double>(record.items.size());
  }
  EXPECT_NEAR(sum / 20000, 8, 0.6);
}

TEST(Generator, NewUsersAndItemsKeepArriving) {
  std::set<std::uint32_t> users, items;
  std::vector<std::size_t> new_users(5), new_items(5);
  const auto all = records(shopping(20000));
  for (std::size_t i = 0; i < all.size(); ++i) {
    new_users[i / 4000] += users.insert(all[i].user).second;
    for (const std::uint32_t item : all[i].items) new_items[i / 4000] += items.insert(item).second;
  }
  for (std::size_t fifth = 0; fifth < 5; ++fifth) {
    EXPECT_GT(new_users[fifth], 150u);
    EXPECT_GT(new_items[fifth], 150u);
  }
}

TEST(Generator, PopularityHasALongTail) {
  std::map<std::uint32_t, int> counts;
  int purchases = 0;
  for (const auto& record : records(shopping(20000))) {
    for (const std::uint32_t item : record.items) ++counts[item], ++purchases;
  }
  std::vector<int> sorted;
  for (const auto& [item, count] : counts) sorted.push_back(count);
  std::ranges::sort(sorted, std::greater{});
  int top_tenth = 0;
  for (std::size_t i = 0; i < sorted.size() / 10; ++i) top_tenth += sorted[i];
  EXPECT_GT(top_tenth, purchases / 3);
  EXPECT_LT(sorted[sorted.size() / 2], sorted.front() / 20);
}

TEST(Generator, AUsersTopicsDrift) {
  double neighbouring = 0, distant = 0;
  int users = 0;
  for (std::uint32_t user = 0; user < 12; ++user) {
    const auto thirds = topics_by_third(user);
    if (thirds[0].size() < 5) continue;  // arrived later
    neighbouring += overlap(thirds[0], thirds[1]);
    distant += overlap(thirds[0], thirds[2]);
    ++users;
  }
  ASSERT_GT(users, 3);
  EXPECT_LT(distant / users, 0.75);
  EXPECT_LT(distant, neighbouring);
}

TEST(Generator, ABasketSharesATopicFarMoreOftenThanChance) {
  StreamGenerator generator(shopping(5000));
  double pairs = 0, same = 0;
  for (GeneratedRecord record; generator.next(record);) {
    for (std::size_t i = 1; i < record.items.size(); ++i, ++pairs) {
      same += generator.topic(record.items[i]) == generator.topic(record.items[i - 1]);
    }
  }
  EXPECT_GT(same / pairs, 0.3);
  EXPECT_LT(same / pairs, 0.7);
}

TEST(Generator, APlantedChangeMovesItemsToOtherTopicsFromItsMomentOn) {
  GeneratorSettings changing = shopping(10000);
  changing.change = 0.7;
  const auto plain = records(shopping(10000)), changed = records(changing);
  StreamGenerator generator(changing);
  double before = 0, after = 0, pairs_before = 0, pairs_after = 0;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const bool late = changed[i].time >= changed.front().time + 42 * 86400;
    if (changed[i].time < changed.front().time + 41 * 86400) {
      ASSERT_EQ(changed[i].items, plain[i].items);
    }
    for (std::size_t j = 1; j < changed[i].items.size(); ++j) {
      const bool same = generator.topic(changed[i].items[j]) == generator.topic(changed[i].items[j - 1]);
      (late ? after : before) += same;
      ++(late ? pairs_after : pairs_before);
    }
  }
  EXPECT_LT(after / pairs_after, 0.75 * before / pairs_before);
}

TEST(Generator, MessagesLieInTheCityAndAroundHotSpots) {
  std::map<std::pair<int, int>, int> cells;  // of about 1 km
  for (const auto& record : records(geo(20000))) {
    ASSERT_GE(record.latitude, 4070000);
    ASSERT_LE(record.latitude, 4096950);
    ASSERT_GE(record.longitude, -7410000);
    ASSERT_LE(record.longitude, -7374400);
    ++cells[{record.latitude / 900, record.longitude / 1187}];
  }
  std::vector<int> sorted;
  for (const auto& [cell, count] : cells) sorted.push_back(count);
  std::ranges::sort(sorted, std::greater{});
  EXPECT_GT(sorted.front(), 20 * 20000 / (30 * 30));
}

TEST(Generator, TextHasWhatRealMessagesHave) {
  const std::string text = csv(geo(3000));
  EXPECT_THAT(text, HasSubstr("https://"));
  EXPECT_THAT(text, HasSubstr(" @u"));
  EXPECT_THAT(text, HasSubstr(" #"));
  EXPECT_THAT(text, HasSubstr(" the "));
  EXPECT_THAT(text, HasSubstr(",\"\"\""));  // a quoted field that starts with a quote
}

TEST(Generator, CategoriesAreThePlantedTopicsWithAFewMissing) {
  const StreamGenerator generator(shopping(20000));
  std::ostringstream out;
  write_categories(generator, out);
  std::istringstream in(out.str());
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "item,category");
  std::getline(in, line);
  EXPECT_EQ(line, "i0,t" + std::to_string(generator.topic(0)));
  std::size_t lines = 1;
  while (std::getline(in, line)) ++lines;
  EXPECT_NEAR(static_cast<double>(lines), 0.98 * generator.settings().items, 1);
}

TEST(Generator, OneRecordIsAStreamToo) {
  EXPECT_EQ(records(shopping(1)).size(), 1u);
  EXPECT_EQ(records(geo(1)).size(), 1u);
}

TEST(Generator, SettingsOutOfRangeAreNamed) {
  const auto message = [](const GeneratorSettings& settings) -> std::string {
    try {
      StreamGenerator{settings};
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message(shopping(0)), StartsWith("records must"));
  EXPECT_THAT(message({.records = 1, .days = 0}), StartsWith("days must"));
  EXPECT_THAT(message({.records = 1, .days = 1e9}), StartsWith("days must"));
  EXPECT_THAT(message({.records = 1, .change = 1.0}), StartsWith("change must"));
  EXPECT_THAT(message({.records = 1, .items = 5, .topics = 6}), StartsWith("topics"));
}

}  // namespace
}  // namespace meteor
