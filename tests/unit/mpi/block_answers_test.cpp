#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fixtures/learning_job.h"
#include "fixtures/sample_blocks.h"
#include "fixtures/watchdog.h"
#include "model/local_block_workers.h"
#include "mpi/answers.h"
#include "mpi/messages.h"
#include "mpi/remote_blocks.h"

namespace meteor::testing {
namespace {

using ::testing::StartsWith;

constexpr std::size_t kRows = 20, kDimension = 8;

/// What rank 0 says of a worker that works on a block and changes what came of it.
std::string answered(const SampleBlock& sample, const std::function<void(NumberedBlocks&)>& change,
                     MessageKind kind = MessageKind::mapped) {
  ThreadedJob job(2);
  return job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() == 0) {
      std::size_t alive = 0;
      share_among_ranks(rank.mail, alive, {{sample.block}, {sample.block}}, 1, false)->map(sample.job, sample.shared);
      return;
    }
    rank.mail.hear();
    NumberedBlocks blocks = blocks_from(rank.mail.receive());
    const Message task = rank.mail.hear();
    for (auto& block : blocks.blocks) block = map_from(task).job.work(block, task.arrays);
    change(blocks);
    rank.mail.send(0, blocks_message(kind, std::move(blocks)));
  });
}

/// What a worker says of a block and what all share, as rank 0 sends it.
std::string asked(const SampleBlock& sample) {
  return told_to_worker(kDimension, [&](Mail& mail) {
    mail.broadcast(hold_message(0));
    mail.send(1, blocks_message(MessageKind::blocks, {{0}, {sample.block}}));
    mail.broadcast(map_message(0, sample.job, sample.shared));
    next_answer(mail, {1});
  });
}

std::string name_of(const SampleBlock& sample) {
  return fmt::format("{} with {} arrays", sample.job.name, sample.block.size());
}

Array with_bits_set(const Array& array) {
  const auto bytes = std::make_shared<std::vector<std::uint8_t>>(array.bytes(), 0xff);
  return {array.name, array.type, array.shape, bytes->data(), array.purpose, bytes};
}

class BlockAnswers : public ::testing::Test {
  Watchdog watchdog_{std::chrono::seconds(1200)};
};

TEST_F(BlockAnswers, ThatAreAsTheyShouldBeAreTaken) {
  for (const SampleBlock& sample : sample_blocks(kRows, kDimension)) {
    EXPECT_EQ(answered(sample, [](NumberedBlocks&) {}), "") << name_of(sample);
    EXPECT_EQ(asked(sample), "") << name_of(sample);
  }
}

TEST_F(BlockAnswers, ThatCannotBeAreToldWithTheRankThatGaveThem) {
  for (const SampleBlock& sample : sample_blocks(kRows, kDimension)) {
    const auto expect_refused = [&](const std::string& what, const std::function<void(NumberedBlocks&)>& change) {
      EXPECT_THAT(answered(sample, change), StartsWith("rank 1: ")) << name_of(sample) << ": " << what;
    };
    const std::vector<Array> result = sample.job.work(sample.block, sample.shared);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto change_to = [&](const std::string& what, Array array) {
        expect_refused(what + " " + result[i].name, [&](NumberedBlocks& blocks) { blocks.blocks[1][i] = array; });
      };
      expect_refused("no " + result[i].name, [&](NumberedBlocks& blocks) {
        blocks.blocks[1].erase(blocks.blocks[1].begin() + static_cast<std::ptrdiff_t>(i));
      });
      ASSERT_GT(result[i].elements(), 0U) << name_of(sample) << ": " << result[i].name;
      Array shorter = result[i];
      --shorter.shape[0];
      change_to("a shorter", shorter);
      if (result[i].shape.size() == 2) {
        Array flat = result[i];
        flat.shape = {flat.elements()};
        change_to("a flat", flat);
        Array turned = result[i];
        std::swap(turned.shape[0], turned.shape[1]);
        if (turned.shape != result[i].shape) change_to("a turned", turned);
      }
      Array retyped = result[i];
      retyped.type = retyped.type == ElementType::u8 ? ElementType::u16 : ElementType::u8;
      retyped.shape = {1};
      change_to("another type of", retyped);
      const bool an_index = result[i].name == "cluster" || result[i].name == "vector" || result[i].name == "new/table";
      if (an_index) change_to("a bad", with_bits_set(result[i]));
    }
    expect_refused("the number of another block", [](NumberedBlocks& blocks) { blocks.numbers[1] = 2; });
    expect_refused("a block twice", [](NumberedBlocks& blocks) { blocks.numbers[1] = blocks.numbers[0]; });
    expect_refused("nothing", [](NumberedBlocks& blocks) { blocks = {}; });
  }
}

TEST_F(BlockAnswers, OfAnotherKindAreToldWithTheRankThatGaveThem) {
  const SampleBlock sample = sample_blocks(kRows, kDimension).front();
  EXPECT_THAT(answered(
                  sample, [](NumberedBlocks&) {}, MessageKind::learnt),
              StartsWith("rank 1: an unexpected message"));
}

TEST_F(BlockAnswers, ABlockThatCannotBeWorkedOnIsToldByTheWorker) {
  for (const SampleBlock& sample : sample_blocks(kRows, kDimension)) {
    for (const bool in_block : {true, false}) {
      const auto& arrays = in_block ? sample.block : sample.shared;
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto expect_refused = [&](const std::string& what,
                                        const std::function<void(std::vector<Array>&)>& change) {
          SampleBlock changed = sample;
          change(in_block ? changed.block : changed.shared);
          EXPECT_THAT(asked(changed), StartsWith("rank 1: ")) << name_of(sample) << ": " << what << arrays[i].name;
        };
        const std::string& name = arrays[i].name;
        const bool needed = !(sample.job.name == kSpectralMoments.name && name == "new_table") &&
                            !(sample.job.name == kSpectralEncode.name && name == "weight");
        if (!needed) continue;
        expect_refused("no ", [&](auto& some) { some.erase(some.begin() + static_cast<std::ptrdiff_t>(i)); });
        expect_refused("an empty ", [&](auto& some) { some[i].shape[0] = 0; });
        if (arrays[i].shape.size() != 2 || arrays[i].type != ElementType::f32) continue;
        expect_refused("a narrower ", [&](auto& some) { --some[i].shape[1]; });
        expect_refused("a flat ", [&](auto& some) { some[i].shape = {some[i].elements()}; });
      }
    }
  }
}

TEST_F(BlockAnswers, ANumberThatCannotBeIsToldByTheWorker) {
  for (const SampleBlock& sample : sample_blocks(kRows, kDimension)) {
    for (const char* name : {"vectors", "new_table", "old/table", "sizes", "precision", "old/dimension"}) {
      SampleBlock changed = sample;
      bool found = false;
      for (auto* arrays : {&changed.block, &changed.shared}) {
        for (Array& array : *arrays) {
          if (array.name != name || (sample.job.name == kSpectralMoments.name && array.name == "new_table")) continue;
          array = with_bits_set(array);
          found = true;
        }
      }
      if (!found) continue;
      EXPECT_THAT(asked(changed), StartsWith("rank 1: ")) << name_of(sample) << ": " << name;
    }
  }
}

}  // namespace
}  // namespace meteor::testing
