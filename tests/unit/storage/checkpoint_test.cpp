#include "storage/checkpoint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "fixtures/checkpointed_run.h"
#include "fixtures/schemes.h"
#include "storage/file_seal.h"
#include "storage/hdf5_file.h"
#include "support/random.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

using CheckpointTest = CheckpointedRun;

TEST_F(CheckpointTest, ARunThatGoesOnFromAnyWindowEndsWithTheSameModel) {
  for (const auto scheme : kSchemes) {
    for (const std::uint32_t staleness : {0, 1}) {
      for (const std::uint32_t min_count : {1, 3}) {
        settings_.compression.scheme = scheme;
        settings_.parallel.staleness = staleness;
        settings_.attributes[1].min_count = min_count;
        const std::string undisturbed = learn(1000);
        for (const std::uint64_t stop : {1, 7, 8, 9, 15}) {
          const fs::path file = folder_.path() / "c.h5";
          learn(stop, {}, file);
          EXPECT_EQ(learn(1000, file), undisturbed) << stop << " windows, staleness " << staleness;
        }
      }
    }
  }
}

TEST_F(CheckpointTest, UnitsInheritTheSameInARunThatGoesOn) {
  for (const auto scheme : kSchemes) {
    for (const std::uint32_t staleness : {0, 1}) {
      settings_.compression.scheme = scheme;
      settings_.parallel.staleness = staleness;
      settings_.attributes = shopping_attributes();
      const std::string without = learn(1000);
      categorise_items(settings_.attributes, folder_);
      const std::string undisturbed = learn(1000);
      EXPECT_NE(undisturbed, without);
      for (const std::uint64_t stop : {1, 7, 8, 9, 15}) {
        const fs::path file = folder_.path() / "c.h5";
        learn(stop, {}, file);
        EXPECT_EQ(learn(1000, file), undisturbed) << stop << " windows, staleness " << staleness;
      }
    }
  }
}

TEST_F(CheckpointTest, UnitsExpireTheSameInARunThatGoesOn) {
  const std::string all = learn(1000);
  settings_.model.expire = Duration{4 * 86400};
  settings_.attributes[0].min_count = 2;
  categorise_items(settings_.attributes, folder_);
  for (const auto scheme : kForgettingSchemes) {
    for (const std::uint32_t staleness : {0, 1}) {
      settings_.compression.scheme = scheme;
      settings_.parallel.staleness = staleness;
      const std::string undisturbed = learn(1000);
      EXPECT_NE(undisturbed, all);
      for (const std::uint64_t stop : {1, 6, 7, 8, 9, 15}) {
        const fs::path file = folder_.path() / "c.h5";
        learn(stop, {}, file);
        EXPECT_EQ(learn(1000, file), undisturbed) << stop << " windows, staleness " << staleness;
        give_up_after(stop, 0.5, file);
        EXPECT_EQ(learn(1000, file), undisturbed) << "given up after " << stop << ", staleness " << staleness;
      }
    }
  }
}

TEST_F(CheckpointTest, AUnitThatWaitsThoughItWasSeenOftenEnoughWaitsOn) {
  for (AttributeSettings& attribute : settings_.attributes) attribute.min_count = 4;
  const std::string undisturbed = learn(1000);
  const fs::path file = folder_.path() / "c.h5";
  learn(9, {}, file);
  const Checkpoint checkpoint = load_checkpoint(file);
  const auto often = [](const auto& entry) { return entry.second.count >= 4; };
  EXPECT_GT(std::ranges::count_if(checkpoint.run.sightings, often), 0) << "its records had no other unit";
  EXPECT_EQ(learn(1000, file), undisturbed);
}

TEST_F(CheckpointTest, AnInputThatChangedOrShrankIsRefused) {
  const fs::path file = folder_.path() / "c.h5";
  learn(5, {}, file);
  std::string text;
  {
    std::ifstream stream(input_.path);
    text.assign(std::istreambuf_iterator<char>(stream), {});
  }
  const auto rewrite = [&](const std::string& content) { std::ofstream(input_.path) << content; };
  std::string changed = text;
  changed[changed.find(",u") + 2] ^= 1;  // a digit of the first user
  rewrite(changed);
  EXPECT_THROW(learn(1000, file), InputError);
  rewrite(text.substr(0, 2000));
  EXPECT_THROW(learn(1000, file), InputError);
  rewrite(text);
  EXPECT_NO_THROW(learn(1000, file));
}

TEST_F(CheckpointTest, AWindowThatWasGivenUpIsLearntAgain) {
  for (const std::uint32_t staleness : {0, 1}) {
    for (const std::uint32_t rounds : {1, 2}) {
      settings_.parallel.staleness = staleness;
      settings_.parallel.rounds = rounds;
      settings_.learning.epochs = 2;
      const std::string undisturbed = learn(1000);
      for (const std::uint64_t stop : {1, 7, 8, 9, 15}) {
        for (const double share : {0.0, 0.2, 0.8}) {
          const fs::path file = folder_.path() / "c.h5";
          give_up_after(stop, share, file);
          EXPECT_EQ(learn(1000, file), undisturbed) << stop << " windows, staleness " << staleness;
        }
      }
    }
  }
}

TEST_F(CheckpointTest, AModelIsNoCheckpointButACheckpointIsAModel) {
  const fs::path file = folder_.path() / "c.h5";
  learn(12, {}, file);
  const StoredModel stored = load_model(file);
  EXPECT_GT(stored.model.units(), 10u);
  save_model(folder_.path() / "m.h5", stored.settings, stored.vocabulary, stored.model);
  EXPECT_THROW(load_checkpoint(folder_.path() / "m.h5"), StorageError);
}

/// Every change of a checkpoint's bytes is noticed. A small one has all the kinds of content.
class DamagedCheckpointTest : public CheckpointTest {
 protected:
  DamagedCheckpointTest() {
    settings_.learning.dimension = 4;
    settings_.parallel.staleness = 1;
    settings_.attributes[1].min_count = 2;
    learn(9, {}, file_);
    std::ifstream in(file_, std::ios::binary);
    intact_.assign(std::istreambuf_iterator<char>(in), {});
  }

  void expect_noticed(const std::string& damaged, const std::string& what) const {
    const fs::path copy = folder_.write("damaged.h5", damaged);
    try {
      load_checkpoint(copy);
      ADD_FAILURE() << what << " went unnoticed";
    } catch (const StorageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(copy.string())) << what;
    }
  }

  const fs::path file_ = folder_.path() / "c.h5";
  std::string intact_;
  Random random_{21};
};

TEST_F(DamagedCheckpointTest, EachFlippedBitIsNoticed) {
  EXPECT_NO_THROW(load_checkpoint(file_));
  for (int i = 0; i < 300; ++i) {
    std::string damaged = intact_;
    const std::size_t at = random_.below(static_cast<std::uint32_t>(intact_.size()));
    const std::uint32_t bit = random_.below(8);
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
    expect_noticed(damaged, fmt::format("bit {} of byte {} of {}", bit, at, intact_.size()));
  }
}

TEST_F(DamagedCheckpointTest, EachCutIsNoticedAndWhatIsAddedToo) {
  for (int i = 0; i < 50; ++i) {
    const std::size_t kept = random_.below(static_cast<std::uint32_t>(intact_.size()));
    expect_noticed(intact_.substr(0, kept), fmt::format("a cut after {} of {} bytes", kept, intact_.size()));
  }
  expect_noticed(intact_.substr(0, intact_.size() - 1), "a missing byte");
  expect_noticed(intact_ + '\0', "a byte more");
}

TEST_F(CheckpointTest, ANewerFormatIsRefusedWithItsVersion) {
  Hdf5Output file(folder_.path() / "newer.h5");
  file.set_text("format", kCheckpointFormat);
  file.set_number("format_version", kModelFormatVersion + 1);
  file.set_text("program_version", "9.1");
  file.close();
  seal_file(folder_.path() / "newer.h5");
  try {
    load_checkpoint(folder_.path() / "newer.h5");
    FAIL() << "it was accepted";
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("newer.h5 was written by meteor 9.1 in format version"),
                                             testing::HasSubstr("use a newer meteor")));
  }
}

}  // namespace
}  // namespace meteor
