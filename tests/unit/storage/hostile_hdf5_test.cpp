#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fixtures/small_models.h"
#include "fixtures/temporary_folder.h"
#include "storage/file_seal.h"
#include "storage/guarded_read.h"
#include "storage/hdf5_calls.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr hsize_t kMebibyte = hsize_t{1} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr ReadingLimits kLittle{std::chrono::seconds(60), std::uint64_t{8} << 30};
#else
constexpr ReadingLimits kLittle{std::chrono::seconds(5), 64 * kMebibyte};
#endif

/// An intact model whose seal and hashes fit, and something more in its file that meteor never writes: it is refused in
/// one sentence, before it takes time or memory.
class HostileHdf5 : public testing::Test {
 protected:
  void SetUp() override { save_model(path_, small_model(CompressionScheme::none, 20, 4)); }

  void add(const std::function<void(hid_t)>& change) const {
    {
      const Hdf5Handle access = hdf5_access();
      const Hdf5Handle file = METEOR_HDF5_OPEN(H5Fclose, H5Fopen, path_.c_str(), H5F_ACC_RDWR, access.id());
      change(file.id());
    }
    seal_file(path_);
  }

  void expect_refused(const std::string& reason) const {
    std::string said = "it was accepted";
    try {
      guarded_read(path_, kLittle, [&] { return load_model(path_).settings.attributes[0].name; });
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), ExitStatus::storage_unusable);
      said = error.what();
    }
    EXPECT_EQ(said, fmt::format("{} is damaged ({}): restore it from a copy or train again", path_.string(), reason));
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "model.h5";
};

Hdf5Handle create_group(hid_t in, const std::string& name) {
  return METEOR_HDF5_OPEN(H5Gclose, H5Gcreate2, in, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

/// How a dataset is stored: by default as meteor does it.
struct Stored {
  std::vector<hsize_t> extents{4};
  std::vector<hsize_t> most = extents;
  std::vector<hsize_t> chunk = extents;
  std::function<void(hid_t)> filters = [](hid_t layout) { METEOR_HDF5(H5Pset_fletcher32, layout); };
};

Hdf5Handle create_dataset(hid_t in, const std::string& name, const Stored& how) {
  const auto rank = static_cast<int>(how.extents.size());
  const Hdf5Handle space = METEOR_HDF5_OPEN(H5Sclose, H5Screate_simple, rank, how.extents.data(), how.most.data());
  const Hdf5Handle layout = METEOR_HDF5_OPEN(H5Pclose, H5Pcreate, H5P_DATASET_CREATE);
  if (!how.chunk.empty()) METEOR_HDF5(H5Pset_chunk, layout.id(), rank, how.chunk.data());
  how.filters(layout.id());
  return METEOR_HDF5_OPEN(H5Dclose, H5Dcreate2, in, name.c_str(), H5T_STD_U8LE, space.id(), H5P_DEFAULT, layout.id(),
                          H5P_DEFAULT);
}

void write_zeros(const Hdf5Handle& dataset, std::size_t count) {
  const std::vector<std::uint8_t> zeros(count);
  METEOR_HDF5(H5Dwrite, dataset.id(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data());
}

TEST_F(HostileHdf5, AModelThatWasOnlySealedAgainIsRead) {
  add([](hid_t) {});
  EXPECT_EQ(load_model(path_).model.units(), 20U);
}

TEST_F(HostileHdf5, ALatticeOfHardLinksIsNotWalkedThrough) {
  // 7 groups, each 300 times in the one above: there are 300^6 ways through them.
  add([](hid_t file) {
    const Hdf5Handle top = create_group(file, "lattice");
    std::vector<Hdf5Handle> levels;
    for (int level = 0; level < 7; ++level) {
      levels.push_back(METEOR_HDF5_OPEN(H5Gclose, H5Gcreate_anon, file, H5P_DEFAULT, H5P_DEFAULT));
    }
    METEOR_HDF5(H5Olink, levels[0].id(), top.id(), "0", H5P_DEFAULT, H5P_DEFAULT);
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
      for (int way = 0; way < 300; ++way) {
        METEOR_HDF5(H5Olink, levels[level + 1].id(), levels[level].id(), std::to_string(way).c_str(), H5P_DEFAULT,
                    H5P_DEFAULT);
      }
    }
  });
  EXPECT_LT(std::filesystem::file_size(path_), 200'000U);
  expect_refused("lattice/0/0 has several names");
}

TEST_F(HostileHdf5, AGroupThatHoldsItselfIsNotEntered) {
  add([](hid_t file) {
    const Hdf5Handle group = create_group(file, "a");
    METEOR_HDF5(H5Olink, group.id(), group.id(), "round", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("a has several names");
}

TEST_F(HostileHdf5, ADatasetWithTwoNamesIsNotReadTwice) {
  add([](hid_t file) {
    METEOR_HDF5(H5Lcreate_hard, file, "units/count", file, "units/alias", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("units/alias has several names");
}

TEST_F(HostileHdf5, DeepGroupsAreNotFollowedToTheirEnd) {
  add([](hid_t file) {
    std::string name = "deep";
    for (int depth = 0; depth < 2000; ++depth) name += "/d";
    const Hdf5Handle links = METEOR_HDF5_OPEN(H5Pclose, H5Pcreate, H5P_LINK_CREATE);
    METEOR_HDF5(H5Pset_create_intermediate_group, links.id(), 1U);
    METEOR_HDF5_OPEN(H5Gclose, H5Gcreate2, file, name.c_str(), links.id(), H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("group deep/d/d/d/d/d/d/d/d is nested too deeply");
}

TEST_F(HostileHdf5, LinksAreCountedThroughoutTheFile) {
  add([](hid_t file) {
    for (int i = 0; i < 40; ++i) {
      const Hdf5Handle group = create_group(file, fmt::format("many{}", i));
      for (int j = 0; j < 40; ++j) create_group(group.id(), std::to_string(j));
    }
  });
  expect_refused("there are too many datasets and groups");
}

TEST_F(HostileHdf5, AGroupOfTooManyLinksIsNotListed) {
  add([](hid_t file) {
    const Hdf5Handle group = create_group(file, "many");
    for (int i = 0; i < 5000; ++i) {
      METEOR_HDF5(H5Lcreate_soft, "/units", group.id(), std::to_string(i).c_str(), H5P_DEFAULT, H5P_DEFAULT);
    }
  });
  expect_refused("there are too many datasets and groups");
}

TEST_F(HostileHdf5, ALongNameIsNotRepeated) {
  add([](hid_t file) { create_group(file, std::string(60'000, 'x')); });
  expect_refused("the name of a dataset or group is too long");
}

TEST_F(HostileHdf5, LinksElsewhereAreNotFollowed) {
  add([](hid_t file) { METEOR_HDF5(H5Lcreate_soft, "/units", file, "soft", H5P_DEFAULT, H5P_DEFAULT); });
  expect_refused("soft leads elsewhere");
}

TEST_F(HostileHdf5, OtherFilesAreNotOpened) {
  add([&](hid_t file) {
    METEOR_HDF5(H5Lcreate_external, path_.c_str(), "/units", file, "external", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("external leads elsewhere");
}

TEST_F(HostileHdf5, ATypeOfItsOwnIsRefused) {
  add([](hid_t file) {
    const Hdf5Handle type = METEOR_HDF5_OPEN(H5Tclose, H5Tcopy, H5T_STD_U8LE);
    METEOR_HDF5(H5Tcommit2, file, "type", type.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("type is neither a dataset nor a group");
}

TEST_F(HostileHdf5, AChunkThatUnpacksToGigabytesIsNotUnpacked) {
  const auto deflate = [](hid_t layout) { METEOR_HDF5(H5Pset_deflate, layout, 1U); };
  add([&](hid_t file) {
    const Stored how{.most = {H5S_UNLIMITED}, .chunk = {256 * kMebibyte}, .filters = deflate};
    write_zeros(create_dataset(file, "bomb", how), 4);
  });
  EXPECT_LT(std::filesystem::file_size(path_), 2 * kMebibyte);
  expect_refused("dataset bomb is not stored with a checksum and nothing else");
}

TEST_F(HostileHdf5, EveryFilterButTheChecksumIsRefused) {
  const auto checksum = [](hid_t layout) { METEOR_HDF5(H5Pset_fletcher32, layout); };
  const std::function<void(hid_t)> filters[] = {
      [](hid_t) {},
      [](hid_t layout) { METEOR_HDF5(H5Pset_deflate, layout, 9U); },
      [](hid_t layout) { METEOR_HDF5(H5Pset_shuffle, layout); },
      [](hid_t layout) { METEOR_HDF5(H5Pset_nbit, layout); },
      [](hid_t layout) { METEOR_HDF5(H5Pset_scaleoffset, layout, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT); },
      [&](hid_t layout) {
        METEOR_HDF5(H5Pset_deflate, layout, 1U);
        checksum(layout);
      },
      [&](hid_t layout) {
        checksum(layout);
        checksum(layout);
      },
  };
  for (const auto& of_layout : filters) {
    save_model(path_, small_model(CompressionScheme::none, 20, 4));
    add([&](hid_t file) { write_zeros(create_dataset(file, "filtered", {.filters = of_layout}), 4); });
    expect_refused("dataset filtered is not stored with a checksum and nothing else");
  }
}

TEST_F(HostileHdf5, WhatIsNotInChunksIsRefused) {
  const auto unfiltered = [](hid_t) {};
  add([&](hid_t file) { write_zeros(create_dataset(file, "contiguous", {.chunk = {}, .filters = unfiltered}), 4); });
  expect_refused("dataset contiguous is not stored in chunks");
}

TEST_F(HostileHdf5, ValuesInOtherFilesAreNotRead) {
  const std::string elsewhere = folder_.write("secret", "root").string();
  add([&](hid_t file) {
    const auto outside = [&](hid_t layout) { METEOR_HDF5(H5Pset_external, layout, elsewhere.c_str(), 0, hsize_t{4}); };
    create_dataset(file, "outside", {.chunk = {}, .filters = outside});
  });
  expect_refused("dataset outside is not stored in chunks");
}

TEST_F(HostileHdf5, AChunkMayBeLargerThanItsArrayButNotByMuch) {
  add([](hid_t file) {
    write_zeros(create_dataset(file, "wide", {.most = {H5S_UNLIMITED}, .chunk = {40 * kMebibyte}}), 4);
  });
  expect_refused("dataset wide is stored in chunks that are too large");
}

TEST_F(HostileHdf5, ChunksOfTwoLargeExtentsDoNotOverflow) {
  const hsize_t huge = hsize_t{1} << 31;
  add([&](hid_t file) {
    create_dataset(file, "wide", {.extents = {2, 2}, .most = {H5S_UNLIMITED, H5S_UNLIMITED}, .chunk = {huge - 1, 2}});
  });
  expect_refused("dataset wide is stored in chunks that are too large");
}

TEST_F(HostileHdf5, AnArrayInManyTinyChunksIsNotPutTogether) {
  add([](hid_t file) { write_zeros(create_dataset(file, "dust", {.extents = {5000}, .chunk = {1}}), 5000); });
  expect_refused("dataset dust is stored in too many chunks");
}

TEST_F(HostileHdf5,
       AnArrayThatMayGrowIsRefused) {  // the index of one that was cut could keep the library busy for hours
  add([](hid_t file) { write_zeros(create_dataset(file, "growing", {.most = {H5S_UNLIMITED}}), 4); });
  expect_refused("dataset growing may grow");
}

TEST_F(HostileHdf5, NoArrayIsLargerThanItsFile) {
  const hsize_t large = hsize_t{1} << 32;
  add([&](hid_t file) { create_dataset(file, "claim", {.extents = {large, large}, .chunk = {1, kMebibyte}}); });
  expect_refused("dataset claim claims to be larger than its file");
}

TEST_F(HostileHdf5, AnArrayWithoutValuesIsNotAllocated) {
  add([&](hid_t file) { create_dataset(file, "nothing", {.extents = {8000}}); });
  expect_refused("dataset nothing is incomplete");
}

}  // namespace
}  // namespace meteor
