#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <map>

#include "compression/clusters/fit_clusters.h"
#include "config/load_settings.h"
#include "fixtures/schemes.h"
#include "fixtures/small_models.h"
#include "fuzz/edits.h"
#include "fuzz/entries.h"
#include "fuzz/small_scene.h"
#include "learning/valid_window.h"
#include "model/unit_blocks.h"
#include "mpi/encoding.h"
#include "mpi/messages.h"
#include "storage/model_content.h"
#include "storage/run_state_json.h"
#include "support/finite.h"

namespace meteor::fuzz {
namespace {

/// A file in memory whose content changes from input to input.
std::filesystem::path file_of(std::string_view content) {
  static const int memory = ::memfd_create("settings", MFD_CLOEXEC);
  require(::ftruncate(memory, 0) == 0);
  require(::pwrite(memory, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
  return "/proc/self/fd/" + std::to_string(memory);
}

void check_settings(const Settings& settings) {
  const auto written = settings_json(settings);
  require(settings_json(settings_from_json(written, "again")) == written);
}

/// A model of each scheme, and one whose codes are bytes.
const StoredModel& model_of(std::size_t choice) {
  static std::map<std::size_t, StoredModel> models;
  choice %= kSchemes.size() + 1;
  const auto found = models.find(choice);
  if (found != models.end()) return found->second;
  return models
      .emplace(choice, choice < kSchemes.size() ? small_model(kSchemes[choice], kUnits, kDimension)
                                                : small_model_in_bytes(kUnits, kDimension))
      .first->second;
}

/// What learning and every command do with a model.
void use(const Model& model) {
  AlignedRows rows(model.units(), model.dimension);
  model.embeddings->decode(first_units(model.units()), rows);
  for (std::size_t i = 0; i < rows.rows(); ++i) require(all_finite(rows.row(i)));
  require(decoding_bytes(model.embeddings->arrays()) == model.embeddings->bytes());
}

struct Followed {
  std::vector<UnitId> units;
  std::vector<Array> changes;
};

const Followed& changes_of(std::size_t scheme) {
  static std::map<std::size_t, Followed> all;
  const auto found = all.find(scheme);
  if (found != all.end()) return found->second;
  StoredModel stored = small_model(kCompressingSchemes[scheme], kUnits, kDimension);
  const WindowUpdate update = window_update(stored.model, kUnits + 4);
  return all.emplace(scheme, Followed{update.units, stored.model.absorb(update, this_thread()).changes}).first->second;
}

void replicate(Edits& edits) {
  const std::size_t scheme = edits.next<std::uint8_t>() % kCompressingSchemes.size();
  const bool whole = edits.next<std::uint8_t>() % 2 == 0;
  const auto place = std::ranges::find(kSchemes, kCompressingSchemes[scheme]);
  const StoredModel& stored = model_of(static_cast<std::size_t>(place - kSchemes.begin()));
  Message message = replica_message(stored.model);
  for (int i = 0; whole && edits.any() && i < 4; ++i) {
    edits.next<std::uint8_t>() % 8 == 0 ? edits.apply(message.structure) : edits.apply(message.arrays);
  }
  Model replica = replica_from(message, stored.settings);
  use(replica);
  if (whole) return;
  const Followed& followed = changes_of(scheme);
  std::vector<Array> changes = followed.changes;
  std::vector<UnitId> units = followed.units;
  while (edits.any()) {
    if (edits.next<std::uint8_t>() % 8 != 0) {
      edits.apply(changes);
    } else {
      units[edits.next<std::uint8_t>() % units.size()] = UnitId{edits.next<std::uint32_t>()};
    }
  }
  follow_changes(replica, stored.settings, units, changes);
  AlignedRows rows(replica.units(), kDimension);
  replica.embeddings->decode(first_units(replica.units()), rows);
}

/// One message of every other kind, all of which hold something.
std::vector<Message> messages() {
  static const WindowUnits units{7, {UnitId{3}, UnitId{9}, UnitId{12}}, {1, 2, 3}, {1, 3}};
  static SlotRows start{{0, 2}, {0.5F, 1}, AlignedRows(2, kDimension)};
  static const WindowTest test{{1, 2, 3}, Newcomers{AlignedRows(2, kDimension), {0.5F, 0}}};
  static const Shard shard{2, {0, 1, 1, 2}, {2, 4}, {17, 18}};
  static const std::vector<const Shard*> shards{&shard, &shard};
  const auto learnt = [] {
    LearntShard shard_learnt;
    ShardUpdate& update = shard_learnt.update;
    update.slots = {0, 2};
    update.counts = {1, 1};
    update.growths = {0.5F, 1};
    update.steps = AlignedRows(2, kDimension);
    update.other_slots = {1};
    update.other_steps.resize(kDimension);
    return shard_learnt;
  };
  return {
      window_message({.units = units, .shards = {}, .epochs = {0, 2}, .test = &test}, &start),
      shards_message(shards),
      learnt_message(learnt(), WireFormat::float32),
      learnt_message(learnt(), WireFormat::bfloat16),
      blocks_message(MessageKind::mapped, {{4, 0}, {{own_array<float>("a", {1, 2})}, {own_array<float>("b", {3})}}}),
      map_message(1, kFitCluster, {}),
      to_message(Welcome{"1", "b", "{}"}),
      to_message(Ready{"1", "b", "host", "avx2"}),
      to_message(WorkerReport{}),
      to_message(Failure{"a sentence", 3, NotFinite(1, 2, UnitId{3})})};
}

void decode_message(const Message& message) {
  switch (message.kind) {
    case MessageKind::window: {
      const WindowNotice notice = window_from(message);
      require_valid(notice.units, 2);
      require_valid(notice.epochs, 3);
      if (notice.start) {
        require_valid(*notice.start, notice.units.size(), kDimension);
        const GivenStart given(notice.units, *notice.start, kDimension, 1);
        for_each_start(notice.units, given, 1, [](std::span<const std::uint32_t>, const AlignedRows&) {});
      }
      if (notice.test && notice.test->newcomers) require_valid(*notice.test->newcomers, 2, kDimension);
      break;
    }
    case MessageKind::shards:
      for (const Shard& shard : shards_from(message)) {
        require_records(shard, 3);
        for (std::size_t i = 0; i < shard.records(); ++i) require(shard.record(i).size() <= shard.slots.size());
      }
      break;
    case MessageKind::learnt: {
      ShardUpdate update = learnt_from(message).update;
      require_valid(update, 3, kDimension, 2);
      update.number = 0;
      ShardMerge merge(3, kDimension, 2, 0.5);
      merge.add(std::move(update));
      break;
    }
    case MessageKind::mapped:
      blocks_from(message);
      break;
    case MessageKind::map:
      map_from(message);
      break;
    case MessageKind::welcome:
      welcome_from(message);
      break;
    case MessageKind::ready:
      ready_from(message);
      break;
    case MessageKind::done:
      report_from(message);
      break;
    default:
      failure_from(message);
  }
}

}  // namespace

void read_settings(std::string_view input) {
  if (input.empty()) return;
  const bool as_json = input.front() % 2 == 0;
  input.remove_prefix(1);
  try {
    check_settings(as_json ? settings_from_json(parse_stored_json(input, "it"), "it") : load_settings(file_of(input)));
  } catch (const Error&) {  // it was refused in words
  }
}

void read_messages(std::string_view input) {
  Edits edits(input);
  const auto choice = edits.next<std::uint8_t>();
  try {
    if (choice % 2 == 0) return replicate(edits);
    static const std::vector<Message> all = messages();
    Message message = all[choice / 2 % all.size()];
    while (edits.any()) {
      edits.next<std::uint8_t>() % 2 == 0 ? edits.apply(message.structure) : edits.apply(message.arrays);
    }
    decode_message(message);
  } catch (const Error&) {  // it was refused in words
  }
}

void rebuild_content(std::string_view input) {
  Edits edits(input);
  const StoredModel& stored = model_of(edits.next<std::uint8_t>());
  ModelHead head{std::string(stored.model.embeddings->scheme()), kDimension, stored.model.windows};
  std::vector<Array> arrays = model_content(stored.vocabulary, stored.model);
  while (edits.any()) {
    const auto what = edits.next<std::uint8_t>() % 16;
    if (what == 0) head.dimension = edits.next<std::uint64_t>();
    if (what == 1) head.windows = edits.next<std::uint64_t>();
    if (what == 2) head.scheme = model_of(edits.next<std::uint8_t>()).model.embeddings->scheme();
    if (what > 2) edits.apply(arrays);
  }
  try {
    const StoredModel rebuilt = rebuild_model({"", stored.settings, head, std::move(arrays)});
    require(rebuilt.vocabulary.size() == rebuilt.model.units());
    use(rebuilt.model);
  } catch (const StorageError&) {  // it was refused in words
  }
}

}  // namespace meteor::fuzz
