#include "mpi/messages.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "compression/schemes.h"
#include "learning/valid_window.h"
#include "mpi/encoding.h"
#include "mpi/structures.h"
#include "storage/model_content.h"
#include "support/bfloat16.h"

namespace meteor {
namespace {

constexpr std::uint64_t kMostDimensions = 65536;

template <class T>
std::vector<T> values_of(std::span<const Array> arrays, std::string_view name) {
  const auto values = find_array(arrays, name).as<T>();
  return {values.begin(), values.end()};
}

template <class Structure>
Message plain(MessageKind kind, const Structure& structure) {
  return {kind, encode(structure), {}};
}

template <class Id>
Array view_ids(std::string name, const std::vector<Id>& ids) {
  static_assert(sizeof(Id) == sizeof(std::uint32_t));
  return {std::move(name), ElementType::u32, {ids.size()}, ids.data()};
}

template <class Id>
Array own_ids(std::string name, std::vector<Id> ids) {
  const auto owner = std::make_shared<const std::vector<Id>>(std::move(ids));
  Array array = view_ids(std::move(name), *owner);
  array.owner = owner;
  return array;
}

template <class Id>
std::vector<Id> ids_of(const Array& array) {
  std::vector<Id> ids;
  for (const auto id : array.as<std::underlying_type_t<Id>>()) ids.push_back(Id{id});
  return ids;
}

/// Rows travel as they lie in memory.
Array view_rows(std::string name, const AlignedRows& rows) {
  return {std::move(name), ElementType::f32, {rows.rows(), rows.stride()}, rows.data()};
}

/// They stay where they arrived, unless that is not theirs, or not as they need it.
AlignedRows rows_from(const Array& array, std::size_t width) {
  const auto values = array.as<float>();
  if (width > kMostDimensions || array.shape.size() != 2 || array.shape[1] != AlignedRows::stride_of(width))
    throw TransportError("rows of another width");
  if (array.owner && reinterpret_cast<std::uintptr_t>(values.data()) % 64 == 0)
    return {array.shape[0], width, const_cast<float*>(values.data()), array.owner};
  AlignedRows rows(array.shape[0], width);
  if (!values.empty()) std::memcpy(rows.data(), values.data(), values.size_bytes());
  return rows;
}

}  // namespace

Message to_message(const Welcome& welcome) { return plain(MessageKind::welcome, welcome); }
Message to_message(const Ready& ready) { return plain(MessageKind::ready, ready); }
Message to_message(const Agreed& agreed) { return plain(MessageKind::agreed, agreed); }
Message to_message(const WorkerReport& report) { return plain(MessageKind::done, report); }
Welcome welcome_from(const Message& message) { return decode<Welcome>(message.structure); }
Ready ready_from(const Message& message) { return decode<Ready>(message.structure); }
Agreed agreed_from(const Message& message) { return decode<Agreed>(message.structure); }
WorkerReport report_from(const Message& message) { return decode<WorkerReport>(message.structure); }

Message replica_message(const Model& model) {
  Message message = plain(MessageKind::replica, ReplicaHead{std::string(model.embeddings->scheme()), model.dimension});
  message.arrays = model.arrays();
  std::erase_if(message.arrays,
                [](const Array& array) { return array.name == "units/count" || array.name == "units/last_window"; });
  return message;
}

Model replica_from(const Message& message, const Settings& settings) {
  const auto head = decode<ReplicaHead>(message.structure);
  return rebuild_replica(settings, {head.scheme, head.dimension, 0}, message.arrays);
}

Message changes_message(const WindowUnits& window, std::span<const Array> changes, bool name_units) {
  Message message{MessageKind::changes, encode(window.window), {changes.begin(), changes.end()}};
  if (name_units) message.arrays.push_back(own_ids("units", window.units));
  return message;
}

std::optional<std::vector<UnitId>> named_units(const Message& message) {
  for (const Array& array : message.arrays) {
    if (array.name == "units") return ids_of<UnitId>(array);
  }
  return std::nullopt;
}

std::uint64_t changed_window(const Message& message) { return decode<std::uint64_t>(message.structure); }

Message window_message(const WindowTask& task, const SlotRows* start) {
  const WindowUnits& units = task.units;
  const Newcomers* const newcomers = task.test != nullptr && task.test->newcomers ? &*task.test->newcomers : nullptr;
  const AlignedRows* const rows = start != nullptr       ? &start->rows
                                  : newcomers != nullptr ? &newcomers->leanings
                                                         : nullptr;
  Message message = plain(MessageKind::window,
                          WindowHead{units.window, task.epochs.first, task.epochs.end, task.test != nullptr,
                                     start != nullptr, newcomers != nullptr, rows != nullptr ? rows->width() : 0});
  message.arrays = {view_ids("units", units.units), view_array<std::uint32_t>("counts", units.counts),
                    view_array<std::uint32_t>("attribute_ends", units.attribute_ends)};
  if (task.test != nullptr) message.arrays.push_back(view_array<std::uint32_t>("seen", task.test->seen));
  if (newcomers != nullptr) {
    message.arrays.push_back(view_array<float>("newcomers/shares", newcomers->shares));
    message.arrays.push_back(view_rows("newcomers/leanings", newcomers->leanings));
  }
  if (start != nullptr) {
    message.arrays.push_back(view_array<std::uint32_t>("start/slots", start->slots));
    message.arrays.push_back(view_array<float>("start/accumulators", start->accumulators));
    message.arrays.push_back(view_rows("start/rows", start->rows));
  }
  return message;
}

WindowNotice window_from(const Message& message) {
  const auto head = decode<WindowHead>(message.structure);
  WindowNotice notice;
  notice.units.window = head.window;
  notice.units.units = ids_of<UnitId>(find_array(message.arrays, "units"));
  notice.units.counts = values_of<std::uint32_t>(message.arrays, "counts");
  notice.units.attribute_ends = values_of<std::uint32_t>(message.arrays, "attribute_ends");
  notice.epochs = {head.first_epoch, head.end_epoch};
  if (head.asks) notice.test = WindowTest{values_of<std::uint32_t>(message.arrays, "seen"), {}};
  if (head.asks && head.tells_of_newcomers) {
    notice.test->newcomers = Newcomers{rows_from(find_array(message.arrays, "newcomers/leanings"), head.dimension),
                                       values_of<float>(message.arrays, "newcomers/shares")};
  }
  if (head.starts_given) {
    notice.start = SlotRows{values_of<std::uint32_t>(message.arrays, "start/slots"),
                            values_of<float>(message.arrays, "start/accumulators"),
                            rows_from(find_array(message.arrays, "start/rows"), head.dimension)};
  }
  return notice;
}

Message shards_message(std::span<const Shard* const> shards) {
  std::vector<std::uint32_t> numbers;
  Message message{MessageKind::shards, {}, {}};
  for (const Shard* shard : shards) {
    numbers.push_back(shard->number);
    message.arrays.push_back(view_array<std::uint32_t>("slots", shard->slots));
    message.arrays.push_back(view_array<std::uint64_t>("ends", shard->ends));
    message.arrays.push_back(view_array<std::uint64_t>("record_numbers", shard->record_numbers));
  }
  message.structure = encode(numbers);
  return message;
}

std::vector<Shard> shards_from(const Message& message) {
  std::vector<Shard> shards;
  const auto numbers = decode<std::vector<std::uint32_t>>(message.structure);
  if (message.arrays.size() != 3 * numbers.size()) throw TransportError("shards that lack some of their arrays");
  for (const std::uint32_t number : numbers) {
    const auto arrays = std::span(message.arrays).subspan(3 * shards.size(), 3);
    shards.push_back({number, values_of<std::uint32_t>(arrays, "slots"), values_of<std::uint64_t>(arrays, "ends"),
                      values_of<std::uint64_t>(arrays, "record_numbers")});
    or_broken([&] { require_valid(shards.back()); });
  }
  return shards;
}

Message learnt_message(LearntShard learnt, WireFormat wire) {
  const auto owner = std::make_shared<const LearntShard>(std::move(learnt));
  const ShardUpdate& update = owner->update;
  const AlignedRows& steps = update.steps;
  Message message = plain(MessageKind::learnt, LearntHead{update.number, update.loss, update.losses, update.unit_steps,
                                                          steps.width(), owner->score});
  message.arrays = {view_array<std::uint32_t>("slots", update.slots),
                    view_array<std::uint32_t>("counts", update.counts), view_array<float>("growths", update.growths),
                    view_array<std::uint32_t>("other_slots", update.other_slots),
                    view_array<std::uint16_t>("other_steps", update.other_steps)};
  if (wire == WireFormat::float32) {
    message.arrays.push_back(view_rows("steps", steps));
  }
  for (Array& array : message.arrays) array.owner = owner;
  if (wire == WireFormat::bfloat16) {
    std::vector<std::uint16_t> halves;
    halves.reserve(steps.rows() * steps.width());
    for (std::size_t i = 0; i < steps.rows(); ++i) {
      for (const float value : steps.row(i)) halves.push_back(bfloat16_of(value));
    }
    message.arrays.push_back(own_array("halved_steps", std::move(halves)));
  }
  return message;
}

LearntShard learnt_from(const Message& message) {
  const auto head = decode<LearntHead>(message.structure);
  LearntShard learnt;
  ShardUpdate& update = learnt.update;
  update.number = head.shard;
  update.slots = values_of<std::uint32_t>(message.arrays, "slots");
  update.counts = values_of<std::uint32_t>(message.arrays, "counts");
  update.growths = values_of<float>(message.arrays, "growths");
  update.other_slots = values_of<std::uint32_t>(message.arrays, "other_slots");
  update.other_steps = values_of<std::uint16_t>(message.arrays, "other_steps");
  if (head.dimension > kMostDimensions || update.counts.size() != update.slots.size() ||
      update.growths.size() != update.slots.size() ||
      update.other_steps.size() != update.other_slots.size() * head.dimension)
    throw TransportError("steps of another size");
  const Array& steps = message.arrays.back();
  if (steps.name == "steps") {
    update.steps = rows_from(steps, head.dimension);
    if (update.steps.rows() != update.slots.size()) throw TransportError("steps of another size");
  } else {
    const auto halves = steps.as<std::uint16_t>();
    if (halves.size() != update.slots.size() * head.dimension) throw TransportError("steps of another size");
    update.steps = AlignedRows(update.slots.size(), head.dimension);
    for (std::size_t i = 0; i < update.steps.rows(); ++i) {
      const auto row = update.steps.row(i);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = from_bfloat16(halves[i * row.size() + k]);
    }
  }
  update.loss = head.loss;
  update.losses = head.losses;
  update.unit_steps = head.unit_steps;
  learnt.score = head.score;
  return learnt;
}

Message blocks_message(MessageKind kind, NumberedBlocks blocks) {
  BlocksHead head{std::move(blocks.numbers), {}};
  Message message{kind, {}, {}};
  for (auto& block : blocks.blocks) {
    head.arrays.push_back(block.size());
    for (Array& array : block) message.arrays.push_back(std::move(array));
  }
  message.structure = encode(head);
  return message;
}

NumberedBlocks blocks_from(Message message) {
  auto head = decode<BlocksHead>(message.structure);
  std::uint64_t left = message.arrays.size();
  for (const std::uint64_t count : head.arrays) {
    if (count > left) throw TransportError("blocks that lack some of their arrays");
    left -= count;
  }
  if (left > 0 || head.arrays.size() != head.numbers.size()) throw TransportError("arrays that belong to no block");
  NumberedBlocks blocks{std::move(head.numbers), {}};
  auto next = message.arrays.begin();
  for (const std::uint64_t count : head.arrays) {
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    blocks.blocks.emplace_back(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
  }
  return blocks;
}

Message hold_message(std::uint64_t kept) { return plain(MessageKind::hold, kept); }
std::uint64_t kept_from(const Message& message) { return decode<std::uint64_t>(message.structure); }

Message map_message(std::uint64_t set, const BlockJob& job, std::span<const Array> shared) {
  return {MessageKind::map, encode(MapHead{set, std::string(job.name)}), {shared.begin(), shared.end()}};
}

MapTask map_from(const Message& message) {
  const auto head = decode<MapHead>(message.structure);
  const BlockJob* const job = block_job_named(head.job);
  if (job == nullptr) throw TransportError("a function that is not known");
  return {head.set, *job};
}

Message to_message(const Failure& failure) {
  FailureHead head{failure.sentence, failure.status, failure.not_finite.has_value(), 0, 0, 0};
  if (failure.not_finite) {
    head.window = failure.not_finite->window;
    head.record = failure.not_finite->record;
    head.unit = static_cast<std::uint32_t>(failure.not_finite->unit);
  }
  return plain(MessageKind::failure, head);
}

Failure failure_from(const Message& message) {
  auto head = decode<FailureHead>(message.structure);
  const auto known = {ExitStatus::usage, ExitStatus::input_unusable, ExitStatus::storage_unusable};
  const auto is_known = [&](ExitStatus status) { return static_cast<int>(status) == head.status; };
  if (std::none_of(known.begin(), known.end(), is_known)) head.status = static_cast<int>(ExitStatus::failed);
  Failure failure{head.sentence, head.status, {}};
  if (head.not_finite) failure.not_finite.emplace(head.window, head.record, UnitId{head.unit});
  return failure;
}

}  // namespace meteor
