#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "engine/crew.h"
#include "engine/shard_work.h"
#include "learning/learn.h"
#include "model/block_work.h"
#include "mpi/transport.h"

namespace meteor {

enum class MessageKind : std::uint32_t {
  welcome,  ///< to all: the settings of the run
  ready,    ///< to rank 0: what a worker is
  agreed,   ///< to all: what all ranks have in common
  replica,  ///< to all: a whole model
  changes,  ///< to all: what a window changed in it
  window,   ///< to all: a window to learn; its shards follow
  shards,   ///< to one: those that it works on
  learnt,   ///< to rank 0: what came of one shard
  done,     ///< to rank 0: what all of a rank's shards took
  hold,     ///< to all: blocks of data follow
  blocks,   ///< to one: those that it keeps
  map,      ///< to all: a function to apply to them
  mapped,   ///< to rank 0: its values
  failure,  ///< to rank 0: a worker cannot go on, and why
  stop,     ///< to all: the run is over
};

// What the messages hold. Each struct has a pair of functions that turn it into a message and back. Arrays of messages
// that are made from something look at it, unless they own their values.

struct Welcome {
  std::string version;   ///< of the program: all ranks must run the same
  std::string build;     ///< and the same build of it: results and messages may differ between two
  std::string settings;  ///< as JSON
};
struct Ready {
  std::string version;
  std::string build;
  std::string host;
  std::string instruction_set;
};
struct Agreed {
  std::string instruction_set;  ///< the best one that every rank has
};
Message to_message(const Welcome& welcome);
Message to_message(const Ready& ready);
Message to_message(const Agreed& agreed);
Welcome welcome_from(const Message& message);
Ready ready_from(const Message& message);
Agreed agreed_from(const Message& message);

/// A model to make a replica of, without what a replica does not need.
Message replica_message(const Model& model);
Model replica_from(const Message& message, const Settings& settings);

/// Changes are about all units of a window, in their order. They are named only to workers that have not learnt it.
Message changes_message(const WindowUnits& window, std::span<const Array> changes, bool name_units);
std::uint64_t changed_window(const Message& message);
/// The units, if they are named.
std::optional<std::vector<UnitId>> named_units(const Message& message);

/// A window, without its records.
struct WindowNotice {
  WindowUnits units;
  EpochRange epochs;
  std::optional<SlotRows> start;  ///< where it is not that of the replica
  std::optional<WindowTest> test;
};
Message window_message(const WindowTask& task, const SlotRows* start);
WindowNotice window_from(const Message& message);

Message shards_message(std::span<const Shard* const> shards);
std::vector<Shard> shards_from(const Message& message);

/// Steps travel as the wire format says; they have been rounded to it before.
Message learnt_message(LearntShard learnt, WireFormat wire);
/// The steps stay in the message's memory, which is theirs from then on.
LearntShard learnt_from(const Message& message);

/// What a worker tells of itself when its shards are done.
struct WorkerReport {
  double reconstruct = 0;  ///< seconds in each phase
  double optimise = 0;
  double evaluate = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t bytes_sent = 0;  ///< so far
  std::uint64_t bytes_received = 0;
  bool stop_asked = false;  ///< by a signal
  bool checkpoint_asked = false;
};
Message to_message(const WorkerReport& report);
WorkerReport report_from(const Message& message);

/// Blocks, or what a function gave for them, with their numbers.
struct NumberedBlocks {
  std::vector<std::uint64_t> numbers;
  std::vector<std::vector<Array>> blocks;
};
Message blocks_message(MessageKind kind, NumberedBlocks blocks);
NumberedBlocks blocks_from(Message message);
/// Of the sets of blocks that a worker holds it keeps the first so many; others follow.
Message hold_message(std::uint64_t kept);
std::uint64_t kept_from(const Message& message);
/// A function to apply to the set after the first so many; of those after it nothing more is wanted.
struct MapTask {
  std::uint64_t set = 0;
  const BlockJob& job;
};
Message map_message(std::uint64_t set, const BlockJob& job, std::span<const Array> shared);
MapTask map_from(const Message& message);

/// What does not fit together in a message is a fault of the transport.
template <class Check>
void or_broken(Check check) {
  try {
    check();
  } catch (const StorageError& fault) {
    throw TransportError(fault.what());
  }
}

/// Why a worker cannot go on.
struct Failure {
  std::string sentence;
  int status = 1;
  std::optional<NotFinite> not_finite;
};
Message to_message(const Failure& failure);
/// A status that no failure has becomes that of any.
Failure failure_from(const Message& message);

}  // namespace meteor
