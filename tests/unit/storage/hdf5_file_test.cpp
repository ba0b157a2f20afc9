#include "storage/hdf5_file.h"

#include <gmock/gmock.h>

#include <numeric>

#include "fixtures/temporary_folder.h"

namespace meteor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Hdf5File : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "file.h5";

  void write(const std::vector<Array>& arrays) const {
    Hdf5Output file(path_);
    for (const Array& array : arrays) file.write(array);
    file.close();
  }
};

TEST_F(Hdf5File, ArraysComeBackInTheOrderOfTheirNames) {
  Array matrix = own_array<float>("m/n/matrix", {1, 2, 3, 4, 5, 6});
  matrix.shape = {2, 3};
  write({own_array<std::uint64_t>("z", {std::uint64_t{1} << 63}), matrix, own_array<std::uint8_t>("m/bytes", {7}),
         own_array<std::uint16_t>("m/n/short", {65535}), own_array<std::uint32_t>("a", {1, 2})});
  const std::vector<Array> read = Hdf5Input(path_).read_all();
  ASSERT_THAT(read, SizeIs(5));
  EXPECT_EQ(read[0].name, "a");
  EXPECT_THAT(read[0].as<std::uint32_t>(), ElementsAre(1, 2));
  EXPECT_EQ(read[1].name, "m/bytes");
  EXPECT_THAT(read[1].as<std::uint8_t>(), ElementsAre(7));
  EXPECT_EQ(read[2].name, "m/n/matrix");
  EXPECT_THAT(read[2].shape, ElementsAre(2, 3));
  EXPECT_THAT(read[2].as<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(read[3].as<std::uint16_t>(), ElementsAre(65535));
  EXPECT_THAT(read[4].as<std::uint64_t>(), ElementsAre(std::uint64_t{1} << 63));
}

TEST_F(Hdf5File, EmptyArraysKeepTheirShape) {
  Array matrix = own_array<float>("matrix", {});
  matrix.shape = {0, 300};
  write({own_array<std::uint16_t>("list", {}), matrix});
  const std::vector<Array> read = Hdf5Input(path_).read_all();
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_THAT(read[0].shape, ElementsAre(0));
  EXPECT_THAT(read[1].shape, ElementsAre(0, 300));
}

TEST_F(Hdf5File, ArraysOfManyChunksComeBack) {
  std::vector<std::uint32_t> values(1'000'003);
  std::iota(values.begin(), values.end(), 0U);
  write({own_array("values", values)});
  const auto read = Hdf5Input(path_).read_all();
  EXPECT_TRUE(std::equal(values.begin(), values.end(), read[0].as<std::uint32_t>().begin()));
}

TEST_F(Hdf5File, AttributesAreKept) {
  Hdf5Output file(path_);
  const std::string long_text(100'000, 'x');
  file.set_text("long", long_text);
  file.set_text("none", "");
  file.set_text("café", "Ünïcode");
  file.set_number("number", ~std::uint64_t{0});
  file.close();
  const Hdf5Input input(path_);
  EXPECT_EQ(input.text("long"), long_text);
  EXPECT_EQ(input.text("none"), "");
  EXPECT_EQ(input.text("café"), "Ünïcode");
  EXPECT_EQ(input.number("number"), ~std::uint64_t{0});
  EXPECT_FALSE(input.has_attribute("absent"));
  EXPECT_THROW(input.text("number"), StorageError);
  EXPECT_THROW(input.number("long"), StorageError);
}

TEST_F(Hdf5File, AFailureIsToldWithTheCallAndItsReason) {
  testing::internal::CaptureStderr();
  Hdf5Output file(path_);
  file.write(own_array<float>("twice", {1}));
  try {
    file.write(own_array<float>("twice", {1}));
    FAIL() << "it was written";
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("H5Dcreate2: name already exists"));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace meteor
