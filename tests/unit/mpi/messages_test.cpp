#include "mpi/messages.h"
#include "compression/clusters/fit_clusters.h"
#include "compression/kmeans.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "fixtures/schemes.h"
#include "fixtures/small_models.h"
#include "mpi/encoding.h"
#include "mpi/structures.h"
#include "support/bfloat16.h"

namespace meteor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Messages, GreetingsArriveAsTheyWereSent) {
  const Welcome welcome = welcome_from(to_message(Welcome{"1.2", "b", R"({"a": "ä"})"}));
  EXPECT_EQ(welcome.version, "1.2");
  EXPECT_EQ(welcome.settings, R"({"a": "ä"})");
  const Ready ready = ready_from(to_message(Ready{"1.2", "b", "node 7", ""}));
  EXPECT_EQ(ready.version, "1.2");
  EXPECT_EQ(welcome.build + ready.build, "bb");
  EXPECT_EQ(ready.host, "node 7");
  EXPECT_EQ(ready.instruction_set, "");
  EXPECT_EQ(agreed_from(to_message(Agreed{"avx2"})).instruction_set, "avx2");
  EXPECT_THROW(welcome_from(to_message(Agreed{"avx2"})), TransportError);
}

std::string content_for_replicas(const Model& model) { return content_hash(replica_message(model).arrays); }

TEST(Messages, AReplicaHoldsAllThatLearningNeeds) {
  for (const auto scheme : kCompressingSchemes) {
    const StoredModel stored = small_model(scheme);
    const Model replica = replica_from(replica_message(stored.model), stored.settings);
    EXPECT_EQ(content_for_replicas(replica), content_for_replicas(stored.model));
    EXPECT_EQ(replica.dimension, stored.model.dimension);
    EXPECT_EQ(replica.attributes, stored.model.attributes);
    EXPECT_TRUE(replica.embeddings->compressed());
  }
}

TEST(Messages, ChangesArriveAsTheyWereSent) {
  const std::vector<Array> changes{own_array<float>("rows", {1, 2}), own_array<std::uint32_t>("ends", {})};
  WindowUnits window;
  window.window = 7;
  window.units = {UnitId{4}, UnitId{2}};
  const Message known = changes_message(window, changes, false), named = changes_message(window, changes, true);
  EXPECT_EQ(content_hash(known.arrays), content_hash(changes));
  EXPECT_EQ(changed_window(known), 7u);
  EXPECT_FALSE(named_units(known));
  EXPECT_EQ(named_units(named), window.units);
}

std::vector<std::vector<float>> values_of(const AlignedRows& rows) {
  std::vector<std::vector<float>> values;
  for (std::size_t i = 0; i < rows.rows(); ++i) values.emplace_back(rows.row(i).begin(), rows.row(i).end());
  return values;
}

WindowNotice sent_window(const WindowUnits& units, const WindowTest* test, const SlotRows* start) {
  return window_from(window_message({.units = units, .shards = {}, .epochs = {2, 5}, .test = test}, start));
}

TEST(Messages, AWindowArrivesWithOrWithoutItsStart) {
  const WindowUnits units{7, {UnitId{3}, UnitId{9}, UnitId{4'000'000'000}}, {1, 2, 3}, {1, 3}};
  const WindowTest test{{4, 0, 6}, {}};
  const WindowNotice plain = sent_window(units, &test, nullptr);
  EXPECT_EQ(plain.units.window, 7u);
  EXPECT_EQ(plain.units.units, units.units);
  EXPECT_EQ(plain.units.counts, units.counts);
  EXPECT_EQ(plain.units.attribute_ends, units.attribute_ends);
  EXPECT_EQ(plain.epochs.first, 2u);
  EXPECT_EQ(plain.epochs.end, 5u);
  ASSERT_TRUE(plain.test);
  EXPECT_EQ(plain.test->seen, test.seen);
  EXPECT_FALSE(plain.test->newcomers);
  EXPECT_FALSE(plain.start);

  SlotRows rows{{0, 2}, {0.5F, 0}, AlignedRows(2, 2)};
  for (std::size_t i = 0; i < 4; ++i) rows.rows.row(i / 2)[i % 2] = static_cast<float>(i + 1);
  const WindowNotice given = sent_window(units, nullptr, &rows);
  EXPECT_FALSE(given.test);
  ASSERT_TRUE(given.start);
  EXPECT_EQ(given.start->slots, rows.slots);
  EXPECT_EQ(given.start->accumulators, rows.accumulators);
  EXPECT_EQ(values_of(given.start->rows), values_of(rows.rows));
}

TEST(Messages, AWindowArrivesWithWhatIsKnownOfNewcomers) {
  const WindowUnits units{7, {UnitId{3}}, {1}, {1}};
  WindowTest test{{2}, Newcomers{AlignedRows(2, 5), {0.25F, 0}}};
  test.newcomers->leanings.row(0)[4] = -3;
  const SlotRows start{{0}, {1}, AlignedRows(1, 5)};
  for (const SlotRows* given : {static_cast<const SlotRows*>(nullptr), &start}) {
    const WindowNotice notice = sent_window(units, &test, given);
    ASSERT_TRUE(notice.test && notice.test->newcomers);
    EXPECT_EQ(notice.test->newcomers->shares, test.newcomers->shares);
    EXPECT_EQ(values_of(notice.test->newcomers->leanings), values_of(test.newcomers->leanings));
    EXPECT_EQ(notice.start.has_value(), given != nullptr);
  }
}

TEST(Messages, AWindowWithoutUnitsArrives) {
  const SlotRows nothing;
  const WindowNotice notice = sent_window({}, nullptr, &nothing);
  EXPECT_THAT(notice.units.units, IsEmpty());
  ASSERT_TRUE(notice.start) << "no unit has a start, which is not the same as to look for it in the replica";
  EXPECT_EQ(notice.start->rows.rows(), 0u);
}

TEST(Messages, ShardsArriveAlsoIfTheyAreEmptyOrNone) {
  const Shard full{2, {0, 1, 1, 4}, {2, 4}, {17, std::uint64_t{1} << 40}};
  const Shard empty{5, {}, {}, {}};
  const std::vector<const Shard*> sent{&full, &empty};
  const std::vector<Shard> shards = shards_from(shards_message(sent));
  ASSERT_EQ(shards.size(), 2u);
  EXPECT_EQ(shards[0].number, 2u);
  EXPECT_EQ(shards[0].slots, full.slots);
  EXPECT_EQ(shards[0].ends, full.ends);
  EXPECT_EQ(shards[0].record_numbers, full.record_numbers);
  EXPECT_EQ(shards[1].number, 5u);
  EXPECT_EQ(shards[1].records(), 0u);
  EXPECT_THAT(shards_from(shards_message({})), IsEmpty());
}

constexpr RetrievalScore kScore{
    .queries = 4, .rare_queries = 3, .pooled = {1.0 / 7, 1, 2, 1.0 / 9}, .mean = {1.0 / 3, 2, 3, 0.5}};

LearntShard learnt_shard(const std::vector<std::vector<float>>& steps, std::size_t dimension) {
  LearntShard learnt;
  ShardUpdate& update = learnt.update;
  update.number = 3;
  update.steps = AlignedRows(steps.size(), dimension);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    update.slots.push_back(static_cast<std::uint32_t>(10 * i));
    update.counts.push_back(static_cast<std::uint32_t>(i + 1));
    update.growths.push_back(0.25F);
    std::copy(steps[i].begin(), steps[i].end(), update.steps.row(i).begin());
  }
  update.other_slots = {7, 4};
  for (std::size_t k = 0; k < 2 * dimension; ++k) update.other_steps.push_back(static_cast<std::uint16_t>(1000 + k));
  update.loss = 1.0 / 3;
  update.losses = 12;
  update.unit_steps = std::uint64_t{1} << 33;
  learnt.score = kScore;
  return learnt;
}

TEST(Messages, WhatAShardTaughtArrivesBitByBit) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<float>> steps{{1.0F / 3, -0.0F, 1e-40F}, {infinity, -infinity, 3.4e38F}};
  const LearntShard learnt = learnt_from(learnt_message(learnt_shard(steps, 3), WireFormat::float32));
  const ShardUpdate& update = learnt.update;
  EXPECT_EQ(update.number, 3u);
  EXPECT_THAT(update.slots, ElementsAre(0, 10));
  EXPECT_THAT(update.counts, ElementsAre(1, 2));
  EXPECT_THAT(update.growths, ElementsAre(0.25F, 0.25F));
  EXPECT_THAT(update.other_slots, ElementsAre(7, 4));
  EXPECT_THAT(update.other_steps, ElementsAre(1000, 1001, 1002, 1003, 1004, 1005));
  EXPECT_EQ(values_of(update.steps), steps);
  EXPECT_TRUE(std::signbit(update.steps.row(0)[1]));
  EXPECT_EQ(update.loss, 1.0 / 3);
  EXPECT_EQ(update.losses, 12u);
  EXPECT_EQ(update.unit_steps, std::uint64_t{1} << 33);
  EXPECT_EQ(learnt.score, kScore);
}

TEST(Messages, StepsStayWhereTheyArrived) {
  const Message message = learnt_message(learnt_shard({{1, 2}, {3, 4}}, 2), WireFormat::float32);
  EXPECT_EQ(learnt_from(message).update.steps.data(), message.arrays.back().data);
}

TEST(Messages, RowsOfAnotherWidthAreRefused) {
  Message message = learnt_message(learnt_shard({{1, 2}, {3, 4}}, 2), WireFormat::float32);
  message.arrays.back().shape = {1, 32};
  EXPECT_THROW(learnt_from(message), TransportError);
}

TEST(Messages, HalvedStepsAreTheNearestAndTiesAreEven) {
  const float infinity = std::numeric_limits<float>::infinity();
  constexpr float unit = 1.0F / 128;  // the last place of a bfloat16 at 1
  const std::vector<std::vector<float>> steps{
      {1 + unit / 2, 1 + 3 * unit / 2, 1 + 0.51F * unit, -1 - unit / 2, -0.0F},
      {infinity, -infinity, std::numeric_limits<float>::max(), std::numeric_limits<float>::quiet_NaN(), 1e-45F}};
  const LearntShard learnt = learnt_from(learnt_message(learnt_shard(steps, 5), WireFormat::bfloat16));
  const AlignedRows& arrived = learnt.update.steps;
  EXPECT_THAT(arrived.row(0), ElementsAre(1, 1 + 2 * unit, 1 + unit, -1, -0.0F));
  EXPECT_EQ(arrived.row(1)[0], infinity);
  EXPECT_EQ(arrived.row(1)[1], -infinity);
  EXPECT_EQ(arrived.row(1)[2], infinity);
  EXPECT_TRUE(std::isnan(arrived.row(1)[3]));
  EXPECT_EQ(arrived.row(1)[4], 0);
  for (const auto& row : values_of(arrived)) {
    for (const float value : row) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(from_bfloat16(bfloat16_of(value))), std::bit_cast<std::uint32_t>(value));
    }
  }
}

TEST(Messages, AShardThatTaughtNothingArrives) {
  for (const auto wire : {WireFormat::float32, WireFormat::bfloat16}) {
    const LearntShard learnt = learnt_from(learnt_message(learnt_shard({}, 8), wire));
    EXPECT_THAT(learnt.update.slots, IsEmpty());
    EXPECT_EQ(learnt.update.steps.rows(), 0u);
    EXPECT_EQ(learnt.update.steps.width(), 8u);
  }
}

TEST(Messages, StepsOfAnotherSizeAreRefused) {
  for (const auto wire : {WireFormat::float32, WireFormat::bfloat16}) {
    Message message = learnt_message(learnt_shard({{1, 2}, {3, 4}}, 2), wire);
    const Message smaller = learnt_message(learnt_shard({{1, 2}}, 2), wire);
    message.arrays.back() = smaller.arrays.back();
    EXPECT_THROW(learnt_from(message), TransportError);
  }
}

TEST(Messages, AReportArrives) {
  const WorkerReport report = report_from(to_message(WorkerReport{0.5, 1.5, 2.5, 1, std::uint64_t{1} << 40, 3}));
  EXPECT_EQ(report.reconstruct, 0.5);
  EXPECT_EQ(report.optimise, 1.5);
  EXPECT_EQ(report.evaluate, 2.5);
  EXPECT_EQ(report.peak_rss_bytes, 1u);
  EXPECT_EQ(report.bytes_sent, std::uint64_t{1} << 40);
  EXPECT_EQ(report.bytes_received, 3u);
}

TEST(Messages, BlocksArriveWithTheirNumbers) {
  NumberedBlocks sent{{4, 0, 2}, {{own_array<float>("a", {1, 2})}, {}, {own_array<float>("b", {}), Array{}}}};
  const Message message = blocks_message(MessageKind::mapped, std::move(sent));
  EXPECT_EQ(message.kind, MessageKind::mapped);
  const NumberedBlocks blocks = blocks_from(message);
  EXPECT_THAT(blocks.numbers, ElementsAre(4, 0, 2));
  ASSERT_EQ(blocks.blocks.size(), 3u);
  ASSERT_EQ(blocks.blocks[0].size(), 1u);
  EXPECT_THAT(blocks.blocks[0][0].as<float>(), ElementsAre(1, 2));
  EXPECT_THAT(blocks.blocks[1], IsEmpty());
  EXPECT_EQ(blocks.blocks[2].size(), 2u);
  EXPECT_THAT(blocks_from(blocks_message(MessageKind::blocks, {})).blocks, IsEmpty());
}

TEST(Messages, CountsThatDoNotFitTheirArraysAreRefused) {
  const std::vector<Array> two{own_array<float>("a", {1}), own_array<float>("b", {2})};
  const auto blocks = [&](std::vector<std::uint64_t> numbers, std::vector<std::uint64_t> counts) {
    return Message{MessageKind::mapped, encode(BlocksHead{std::move(numbers), std::move(counts)}), two};
  };
  EXPECT_NO_THROW(blocks_from(blocks({0, 1}, {1, 1})));
  EXPECT_THROW(blocks_from(blocks({0}, {3})), TransportError);
  EXPECT_THROW(blocks_from(blocks({0}, {1})), TransportError);
  EXPECT_THROW(blocks_from(blocks({0, 1}, {2})), TransportError);
  EXPECT_THROW(blocks_from(blocks({0, 1, 2}, {3, ~std::uint64_t{0}, 0})), TransportError);

  const Shard shard{2, {0, 1, 1, 4}, {2, 4}, {17, 18}};
  const std::vector<const Shard*> sent{&shard};
  const auto changed = [&](const std::function<void(Message&)>& change) {
    Message message = shards_message(sent);
    change(message);
    return message;
  };
  EXPECT_THROW(shards_from(changed([](Message& m) {
                 m.structure = encode(std::vector<std::uint32_t>{2, 3});
               })),
               TransportError);
  EXPECT_THROW(shards_from(changed([](Message& m) { m.structure = encode(std::vector<std::uint32_t>{}); })),
               TransportError);
  EXPECT_THROW(shards_from(changed([](Message& m) {
                 m.arrays[1] = own_array<std::uint64_t>("ends", {2, 3});
               })),
               TransportError);
  EXPECT_THROW(shards_from(changed([](Message& m) {
                 m.arrays[1] = own_array<std::uint64_t>("ends", {3, 2});
               })),
               TransportError);
  EXPECT_THROW(shards_from(changed([](Message& m) { m.arrays[2].shape[0] = 1; })), TransportError);

  EXPECT_THROW(map_from({MessageKind::map, encode(MapHead{0, "a function of another program"}), {}}), TransportError);
  EXPECT_THROW(learnt_from({MessageKind::learnt, encode(LearntHead{}), {}}), Error);
  Message learnt = learnt_message(learnt_shard({{1, 2}, {3, 4}}, 2), WireFormat::float32);
  learnt.arrays[1].shape[0] = 1;
  EXPECT_THROW(learnt_from(learnt), TransportError);
}

TEST(Messages, AReplicaThatCannotBeIsRefused) {
  for (const auto scheme : kCompressingSchemes) {
    const StoredModel stored = small_model(scheme);
    const auto expect_refused = [&](const char* array, std::uint8_t byte, std::uint64_t less) {
      Message message = replica_message(stored.model);
      for (Array& changed : message.arrays) {
        if (changed.name != array) continue;
        const auto bytes = std::make_shared<std::vector<std::uint8_t>>(changed.bytes(), byte);
        changed.data = bytes->data();
        changed.owner = bytes;
        changed.shape[0] -= less;
      }
      EXPECT_THROW(replica_from(message, stored.settings), StorageError) << array;
    };
    expect_refused("units/attribute", 0xff, 0);
    expect_refused("units/accumulator", 1, 1);
    Message message = replica_message(stored.model);
    message.structure = encode(ReplicaHead{std::string(stored.model.embeddings->scheme()), 0});
    EXPECT_THROW(replica_from(message, stored.settings), StorageError);
  }
}

TEST(Messages, AReplicaOfWhatIsNotCompressedIsRefused) {
  const StoredModel stored = small_model(CompressionScheme::none);
  EXPECT_THROW(replica_from(replica_message(stored.model), stored.settings), StorageError);
}

TEST(Messages, AFunctionArrivesWithWhatAllBlocksShare) {
  const std::vector<Array> shared{own_array<float>("centroids", {1, 2})};
  for (const BlockJob job : {kNearestCentroids, kFitCluster, kRefitCluster}) {
    const Message message = map_message(3, job, shared);
    EXPECT_EQ(map_from(message).set, 3u);
    EXPECT_EQ(map_from(message).job.name, job.name);
    EXPECT_EQ(content_hash(message.arrays), content_hash(shared));
  }
}

TEST(Messages, AFailureArrivesWithWhereItHappened) {
  const Failure plain = failure_from(to_message(Failure{"window 3: no memory", 4, {}}));
  EXPECT_EQ(plain.sentence, "window 3: no memory");
  EXPECT_EQ(plain.status, 4);
  EXPECT_FALSE(plain.not_finite);
  const NotFinite fault(3, std::uint64_t{1} << 35, UnitId{9});
  const Failure numeric = failure_from(to_message(Failure{fault.what(), 1, fault}));
  ASSERT_TRUE(numeric.not_finite);
  EXPECT_EQ(numeric.not_finite->window, 3u);
  EXPECT_EQ(numeric.not_finite->record, std::uint64_t{1} << 35);
  EXPECT_EQ(numeric.not_finite->unit, UnitId{9});
}

}  // namespace
}  // namespace meteor
