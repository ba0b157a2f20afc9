#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/array.h"
#include "model/block_work.h"
#include "support/aligned_rows.h"
#include "support/ids.h"

namespace meteor {

/// What a window taught: the new embeddings of its units, AdaGrad's accumulator of each as one number, and how many of
/// the window's records held it.
struct WindowUpdate {
  std::uint64_t window = 0;
  std::vector<UnitId> units;
  std::vector<AttributeId> attributes;
  std::vector<float> accumulators;
  std::vector<std::uint32_t> counts;
  std::vector<CategoryKey> categories;
  AlignedRows rows;
  bool followed = true;  ///< by replicas, which want to know what changes
};

/// What came of compressing a window's units.
struct CompressionOutcome {
  double squared_error = 0;  ///< over all of them
  double squared_norm = 0;
  bool refitted = false;  ///< what all units share was fitted anew, and all of them were compressed again
  /// Where the axes of all embeddings were turned: what is in the coordinates from before has to be multiplied by it.
  /// Otherwise empty.
  AlignedRows turn;
  std::vector<Array> changes;  ///< what a replica of the embeddings needs to follow; owned

  /// The share of the energy that was lost, 0 where nothing was compressed.
  double relative_error() const { return squared_norm > 0 ? squared_error / squared_norm : 0; }
};

/// What is known of all units, those of the window that is taken over among them.
struct UnitFacts {
  std::span<const AttributeId> attributes;
  std::span<const std::uint32_t> counts;  ///< records that held each
  std::uint64_t windows = 0;              ///< that have been learnt
};

/// What a scheme has some number of.
struct NamedSize {
  std::string_view name;
  std::uint64_t size;
};

/// The embeddings of all units, in the form that a scheme keeps them.
class Embeddings {
 public:
  virtual ~Embeddings() = default;

  /// As in the setting compression.scheme.
  virtual std::string_view scheme() const = 0;

  /// Replicas can follow what is compressed. Of what is not, other processes are given the rows that they need.
  virtual bool compressed() const { return true; }

  /// Units are 0 to units() − 1.
  virtual std::size_t units() const = 0;

  /// Writes the embedding of each unit to its row.
  virtual void decode(std::span<const UnitId> units, AlignedRows& rows) const = 0;

  /// The attribute whose units are coded as this one is; none where all attributes are coded alike.
  virtual std::optional<AttributeId> coded_as(UnitId /*unit*/) const { return std::nullopt; }

  /// How many windows had been learnt, as far as the embeddings tell, when what all units share was fitted.
  virtual std::uint64_t fitted_after() const { return 0; }

  /// Takes over a window's results. Units that are not yet here are new; the update holds all of them up to the
  /// highest. The result does not depend on who the workers are.
  virtual CompressionOutcome absorb(const WindowUpdate& update, const UnitFacts& facts, BlockWorkers& workers) = 0;

  /// Follows what absorb() did elsewhere to these units. A replica decodes as the original does; it cannot absorb.
  virtual void follow(std::span<const UnitId> units, std::span<const Array> changes) = 0;

  /// Forgets these units, ascending; the others move up to take their numbers and keep to the budget, if there is one.
  /// `left` is what is known of them. Replicas cannot follow: they start anew. True if what all units share was fitted
  /// anew, and all of them were compressed again.
  virtual bool forget(std::span<const UnitId> units, const UnitFacts& left, BlockWorkers& workers) = 0;

  /// Turns embeddings that are not compressed to their principal axes and tells how; compressed ones stay, which is
  /// told by an empty turn. The result does not depend on the workers.
  virtual AlignedRows turn_axes(const UnitFacts& /*facts*/, BlockWorkers& /*workers*/) { return {}; }

  /// Whether a unit is held where a window found it, as the setting compression.pull says.
  virtual bool pulled_to_start() const { return false; }

  /// The content, in an order that depends on nothing else.
  virtual std::vector<Array> arrays() const = 0;

  /// The bytes of those arrays that decoding needs, without making them.
  virtual std::uint64_t bytes() const = 0;

  /// What one more unit would add to the model.
  virtual double bytes_per_new_unit() const = 0;

  /// What was chosen for units of the attributes with these names, in words for a log; empty if there is nothing to
  /// say.
  virtual std::string describe(std::span<const std::string> /*attributes*/) const { return {}; }
  /// What `inspect` tells beside the bytes.
  virtual std::vector<NamedSize> sizes() const { return {}; }
};

}  // namespace meteor
