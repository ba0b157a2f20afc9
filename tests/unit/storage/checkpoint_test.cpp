#include "storage/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fixtures/schemes.h"
#include "fixtures/shopping_attributes.h"
#include "fixtures/temporary_folder.h"
#include "methods/stream_run.h"
#include "storage/checkpoint_folder.h"
#include "storage/checkpoint_writer.h"
#include "stream/generator.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

/// A run that can be left after any window and gone on with from a file.
class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() {
    settings_.attributes = shopping_attributes();
    settings_.learning.dimension = 16;
    settings_.compression.budget = Percent{50};
    settings_.learning.epochs = 1;
    settings_.parallel.shards = 2;
    std::ofstream file(input_.path = (folder_.path() / "stream.csv").string());
    StreamGenerator generator({.kind = GeneratorKind::shopping, .records = 600, .seed = 5, .days = 20});
    write_csv(generator, file);
  }

  /// Learns up to so many windows from the start, or from a checkpoint, and leaves a checkpoint behind.
  std::string learn(std::uint64_t windows, const fs::path& from = {}, const fs::path& to = {}) {
    const auto crew = local_crew(settings_);
    Vocabulary vocabulary = empty_vocabulary(settings_.attributes);
    std::optional<OnlineEmbedding> embedding;
    RunState run;
    if (from.empty()) {
      embedding.emplace(settings_, *crew);
      run = run_start({8, {}}, embedding->model());
    } else {
      Checkpoint found = load_checkpoint(from);
      vocabulary = std::move(found.stored.vocabulary);
      embedding.emplace(settings_, *crew, std::move(found.stored.model), Categories().of_all(vocabulary),
                        std::move(found.waiting));
      run = std::move(found.run);
    }
    RunHooks hooks;
    hooks.at_rest = [&](const RunState& state, std::mutex& admitting) {
      if (to.empty() || state.windows != windows) return;
      const std::lock_guard lock(admitting);
      write_content(to, checkpoint_content(settings_, vocabulary, embedding->model(), state, embedding->waiting()));
    };
    StreamInput some = input_;
    some.max_windows = windows;
    run_stream(some, settings_, run, vocabulary, {}, *embedding, hooks);
    return model_sha256(vocabulary, embedding->model());
  }

  TemporaryFolder folder_;
  Settings settings_;
  StreamInput input_;
};

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

TEST_F(CheckpointTest, AModelIsNoCheckpointButACheckpointIsAModel) {
  const fs::path file = folder_.path() / "c.h5";
  learn(12, {}, file);
  const StoredModel stored = load_model(file);
  EXPECT_GT(stored.model.units(), 10u);
  save_model(folder_.path() / "m.h5", stored.settings, stored.vocabulary, stored.model);
  EXPECT_THROW(load_checkpoint(folder_.path() / "m.h5"), StorageError);
}

TEST_F(CheckpointTest, ADamagedCheckpointIsPassedOverAndNoIntactOneIsAnError) {
  const CheckpointFolder checkpoints(folder_.path() / "checkpoints");
  EXPECT_FALSE(checkpoints.newest());
  learn(4, {}, checkpoints.path_of(4));
  learn(6, {}, checkpoints.path_of(6));
  EXPECT_EQ(checkpoints.newest()->run.windows, 6u);
  const auto damage = [](const fs::path& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
    file.put('\x5a');
    file.put('\xa5');
  };
  damage(checkpoints.path_of(6));
  EXPECT_EQ(checkpoints.newest()->run.windows, 4u);
  fs::resize_file(checkpoints.path_of(4), 1000);
  EXPECT_THROW(checkpoints.newest(), StorageError);
}

TEST_F(CheckpointTest, AFolderServesOneRunAtATime) {
  const fs::path path = folder_.path() / "checkpoints";
  {
    const CheckpointFolder first(path);
    try {
      const CheckpointFolder second(path);
      FAIL() << "the folder was given twice";
    } catch (const StorageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("process " + std::to_string(getpid())));
    }
  }
  EXPECT_NO_THROW(CheckpointFolder again(path));
}

TEST_F(CheckpointTest, TheNewestAndEveryMthStay) {
  const CheckpointFolder checkpoints(folder_.path() / "checkpoints");
  for (std::uint64_t windows = 1; windows <= 12; ++windows) std::ofstream(checkpoints.path_of(windows)) << "x";
  CheckpointSettings settings;
  settings.keep = 2;
  settings.keep_every = 5;
  checkpoints.prune(settings);
  for (std::uint64_t windows = 1; windows <= 12; ++windows) {
    EXPECT_EQ(fs::exists(checkpoints.path_of(windows)), windows >= 11 || windows % 5 == 0) << windows;
  }
}

TEST_F(CheckpointTest, OneThatCannotBeWrittenIsReportedAndTheNextIsTriedAgain) {
  const CheckpointFolder checkpoints(folder_.path() / "checkpoints");
  const fs::path file = folder_.path() / "c.h5";
  learn(3, {}, file);
  const FileContent content = read_content(file);
  CheckpointSettings settings;
  {
    CheckpointWriter writer(checkpoints, settings, false);
    fs::create_directory(checkpoints.path_of(3));  // in the way
    writer.write(content, 3);
    EXPECT_FALSE(writer.finish());
    writer.write(content, 4);
    EXPECT_TRUE(writer.finish());
  }
  settings.required = true;
  CheckpointWriter writer(checkpoints, settings, false);
  writer.write(content, 3);
  EXPECT_THROW(writer.finish(), StorageError);
}

}  // namespace
}  // namespace meteor
