#include "storage/model_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fixtures/full_disk.h"
#include "fixtures/schemes.h"
#include "fixtures/small_models.h"
#include "fixtures/temporary_folder.h"
#include "storage/file_seal.h"
#include "storage/hdf5_file.h"

namespace meteor {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

void expect_equal(const StoredModel& a, const StoredModel& b) {
  const auto left = model_content(a.vocabulary, a.model);
  const auto right = model_content(b.vocabulary, b.model);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].name, right[i].name);
    EXPECT_EQ(left[i].type, right[i].type);
    EXPECT_EQ(left[i].purpose, right[i].purpose);
    ASSERT_EQ(left[i].shape, right[i].shape) << left[i].name;
    if (left[i].bytes() > 0) {
      EXPECT_EQ(std::memcmp(left[i].data, right[i].data, left[i].bytes()), 0) << left[i].name;
    }
  }
  EXPECT_EQ(model_sha256(a.vocabulary, a.model), model_sha256(b.vocabulary, b.model));
  EXPECT_EQ(a.model.dimension, b.model.dimension);
  EXPECT_EQ(a.model.windows, b.model.windows);
  EXPECT_EQ(a.model.embeddings->scheme(), b.model.embeddings->scheme());
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What load_model says about a file that it refuses.
std::string refusal(const std::filesystem::path& path) {
  try {
    load_model(path);
  } catch (const StorageError& error) {
    return error.what();
  }
  return "it was accepted";
}

class ModelFile : public testing::TestWithParam<CompressionScheme> {
 protected:
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "model.h5";
};

INSTANTIATE_TEST_SUITE_P(Schemes, ModelFile, testing::ValuesIn(kSchemes), scheme_suffix);

TEST_P(ModelFile, GivesBackWhatWasSavedBitForBit) {
  for (const std::size_t units : {std::size_t{6}, std::size_t{200}}) {
    const StoredModel saved = small_model(GetParam(), units);
    save_model(path_, saved);
    const StoredModel loaded = load_model(path_);
    expect_equal(saved, loaded);
    EXPECT_EQ(loaded.settings.attributes[1].name, "items");
    EXPECT_TRUE(loaded.settings.attributes[1].target);
    EXPECT_EQ(loaded.vocabulary.find(AttributeId{1}, "item 3"), UnitId{3});
  }
}

TEST_P(ModelFile, EqualModelsAreEqualFiles) {
  save_model(path_, small_model(GetParam()));
  const std::string first = bytes_of(path_);
  save_model(path_, load_model(path_));
  EXPECT_EQ(bytes_of(path_), first);
}

TEST_P(ModelFile, EveryFlippedBitIsNoticed) {
  save_model(path_, small_model(GetParam(), 60, 8));
  const std::string intact = bytes_of(path_);
  Random random{11};
  for (int i = 0; i < 200; ++i) {
    std::string damaged = intact;
    const std::size_t at = random.below(static_cast<std::uint32_t>(intact.size()));
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    const auto copy = folder_.write("damaged.h5", damaged);
    EXPECT_THAT(refusal(copy), HasSubstr(copy.string())) << at;
  }
}

TEST_P(ModelFile, ATruncatedFileIsRefused) {
  save_model(path_, small_model(GetParam(), 60, 8));
  const std::string intact = bytes_of(path_);
  Random random{12};
  for (int i = 0; i < 50; ++i) {
    const std::size_t kept = random.below(static_cast<std::uint32_t>(intact.size()));
    EXPECT_THAT(refusal(folder_.write("short.h5", intact.substr(0, kept))), HasSubstr("restore it from a copy"));
  }
}

TEST(ModelFiles, AModelWithoutUnitsIsKeptToo) {
  const TemporaryFolder folder;
  const StoredModel saved = small_model(CompressionScheme::none, 0);
  save_model(folder.path() / "empty.h5", saved);
  expect_equal(saved, load_model(folder.path() / "empty.h5"));
}

TEST(ModelFiles, SayPlainlyWhatIsNoModel) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(folder.path() / "none.h5"), (folder.path() / "none.h5").string() + " does not exist");
  EXPECT_EQ(refusal(folder.path()), folder.path().string() + " is not a file");
  EXPECT_THAT(refusal(folder.write("text.h5", "timestamp,user\n")), HasSubstr("text.h5 is not an HDF5 file"));
  EXPECT_THAT(refusal(folder.write("empty.h5", "")), HasSubstr("empty.h5 is not an HDF5 file"));
  Hdf5Output(folder.path() / "other.h5").close();
  EXPECT_THAT(refusal(folder.path() / "other.h5"), HasSubstr("other.h5 is an HDF5 file, but not a model of meteor"));
  seal_file(folder.path() / "other.h5");
  EXPECT_THAT(refusal(folder.path() / "other.h5"), EndsWith("other.h5 is an HDF5 file, but not a model of meteor"));
  const auto foreign = folder.write("foreign.h5", bytes_of(folder.path() / "other.h5").substr(kSealBytes));
  EXPECT_THAT(refusal(foreign), HasSubstr("foreign.h5 is an HDF5 file, but not a model of meteor, or its first bytes"));
}

TEST(ModelFiles, ADamagedSealIsNoticedBeforeTheLibrarySeesTheFile) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.h5";
  save_model(path, small_model(CompressionScheme::none, 10, 4));
  std::string file = bytes_of(path);
  std::fill(file.begin() + kSealBytes + 8, file.end(), 'x');  // the library would have words for this
  for (std::size_t at = 0; at < kSealBytes; at += 7) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const auto copy = folder.write("damaged.h5", damaged);
    const std::string said = refusal(copy);
    EXPECT_THAT(said, AllOf(HasSubstr("damaged"), Not(HasSubstr("H5Fopen")))) << at;
    try {
      file_kind(copy);
      FAIL() << at;
    } catch (const StorageError& error) {
      EXPECT_EQ(error.what(), said) << at;
    }
  }
}

TEST(ModelFiles, ANewerFormatIsRefusedWithItsVersion) {
  const TemporaryFolder folder;
  Hdf5Output file(folder.path() / "newer.h5");
  file.set_text("format", kModelFormat);
  file.set_number("format_version", kModelFormatVersion + 1);
  file.set_text("program_version", "9.1");
  file.close();
  seal_file(folder.path() / "newer.h5");
  EXPECT_THAT(refusal(folder.path() / "newer.h5"),
              AllOf(HasSubstr("written by meteor 9.1 in format version 4"), HasSubstr("use a newer meteor")));
}

TEST(ModelFiles, AFailedSaveLeavesTheOldFileAlone) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.h5";
  const StoredModel saved = small_model(CompressionScheme::none, 10);
  save_model(path, saved);
  {
    const FullDisk disk(4096);
    EXPECT_THROW(save_model(path, small_model(CompressionScheme::none, 2000)), StorageError);
  }
  expect_equal(saved, load_model(path));
}

TEST(ModelFiles, AReadOnlyFolderIsToldInPlainWords) {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  if (::access(folder.path().c_str(), W_OK) == 0) GTEST_SKIP() << "root may write everywhere";
  try {
    save_model(folder.path() / "model.h5", small_model(CompressionScheme::none, 10));
    FAIL() << "it was written";
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("model.h5: Permission denied"));
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(ModelFiles, AFolderThatDoesNotExistIsNamed) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "missing" / "model.h5";
  try {
    save_model(path, small_model(CompressionScheme::none, 10));
    FAIL() << "it was written";
  } catch (const StorageError& error) {
    EXPECT_EQ(error.what(), "cannot write " + path.string() + ": No such file or directory");
  }
}

}  // namespace
}  // namespace meteor
