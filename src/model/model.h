#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/embeddings.h"

namespace meteor {

/// What a run has learnt, besides the units' names: everything that a process needs to learn the next window.
struct Model {
  std::uint32_t dimension = 0;
  std::uint64_t windows = 0;                ///< how many have been learnt
  std::vector<AttributeId> attributes;      ///< of each unit
  std::vector<std::uint8_t> accumulators;   ///< AdaGrad's state of each unit, see accumulators.h
  std::vector<std::uint32_t> counts;        ///< records that held the unit, at most 2³² − 1
  std::vector<std::uint32_t> last_windows;  ///< the last window that held the unit
  std::unique_ptr<Embeddings> embeddings;

  std::size_t units() const { return attributes.size(); }

  UnitFacts facts() const { return {attributes, counts, windows}; }

  /// Takes over a window's results. The outcome's changes are what follow() takes.
  CompressionOutcome absorb(const WindowUpdate& update, BlockWorkers& workers);

  /// Follows what absorb() did to these units of the model that this one is a replica of. A replica has no counts and
  /// last windows. Throws StorageError when the changes do not fit the model.
  void follow(std::span<const UnitId> units, std::span<const Array> changes);

  /// Forgets these units, ascending; the others move up to take their numbers. Replicas have to start anew.
  /// True if the embeddings were fitted anew.
  bool forget(std::span<const UnitId> units, BlockWorkers& workers);

  /// The whole content; names of units are not in it.
  std::vector<Array> arrays() const;

  /// Bytes that a deployed model needs.
  std::uint64_t bytes() const { return embeddings->bytes() + accumulators.size(); }
  /// Bytes of the same units as plain float embeddings.
  std::uint64_t full_bytes() const { return std::uint64_t{4} * dimension * units(); }
  double bytes_per_new_unit() const { return embeddings->bytes_per_new_unit() + 1; }
};

}  // namespace meteor
