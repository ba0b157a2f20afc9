#include "model/array.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

std::string hash_of(const Array& array) { return content_hash({&array, 1}); }

TEST(Array, TheHashChangesWithNameTypeShapeAndValue) {
  const Array array = own_array<std::uint32_t>("a", {1, 2, 3, 4});
  EXPECT_EQ(hash_of(array), hash_of(own_array<std::uint32_t>("a", {1, 2, 3, 4})));
  EXPECT_NE(hash_of(array), hash_of(own_array<std::uint32_t>("b", {1, 2, 3, 4})));
  EXPECT_NE(hash_of(array), hash_of(own_array<std::uint32_t>("a", {1, 2, 3, 5})));
  EXPECT_NE(hash_of(array), hash_of(own_array<std::uint32_t>("a", {1, 2, 3})));
  Array reshaped = array;
  reshaped.shape = {2, 2};
  EXPECT_NE(hash_of(array), hash_of(reshaped));
  Array retyped = array;
  retyped.type = ElementType::f32;
  EXPECT_NE(hash_of(array), hash_of(retyped));
}

TEST(Array, TheHashChangesWithTheOrderOfArrays) {
  const Array a = own_array<std::uint8_t>("a", {1}), b = own_array<std::uint8_t>("b", {1});
  const Array forth[] = {a, b}, back[] = {b, a};
  EXPECT_NE(content_hash(forth), content_hash(back));
}

TEST(Array, ValuesAreReadAsTheirOwnTypeOnly) {
  const Array array = own_array<float>("weights", {1.5F, -2});
  ASSERT_EQ(array.as<float>().size(), 2u);
  EXPECT_EQ(array.as<float>()[1], -2);
  EXPECT_THROW(array.as<std::uint32_t>(), StorageError);
  EXPECT_THROW(array.as<std::uint8_t>(), StorageError);
}

TEST(Array, AnOwnedOneOutlivesWhatItLookedAt) {
  std::vector<std::uint32_t> values = {1, 2, 3};
  const Array copy = owned(view_array<std::uint32_t>("a", values));
  values[1] = 9;
  EXPECT_EQ(copy.as<std::uint32_t>()[1], 2u);
  EXPECT_EQ(owned(copy).data, copy.data);
  EXPECT_EQ(owned(view_array<float>("none", {})).bytes(), 0u);
}

TEST(Array, BytesFollowShapeAndType) {
  EXPECT_EQ(own_array<std::uint8_t>("a", {1, 2, 3}).bytes(), 3u);
  EXPECT_EQ(own_array<std::uint16_t>("a", {1, 2, 3}).bytes(), 6u);
  EXPECT_EQ(own_array<std::uint32_t>("a", {1, 2, 3}).bytes(), 12u);
  EXPECT_EQ(own_array<std::uint64_t>("a", {1, 2, 3}).bytes(), 24u);
  Array matrix = own_array<float>("a", std::vector<float>(12));
  matrix.shape = {3, 4};
  EXPECT_EQ(matrix.elements(), 12u);
  EXPECT_EQ(matrix.bytes(), 48u);
}

TEST(Array, OnlyDecodingArraysCountAsTheModelsBytes) {
  const Array arrays[] = {own_array<float>("codes", {1, 2}),
                          own_array<std::uint64_t>("names", {1, 2, 3}, Purpose::description),
                          own_array<std::uint16_t>("lengths", {1})};
  EXPECT_EQ(decoding_bytes(arrays), 10u);
}

TEST(Array, AllArraysCountInTheirTotalBytes) {
  const Array arrays[] = {own_array<float>("codes", {1, 2}),
                          own_array<std::uint64_t>("names", {1, 2, 3}, Purpose::description),
                          own_array<std::uint16_t>("none", {})};
  EXPECT_EQ(total_bytes(arrays), 32u);
  EXPECT_EQ(total_bytes({}), 0u);
}

TEST(Array, AViewLooksAtTheValuesAndAnOwnerKeepsThem) {
  std::vector<float> values{1, 2};
  const Array view = view_array<float>("v", values);
  values[0] = 9;
  EXPECT_EQ(view.as<float>()[0], 9);
  const Array copy = own_array("o", values);
  values[0] = 4;
  EXPECT_EQ(copy.as<float>()[0], 9);
}

TEST(Array, IsFoundByItsNameOrMissedInWords) {
  const Array arrays[] = {own_array<float>("a", {1}), own_array<float>("b", {2})};
  EXPECT_EQ(find_array(arrays, "b").as<float>()[0], 2);
  try {
    find_array(arrays, "c");
    FAIL() << "nothing was thrown";
  } catch (const StorageError& error) {
    EXPECT_STREQ(error.what(), "the model has no array c");
  }
}

}  // namespace
}  // namespace meteor
