#pragma once

#include <cstddef>
#include <span>

#include "learning/learn.h"
#include "learning/merge.h"
#include "learning/shard.h"
#include "learning/window_start.h"

namespace meteor {

// What holds of every window, shard and update that this program makes. Files and messages may hold anything: whoever
// reads one asks here before it is used. All throw StorageError that says what does not fit.

/// A window's units are grouped by attribute, ascending in each group, and each is in some of its records.
void require_valid(const WindowUnits& units, std::size_t attributes);

/// The units are those of a vocabulary: `attributes` gives the attribute of each.
void require_known(const WindowUnits& units, std::span<const AttributeId> attributes);

/// A step of finite numbers for each of so many slots.
void require_valid(const WindowSteps& steps, std::size_t slots);

/// A row of that dimension for some of the window's slots.
void require_valid(const SlotRows& rows, std::size_t window_slots, std::size_t dimension);

/// Some of so many epochs.
void require_valid(EpochRange epochs, std::uint32_t all);

/// Records end one after the other in the shard's slots. Whether the window has these slots is not known here.
void require_valid(const Shard& shard);
/// Each record holds some of the window's slots, at least two, each once.
void require_records(const Shard& shard, std::size_t window_slots);

/// Has a step of that dimension for each of its slots, which ascend. The only one of a window has all slots.
void require_valid(const ShardUpdate& update, std::size_t window_slots, std::size_t dimension, std::size_t shards);

}  // namespace meteor
