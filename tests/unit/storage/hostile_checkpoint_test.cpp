#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "fixtures/checkpointed_run.h"
#include "model/unit_blocks.h"
#include "storage/run_state_json.h"

namespace meteor {
namespace {

using nlohmann::json;

/// Checkpoints whose hashes are right and whose content is not: each is refused before anything uses it.
class HostileCheckpointTest : public CheckpointedRun {
 protected:
  HostileCheckpointTest() {
    settings_.learning.dimension = 4;
    settings_.parallel.staleness = 1;
    settings_.attributes[1].min_count = 2;
    settings_.model.expire = Duration{30 * 86400};
    learn(9, {}, file_);
  }

  void expect_refused(const std::string& what, const std::function<void(FileContent&)>& change) const {
    FileContent content = read_content(file_);
    change(content);
    const std::filesystem::path copy = folder_.path() / "changed.h5";
    write_content(copy, content);
    try {
      load_checkpoint(copy);
      ADD_FAILURE() << what << " was accepted";
    } catch (const StorageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(copy.string())) << what;
    }
  }

  /// Values of an array, changed.
  template <class T>
  void expect_refused(const std::string& array, const std::function<void(std::vector<T>&)>& change) const {
    expect_refused("a changed " + array, [&](FileContent& content) {
      auto& found = const_cast<Array&>(find_array(content.arrays, array));
      const auto before = found.as<T>();
      std::vector<T> values(before.begin(), before.end());
      ASSERT_FALSE(values.empty()) << array;
      change(values);
      const bool same_size = values.size() == before.size();
      Array changed = own_array(array, std::move(values));
      if (same_size) changed.shape = found.shape;
      found = changed;
    });
  }

  void expect_state_refused(const std::string& what, const std::function<void(json&)>& change) const {
    expect_refused(what, [&](FileContent& content) {
      auto& state = const_cast<Array&>(find_array(content.arrays, "run/state"));
      const auto bytes = state.as<std::uint8_t>();
      json object = json::parse(bytes.begin(), bytes.end());
      change(object);
      const std::string text = object.dump();
      state = own_array("run/state", std::vector<std::uint8_t>(text.begin(), text.end()));
    });
  }

  /// The same with another unit that waits, under this key, seen so often, last in this window.
  void expect_sighting_refused(const std::string& key, std::uint32_t count, std::uint32_t window) const {
    expect_refused(fmt::format("{} seen {} times, last in window {}", key, count, window),
                   [&](FileContent& content) { add_sighting(content, key, count, window); });
  }

  static void add_sighting(FileContent& content, const std::string& key, std::uint32_t count, std::uint32_t window) {
    std::uint64_t end = 0;
    const auto append = [&]<class T>(const char* name, std::span<const T> more) {
      auto& found = const_cast<Array&>(find_array(content.arrays, name));
      const auto before = found.as<T>();
      std::vector<T> values(before.begin(), before.end());
      values.insert(values.end(), more.begin(), more.end());
      end = values.size();
      found = own_array(name, std::move(values));
    };
    append("run/sightings/keys", std::span(reinterpret_cast<const std::uint8_t*>(key.data()), key.size()));
    append("run/sightings/keys_ends", std::span<const std::uint64_t>(&end, 1));
    append("run/sightings/counts", std::span<const std::uint32_t>(&count, 1));
    append("run/sightings/windows", std::span<const std::uint32_t>(&window, 1));
  }

  const std::filesystem::path file_ = folder_.path() / "c.h5";
};

TEST_F(HostileCheckpointTest, AWindowThatWaitsForUnitsThatDoNotExistIsRefused) {
  EXPECT_NO_THROW(load_checkpoint(file_));
  using Numbers = std::vector<std::uint32_t>;
  expect_refused<std::uint32_t>("run/waiting/units", [](Numbers& units) { units[0] = 4'000'000'000; });
  expect_refused<std::uint32_t>("run/waiting/units", [](Numbers& units) { units.back() = units.front(); });
  expect_refused<std::uint32_t>("run/waiting/units", [](Numbers& units) { std::swap(units[0], units[1]); });
  expect_refused<std::uint32_t>("run/waiting/units", [](Numbers& units) { std::swap(units.front(), units.back()); });
  expect_refused<std::uint32_t>("run/waiting/counts", [](Numbers& counts) { counts[0] = 0; });
  expect_refused<std::uint32_t>("run/waiting/attribute_ends", [](Numbers& ends) { ends[0] = 1'000'000; });
  expect_refused<std::uint32_t>("run/waiting/attribute_ends", [](Numbers& ends) { std::swap(ends[0], ends[1]); });
  expect_refused<std::uint32_t>("run/waiting/attribute_ends", [](Numbers& ends) { ends.back() -= 1; });
  expect_refused<std::uint32_t>("run/waiting/attribute_ends", [](Numbers& ends) { ends.pop_back(); });
  expect_refused<std::uint32_t>("run/waiting/attribute_ends", [](Numbers& ends) { ends.push_back(ends.back()); });
  expect_refused<std::uint64_t>("run/waiting/window", [](auto& window) { window = {}; });
  expect_refused<std::uint64_t>("run/waiting/window", [](auto& window) { window[0] = ~std::uint64_t{0}; });
  expect_refused<std::uint64_t>("run/waiting/window", [](auto& window) { window[0] = 0; });
}

TEST_F(HostileCheckpointTest, AWindowThatWaitsWithStepsThatAreNoNumbersIsRefused) {
  using Floats = std::vector<float>;
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    expect_refused<float>("run/waiting/steps", [&](Floats& steps) { steps[5] = bad; });
    expect_refused<float>("run/waiting/growths", [&](Floats& growths) { growths[1] = bad; });
  }
  expect_refused<float>("run/waiting/growths", [](Floats& growths) { growths[1] = -1; });
  expect_refused<float>("run/waiting/steps", [](Floats& steps) { steps.pop_back(); });
}

TEST_F(HostileCheckpointTest, NewNamesThatAreNotThoseOfTheWaitingWindowAreRefused) {
  expect_refused<std::uint16_t>("run/waiting/name_attributes", [](auto& attributes) { attributes[0] = 9; });
  expect_refused<std::uint16_t>("run/waiting/name_attributes", [](auto& attributes) { attributes[0] ^= 1; });
  expect_refused<std::uint64_t>("run/waiting/names_ends", [](auto& ends) { ends[0] = 0; });
  expect_refused<std::uint64_t>("run/waiting/names_ends", [](auto& ends) { ends.back() -= 1; });
  expect_refused("names that are missing", [](FileContent& content) {
    for (Array& array : content.arrays) {
      if (array.name.starts_with("run/waiting/name")) array.shape[0] = 0;
    }
  });
}

TEST_F(HostileCheckpointTest, SightingsThatCannotBeAreRefused) {
  expect_refused<std::uint8_t>("run/sightings/keys", [](auto& keys) { keys[0] = '9'; });
  expect_refused<std::uint8_t>("run/sightings/keys", [](auto& keys) { keys[0] = 'x'; });
  expect_refused<std::uint32_t>("run/sightings/counts", [](auto& counts) { counts[0] = 0; });
  expect_refused<std::uint64_t>("run/sightings/keys_ends", [](auto& ends) { ends.back() -= 1; });
}

TEST_F(HostileCheckpointTest, AUnitThatWaitsThoughItNeedNotIsRefused) {
  const Checkpoint checkpoint = load_checkpoint(file_);
  const Vocabulary& vocabulary = checkpoint.stored.vocabulary;
  const auto last = static_cast<std::uint32_t>(checkpoint.run.next_number - 1);
  FileContent content = read_content(file_);
  add_sighting(content, "1:a newcomer", 1, last);
  write_content(folder_.path() / "more.h5", content);
  EXPECT_TRUE(load_checkpoint(folder_.path() / "more.h5").run.sightings.contains("1:a newcomer"));

  expect_sighting_refused("1:a newcomer", 1, last + 1);
  expect_sighting_refused("1:a newcomer", 1, 4'000'000'000);
  expect_sighting_refused("1:a newcomer", 1'000'000, last);
  expect_sighting_refused("0:a newcomer", 1, last);  // users are admitted when they are seen first
  expect_sighting_refused("01:a newcomer", 1, last);
  expect_sighting_refused("1a newcomer", 1, last);
  for (const UnitId unit : {UnitId{0}, UnitId{static_cast<std::uint32_t>(vocabulary.size() - 1)}}) {
    expect_sighting_refused(fmt::format("{}:{}", index(vocabulary.attribute(unit)), vocabulary.name(unit)), 1, last);
  }
  for (const UnitId unit : first_units(vocabulary.size())) {
    if (vocabulary.attribute(unit) != AttributeId{1}) continue;
    expect_sighting_refused(fmt::format("1:{}", vocabulary.name(unit)), 1, last);
    break;
  }
}

TEST_F(HostileCheckpointTest, CountsOfWindowsAndRecordsThatContradictEachOtherAreRefused) {
  for (const std::uint32_t staleness : {1, 0}) {
    settings_.parallel.staleness = staleness;
    learn(9, {}, file_);
    const RunState run = load_checkpoint(file_).run;
    const auto expect_number_refused = [&](const char* key, std::uint64_t value) {
      expect_state_refused(fmt::format("{} {}, staleness {}", key, value, staleness),
                           [&](json& state) { state[key] = value; });
    };
    for (const std::uint64_t number : {std::uint64_t{0}, run.next_number - 1, run.next_number + 1}) {
      expect_number_refused("next_number", number);
    }
    expect_number_refused("windows", 0);
    expect_number_refused("windows", run.next_number + 1);
    expect_number_refused("records", run.windows - 1);
    expect_number_refused("read_records", run.records + run.skipped.too_small - 1);
    expect_number_refused("late", run.end.records);
    expect_state_refused("a last begin of another window", [](json& state) {
      auto& last = state["expiry"]["begins"].back()[0];
      last = last.get<std::uint64_t>() + 1;
    });
    expect_state_refused("no begin of the last window", [](json& state) {
      auto& begins = state["expiry"]["begins"];
      begins.erase(begins.size() - 1);
    });
    expect_state_refused("a look at units that has not been", [](json& state) {
      state["expiry"]["last_look"] = state["expiry"]["begins"].back()[1].get<std::int64_t>() + 1;
    });
    expect_state_refused("no begins of windows", [](json& state) { state.erase("expiry"); });
    expect_refused("units that expire by begins that are not known",
                   [](FileContent& content) { content.settings.model.expire.reset(); });
  }
}

TEST_F(HostileCheckpointTest, ANumberOfTheRunThatIsNoneOrCannotBeIsRefused) {
  const std::vector<json> bad{1e300, -1, 0.5, "7", nullptr, true, json::array(), -1e300};
  for (const char* key : {"offset", "line", "read_records", "rejected", "next_number", "too_small", "late",
                          "pretraining_windows", "windows", "records", "reject_bytes", "metrics_bytes"}) {
    for (const json& value : bad) {
      expect_state_refused(fmt::format("{} {}", key, value.dump()), [&](json& state) { state[key] = value; });
    }
  }
  const std::int64_t never = std::numeric_limits<std::int64_t>::max();
  for (const json& value : std::vector<json>{1e300, 0.5, "7", nullptr, never, -never}) {
    expect_state_refused("first_begin " + value.dump(), [&](json& state) { state["first_begin"] = value; });
    expect_state_refused("last_look " + value.dump(), [&](json& state) { state["expiry"]["last_look"] = value; });
    expect_state_refused("begin " + value.dump(), [&](json& state) { state["expiry"]["begins"][0][1] = value; });
    expect_state_refused("pretraining " + value.dump(), [&](json& state) { state["pretraining_seconds"] = value; });
  }
  expect_state_refused("begins that descend", [](json& state) { state["expiry"]["begins"][0][0] = 1'000'000; });
  expect_state_refused("no begins", [](json& state) { state["expiry"]["begins"] = json::array(); });
  expect_state_refused("a hash that is none", [](json& state) { state["text_sha256"] = 7; });
  expect_state_refused("nothing", [](json& state) { state = json::array(); });
}

TEST(StoredJson, ThatIsNestedWithoutEndIsRefused) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(parse_stored_json(nested(9), "it"));
  EXPECT_THROW(parse_stored_json(nested(200'000), "it"), StorageError) << "whoever walks through it would crash";
  EXPECT_THROW(parse_stored_json("{", "it"), StorageError);
}

}  // namespace
}  // namespace meteor
