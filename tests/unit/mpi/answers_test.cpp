#include "mpi/answers.h"

#include <gmock/gmock.h>

#include "fixtures/learning_job.h"
#include "mpi/encoding.h"
#include "mpi/structures.h"

namespace meteor::testing {
namespace {

using ::testing::StartsWith;

constexpr std::uint32_t kDimension = 8;

/// What becomes of a worker's answer on rank 0, which has given it these units.
void with_answer(const Message& answer, std::span<const UnitId> units, const std::function<void()>& expect) {
  ThreadedJob job(2);
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() != 0) return rank.mail.send(0, answer);
    try {
      next_answer(rank.mail, {1}, units);
      ADD_FAILURE() << "it was taken";
    } catch (...) {
      expect();
    }
  });
  EXPECT_EQ(failure, "");
}

TEST(Answers, AFailureIsNeverTakenForSuccessWhateverItsStatus) {
  for (const auto& [told, status] : {std::pair{0, ExitStatus::failed},
                                     {75, ExitStatus::failed},
                                     {-7, ExitStatus::failed},
                                     {3, ExitStatus::input_unusable},
                                     {4, ExitStatus::storage_unusable}}) {
    with_answer(to_message(Failure{"it is full", told, {}}), {}, [status = status] {
      try {
        throw;
      } catch (const Error& error) {
        EXPECT_EQ(error.status(), status);
        EXPECT_STREQ(error.what(), "rank 1: it is full");
      }
    });
  }
}

TEST(Answers, AUnitThatTheWorkerWasNotGivenIsNotNamed) {
  const std::vector<UnitId> units{UnitId{3}, UnitId{9}};
  with_answer(to_message(Failure{"", 1, NotFinite(2, 17, UnitId{9})}), units, [] {
    try {
      throw;
    } catch (const NotFinite& fault) {
      EXPECT_EQ(fault.unit, UnitId{9});
      EXPECT_EQ(fault.where, "rank 1: ");
    }
  });
  with_answer(to_message(Failure{"", 1, NotFinite(2, 17, UnitId{4'000'000'000})}), units, [] {
    try {
      throw;
    } catch (const TransportError& fault) {
      EXPECT_THAT(fault.what(), StartsWith("rank 1: "));
    }
  });
}

/// What a worker says of a window and its shards, sent as a message of this kind.
std::string asked(const WindowUnits& units, EpochRange epochs, const SlotRows& start, const Shard& shard,
                  MessageKind kind = MessageKind::shards) {
  return told_to_worker(kDimension, [&](Mail& mail) {
    mail.broadcast(window_message({.units = units, .shards = {}, .epochs = epochs}, &start));
    const std::vector<const Shard*> shards{&shard};
    Message message = shards_message(shards);
    message.kind = kind;
    mail.send(1, std::move(message));
    while (next_answer(mail, {1}, units.units).message.kind != MessageKind::done) {
    }
  });
}

TEST(Answers, AWindowThatCannotBeIsToldByTheWorker) {
  const WindowUnits units{7, {UnitId{3}, UnitId{9}, UnitId{12}}, {1, 2, 2}, {1, 3}};
  const SlotRows start{{0, 2}, {0.5F, 1}, AlignedRows(2, kDimension)};
  const Shard shard{0, {0, 1, 1, 2}, {2, 4}, {17, 18}};
  EXPECT_EQ(asked(units, {0, 2}, start, shard), "");
  const SlotRows narrow{{0, 2}, {0.5F, 1}, AlignedRows(2, 2)}, elsewhere{{0, 3}, {0.5F, 1}, AlignedRows(2, kDimension)};
  EXPECT_THAT(asked(units, {0, 2}, narrow, shard), StartsWith("rank 1: "));
  EXPECT_THAT(asked(units, {0, 2}, elsewhere, shard), StartsWith("rank 1: "));
  EXPECT_THAT(asked(units, {0, 4'000'000'000}, start, shard), StartsWith("rank 1: "));
  EXPECT_THAT(asked(units, {0, 2}, start, shard, MessageKind::blocks), StartsWith("rank 1: "));
  EXPECT_THAT(asked(units, {0, 2}, start, {0, {0, 1}, {0, 2}, {17, 18}}), StartsWith("rank 1: "));
  EXPECT_THAT(asked(units, {0, 2}, start, {0, {0, 1, 1, 2}, {3, 4}, {17, 18}}), StartsWith("rank 1: "));
}

TEST(Answers, RowsOfADimensionThatCannotBeAreRefused) {
  const WindowUnits units{7, {UnitId{3}}, {1}, {1}};
  const SlotRows start{{0}, {1}, AlignedRows(1, kDimension)};
  Message message = window_message({.units = units, .shards = {}, .epochs = {0, 1}}, &start);
  EXPECT_NO_THROW(window_from(message));
  message.structure =
      encode(WindowHead{.window = 7, .end_epoch = 1, .starts_given = true, .dimension = ~std::uint64_t{0}});
  message.arrays.back().shape = {1, 0};  // as wide as such rows would be if numbers did not end
  EXPECT_THROW(window_from(message), TransportError);
}

}  // namespace
}  // namespace meteor::testing
