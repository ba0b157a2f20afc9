#include "engine/window_ahead.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "fixtures/memory_source.h"
#include "fixtures/shopping_attributes.h"
#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr int kDay = 86400;

/// `days` days of three records each; every day brings new items.
std::string days_of_records(int days) {
  std::string rows = "timestamp,user,items\n";
  for (int day = 0; day < days; ++day) {
    for (int i = 0; i < 3; ++i) rows += fmt::format("{},u{},i{} i{} common\n", day * kDay + i, i, day, day + i);
  }
  return rows;
}

/// Bytes that end in an error.
class FailingSource final : public ByteSource {
 public:
  FailingSource(std::string bytes, std::atomic<bool>& failed)
      : ByteSource("failing"), bytes_(std::move(bytes)), failed_(failed) {}
  std::size_t read(std::span<char> space) override {
    if (const std::size_t count = bytes_.read(space)) return count;
    failed_ = true;
    throw InputError("the disk is gone");
  }

 private:
  testing::MemorySource bytes_;
  std::atomic<bool>& failed_;
};

/// How far a source has been read, and by which thread.
struct Reading {
  std::atomic<std::size_t> bytes = 0;
  std::atomic<pid_t> thread = 0;

  /// Whether the thread sleeps: until somebody wakes it, it reads nothing more.
  bool rests() const {
    std::ifstream status(fmt::format("/proc/self/task/{}/status", thread.load()));
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("State:")) return line.find('S', 6) != std::string::npos;
    return false;
  }
};

class WatchedSource final : public ByteSource {
 public:
  WatchedSource(const std::string& bytes, Reading& reading)
      : ByteSource("watched"), bytes_(bytes, 37), reading_(reading) {}
  std::size_t read(std::span<char> space) override {
    const std::size_t count = bytes_.read(space);
    reading_.bytes += count;
    reading_.thread = gettid();
    return count;
  }

 private:
  testing::MemorySource bytes_;
  Reading& reading_;
};

/// A stream and the feed that reads it.
struct Stream {
  explicit Stream(std::unique_ptr<ByteSource> source)
      : reader(std::move(source), settings, attributes, rejects), feed(reader, vocabulary, settings) {}
  explicit Stream(const std::string& bytes) : Stream(std::make_unique<testing::MemorySource>(bytes, 37)) {}

  std::vector<AttributeSettings> attributes = shopping_attributes();
  StreamSettings settings;
  Rejects rejects{"memory", 1.0};
  Vocabulary vocabulary{{1, 1}};
  Categories no_categories;
  RecordReader reader;
  WindowFeed feed;
};

TEST(WindowAhead, HandsOutTheWindowsOfTheFeed) {
  const std::string bytes = days_of_records(30) + "not a time,u1,i1\n2592000,lonely,\n2592001,u1,i7\n";
  Stream alone(bytes), read(bytes);
  WindowAhead ahead(read.feed, read.vocabulary, read.rejects, read.no_categories);
  for (std::uint64_t number = 0; number < 31; ++number) {
    const auto expected = alone.feed.next();
    const auto window = ahead.next();
    ASSERT_TRUE(expected && window);
    EXPECT_EQ(expected->number, number);
    EXPECT_EQ(window->window.number, expected->number);
    EXPECT_EQ(window->window.begin, expected->begin);
    EXPECT_EQ(window->window.units, expected->units);
    EXPECT_EQ(window->window.ends, expected->ends);
    EXPECT_EQ(window->window.record_numbers, expected->record_numbers);
    const WindowUnits units = count_units(*expected, alone.vocabulary.attributes(), 2);
    EXPECT_EQ(window->units.units, units.units);
    EXPECT_EQ(window->units.attribute_ends, units.attribute_ends);
    EXPECT_EQ(window->skipped.too_small, alone.feed.skipped().too_small);
    EXPECT_EQ(window->end.rejected, alone.rejects.count());
  }
  EXPECT_FALSE(alone.feed.next());
  EXPECT_EQ(alone.rejects.count(), 1u);
  EXPECT_EQ(alone.feed.skipped().too_small, 1u);
  EXPECT_FALSE(ahead.next());
  EXPECT_FALSE(ahead.next()) << "the end stays the end";
}

TEST(WindowAhead, AnEmptyStreamHasNoWindow) {
  Stream read("timestamp,user,items\n");
  WindowAhead ahead(read.feed, read.vocabulary, read.rejects, read.no_categories);
  EXPECT_FALSE(ahead.next());
}

TEST(WindowAhead, AnErrorArrivesAfterTheWindowsThatWereComplete) {
  std::atomic<bool> failed = false;
  Stream read(std::make_unique<FailingSource>(days_of_records(5), failed));
  WindowAhead ahead(read.feed, read.vocabulary, read.rejects, read.no_categories);
  for (std::uint64_t number = 0; number < 4; ++number) {  // the fifth might have gone on
    while (number == 3 && !failed) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto window = ahead.next();
    ASSERT_TRUE(window);
    EXPECT_EQ(window->window.number, number);
  }
  EXPECT_THROW(ahead.next(), InputError);
  EXPECT_THROW(ahead.next(), InputError) << "it is not forgotten";
}

TEST(WindowAhead, MayBeAbandonedAtAnyTime) {
  for (int taken : {0, 1, 2, 29, 30, 31}) {
    Stream read(days_of_records(30));
    WindowAhead ahead(read.feed, read.vocabulary, read.rejects, read.no_categories);
    for (int i = 0; i < taken; ++i) ahead.next();
  }
  std::atomic<bool> failed = false;
  Stream read(std::make_unique<FailingSource>("timestamp,user,items\n", failed));
  const WindowAhead never_asked(read.feed, read.vocabulary, read.rejects, read.no_categories);
}

TEST(WindowAhead, ReadsNothingBetweenAWindowAfterWhichUnitsAreForgottenAndTheNext) {
  Reading reading;
  Stream read(std::make_unique<WatchedSource>(days_of_records(40), reading));
  const Duration expire{8 * kDay};
  WindowAhead ahead(read.feed, read.vocabulary, read.rejects, read.no_categories, expire);
  std::size_t forgotten = 0;
  Expiry expiry;
  while (const auto window = ahead.next()) {
    const auto first = expiry.after(expire, window->window.number, window->window.begin);
    EXPECT_EQ(window->forgets, first.has_value());
    // The window after this one is read when the first record of the second after it has been seen.
    const std::size_t read_ahead = days_of_records(static_cast<int>(window->window.number) + 2).size();
    if (!window->forgets) {
      while (reading.bytes <= read_ahead) std::this_thread::yield();
      continue;
    }
    while (!reading.rests()) std::this_thread::yield();
    EXPECT_LE(reading.bytes, read_ahead);
    const std::string newest = fmt::format("i{}", window->window.number + 2);
    const auto known = read.vocabulary.find(AttributeId{1}, newest);
    ASSERT_EQ(known, UnitId{static_cast<std::uint32_t>(read.vocabulary.size() - 1)}) << "nothing came after it";
    const auto oldest = read.vocabulary.find(AttributeId{1}, fmt::format("i{}", forgotten));
    ASSERT_TRUE(oldest);
    read.vocabulary.forget(std::array{*oldest}, *first);
    ++forgotten;
  }
  EXPECT_EQ(forgotten, 31u);
  EXPECT_EQ(read.vocabulary.size(), 3 + 1 + 42 - forgotten);
}

TEST(WindowAhead, NewCategoriesAreThoseOfTheUnitsThatTheWindowBrings) {
  const TemporaryFolder folder;
  std::vector<AttributeSettings> attributes = shopping_attributes();
  attributes[1].clusters = ClusterSource::categories;
  attributes[1].categories = folder.write("c.csv", "item,category\ni0,first\ni2,first\ni5,late\ncommon,all\n");
  const Categories categories(attributes);
  Stream read(days_of_records(8));
  std::vector<CategoryKey> all;
  std::vector<std::size_t> brought;
  {
    WindowAhead ahead(read.feed, read.vocabulary, read.rejects, categories);
    while (const auto window = ahead.next()) {
      all.insert(all.end(), window->new_categories.begin(), window->new_categories.end());
      brought.push_back(window->new_categories.size());
    }
  }
  EXPECT_EQ(all, categories.of_all(read.vocabulary));
  EXPECT_EQ(brought, (std::vector<std::size_t>{7, 1, 1, 1, 1, 1, 1, 1}))
      << "three users, common, i0, i1 and i2; then i3…";
  EXPECT_EQ(std::count(all.begin(), all.end(), categories.of(AttributeId{1}, "i0")), 2);
}

}  // namespace
}  // namespace meteor
