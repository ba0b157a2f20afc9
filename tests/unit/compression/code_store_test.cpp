#include "compression/clusters/code_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "model/unit_blocks.h"
#include "support/random.h"

namespace meteor {
namespace {

constexpr std::uint32_t kUnits = 60;

std::uint32_t size_of(std::uint32_t unit) { return unit % 5 == 0 ? 1 : unit % 7 * 31 + 2; }

/// A code with a random share of zeros: sometimes none, sometimes all.
std::vector<float> random_code(std::uint32_t size, Random& random) {
  std::vector<float> code(size);
  const double filled = random.uniform() * 1.4 - 0.2;
  for (float& x : code) {
    if (random.uniform() < filled) x = static_cast<float>(random.uniform()) - 0.5F;
  }
  return code;
}

std::vector<float> get(const CodeStore& store, std::uint32_t unit) {
  std::vector<float> code(size_of(unit), 77.0F);
  store.get(UnitId{unit}, code);
  return code;
}

std::vector<std::uint32_t> all_sizes() {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) sizes.push_back(size_of(unit));
  return sizes;
}

std::vector<Array> all_arrays(const CodeStore& store, const std::string& prefix = "") {
  return store.arrays(prefix, first_units(store.units()));
}

CodeStore store_of(std::span<const Array> arrays, const std::string& prefix = "") {
  CodeStore store;
  store.grow(kUnits);
  store.take_over(prefix, arrays, first_units(kUnits), all_sizes());
  return store;
}

CodeStore random_store(Random& random) {
  CodeStore store;
  store.grow(kUnits);
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) store.set(UnitId{unit}, random_code(size_of(unit), random));
  return store;
}

TEST(CodeStore, HoldsWhatAPlainMapHoldsOverThousandsOfUpdates) {
  CodeStore store;
  store.grow(kUnits);
  std::map<std::uint32_t, std::vector<float>> expected;
  Random random{1};
  for (int update = 0; update < 30000; ++update) {
    const std::uint32_t unit = random.below(kUnits);
    expected[unit] = random_code(size_of(unit), random);
    store.set(UnitId{unit}, expected[unit]);
    ASSERT_EQ(get(store, unit), expected[unit]) << "update " << update;
    if (update % 500 != 499) continue;
    for (const auto& [other, code] : expected) ASSERT_EQ(get(store, other), code) << "unit " << other;
  }
}

TEST(CodeStore, CountsLengthsValuesAndPlacesInItsBytes) {
  constexpr std::uint64_t lengths = 3 * 2;
  CodeStore store;
  store.grow(3);
  store.set(UnitId{0}, std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(store.bytes(), lengths + 16);
  store.set(UnitId{1}, std::vector<float>{0, 0, 5, 0, 0, 0, 6, 0});
  EXPECT_EQ(store.bytes(), lengths + 16 + 2 * 6);
  store.set(UnitId{2}, std::vector<float>(100));
  EXPECT_EQ(store.bytes(), lengths + 28) << "a code of zeros needs no more";
  store.set(UnitId{0}, std::vector<float>{0, 0, 0, 4});
  EXPECT_EQ(store.bytes(), lengths + 6 + 2 * 6);
}

TEST(CodeStore, BytesAreThoseOfItsArrays) {
  Random random{2};
  const CodeStore store = random_store(random);
  EXPECT_EQ(store.bytes(), decoding_bytes(all_arrays(store)));
}

TEST(CodeStore, ReadsBackWhatItsArraysHold) {
  Random random{3};
  const CodeStore store = random_store(random);
  const CodeStore copy = store_of(all_arrays(store, "p/"), "p/");
  EXPECT_EQ(copy.units(), kUnits);
  EXPECT_EQ(copy.bytes(), store.bytes());
  EXPECT_EQ(content_hash(all_arrays(copy)), content_hash(all_arrays(store)));
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) EXPECT_EQ(get(copy, unit), get(store, unit));
}

TEST(CodeStore, ItsArraysDoNotDependOnTheOrderOfUpdates) {
  Random random{4};
  const CodeStore straight = random_store(random);
  CodeStore winding;
  winding.grow(kUnits);
  for (int round = 0; round < 50; ++round) {
    for (std::uint32_t unit = kUnits; unit-- > 0;) winding.set(UnitId{unit}, random_code(size_of(unit), random));
  }
  for (std::uint32_t unit = kUnits; unit-- > 0;) winding.set(UnitId{unit}, get(straight, unit));
  EXPECT_EQ(content_hash(all_arrays(winding)), content_hash(all_arrays(straight)));
}

/// The arrays of a random store, one of them changed.
template <class T, class Change>
std::vector<Array> damaged(const std::string& name, Change change) {
  Random random{5};
  std::vector<Array> arrays = all_arrays(random_store(random));
  for (Array& array : arrays) {
    if (array.name != name) continue;
    const auto old = array.as<T>();
    std::vector<T> values(old.begin(), old.end());
    change(values);
    array = own_array(name, std::move(values));
  }
  return arrays;
}

TEST(CodeStore, RefusesArraysThatDoNotFitTogether) {
  const auto refuses = [&](const std::vector<Array>& arrays) { EXPECT_THROW(store_of(arrays), StorageError); };
  refuses(damaged<float>("codes/values", [](auto& values) { values.pop_back(); }));
  refuses(damaged<float>("codes/values", [](auto& values) { values.push_back(1); }));
  refuses(damaged<std::uint16_t>("codes/places", [](auto& places) { places.pop_back(); }));
  refuses(damaged<std::uint16_t>("codes/places", [](auto& places) { places.push_back(0); }));
  refuses(damaged<std::uint16_t>("codes/places", [](auto& places) { places[3] = 60000; }));
  refuses(damaged<std::uint16_t>("codes/length", [](auto& lengths) { lengths[8] = 65535; }));
  refuses(damaged<std::uint16_t>("codes/length", [](auto& lengths) { lengths.pop_back(); }));
  refuses(damaged<std::uint16_t>("codes/length", [](auto& lengths) { std::fill(lengths.begin(), lengths.end(), 0); }));
  Random random{5};
  auto missing = all_arrays(random_store(random));
  missing.pop_back();
  refuses(missing);
  EXPECT_NO_THROW(store_of(damaged<float>("codes/values", [](auto&) {})));
}

TEST(CodeStore, InBytesHoldsCodesToWithinHalfAScaleAndReadsThemBackBitForBit) {
  Random random{6};
  CodeStore store(Precision::int8);
  store.grow(kUnits);
  for (int update = 0; update < 5000; ++update) {
    const std::uint32_t unit = random.below(kUnits);
    const std::vector<float> code = random_code(size_of(unit), random);
    store.set(UnitId{unit}, code);
    const std::vector<float> held = get(store, unit);
    for (std::size_t i = 0; i < code.size(); ++i) ASSERT_NEAR(held[i], code[i], 0.5 / 127 * 0.503);
  }
  EXPECT_EQ(store.bytes(), decoding_bytes(all_arrays(store)));
  CodeStore copy(Precision::int8);
  copy.grow(kUnits);
  copy.take_over("", all_arrays(store), first_units(kUnits), all_sizes());
  EXPECT_EQ(content_hash(all_arrays(copy)), content_hash(all_arrays(store)));
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) EXPECT_EQ(get(copy, unit), get(store, unit));
}

TEST(CodeStore, InBytesKeepsPlacesOnlyWhereThatIsSmaller) {
  constexpr std::uint64_t lengths_and_scales = 2 * (2 + 2);
  CodeStore store(Precision::int8);
  store.grow(2);
  store.set(UnitId{0}, std::vector<float>{0, 0, 5, 0, 0, 0, -6});
  EXPECT_EQ(store.bytes(), lengths_and_scales + 2 * 3);
  store.set(UnitId{1}, std::vector<float>{0, 0, 5, 0, 0, -6});
  EXPECT_EQ(store.bytes(), lengths_and_scales + 2 * 3 + 6);
  EXPECT_EQ(find_array(all_arrays(store), "codes/places").elements(), 2u);
}

}  // namespace
}  // namespace meteor
