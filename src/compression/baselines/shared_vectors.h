#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compression/matrix.h"
#include "model/embeddings.h"

namespace meteor {

/// Which vector of its attribute a unit shares with others.
enum class VectorChoice {
  hashed,  ///< that of its number, modulo how many there are, for ever: the paper's Hash Trick
  nearest  ///< the centroid that it is nearest to, chosen anew whenever the unit is learnt: hard clustering, as in DCN
};

/// Every unit's embedding is one of a fixed number of vectors of its attribute. They move with the units that share
/// them:
///  - hashed: by the mean step of the units that the window holds, each weighing its records, times √n with n =
///  (Σc)²/Σc²:
///    as if shards had learnt one unit, whose AdaGrad would shorten the sum of n steps by √n;
///  - nearest: to the mean of the units, of which those that the window does not hold are at the centroid itself. A
///    centroid that nobody shares goes to the unit that is farthest from its own.
class SharedVectors final : public Embeddings {
 public:
  /// `ends` says where the vectors of each attribute end, which has at least one; `vector_of` which one each unit has.
  SharedVectors(VectorChoice choice, RowMatrix vectors, std::vector<std::uint32_t> ends,
                std::vector<std::uint32_t> vector_of);
  SharedVectors(VectorChoice choice, std::span<const Array> arrays);

  std::string_view scheme() const override { return choice_ == VectorChoice::hashed ? "hashed" : "centroids"; }
  std::size_t units() const override { return vector_of_.size(); }
  void decode(std::span<const UnitId> units, AlignedRows& rows) const override;
  std::optional<AttributeId> coded_as(UnitId unit) const override { return attribute_of(vector_of(unit)); }
  CompressionOutcome absorb(const WindowUpdate& update, const UnitFacts& facts, BlockWorkers& workers) override;
  void follow(std::span<const UnitId> units, std::span<const Array> changes) override;
  /// Hashed units cannot be forgotten: their vectors are told from their numbers.
  bool forget(std::span<const UnitId> units, const UnitFacts& left, BlockWorkers& workers) override;
  std::vector<Array> arrays() const override;
  std::uint64_t bytes() const override;
  double bytes_per_new_unit() const override { return static_cast<double>(choice_bytes()); }
  /// Units that share a centroid start at it: that is where the clustering term of DCN holds them.
  bool pulled_to_start() const override { return choice_ == VectorChoice::nearest; }

  const RowMatrix& vectors() const { return vectors_; }
  std::uint32_t vector_of(UnitId unit) const { return vector_of_[index(unit)]; }
  std::size_t attributes() const { return ends_.size(); }

 private:
  AttributeId attribute_of(std::uint32_t vector) const;
  /// Throws StorageError unless hashed units have the vectors that their numbers say.
  void require_hashed(std::span<const UnitId> units) const;
  std::uint32_t begin_of(std::size_t attribute) const { return attribute == 0 ? 0 : ends_[attribute - 1]; }
  /// Bytes that a unit's choice takes: that of a hash can be told from the unit's number.
  std::size_t choice_bytes() const;
  /// Both return the vectors that moved, ascending.
  std::vector<std::uint32_t> move_hashed(const WindowUpdate& update, std::size_t known);
  std::vector<std::uint32_t> move_nearest(const WindowUpdate& update, std::size_t known, BlockWorkers& workers);

  VectorChoice choice_;
  RowMatrix vectors_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> vector_of_;
};

/// The vector, of those of an attribute from `begin` to `end`, that a unit's number hashes to.
inline std::uint32_t hashed_vector(UnitId unit, std::uint32_t begin, std::uint32_t end) {
  return begin + static_cast<std::uint32_t>(index(unit) % (end - begin));
}

}  // namespace meteor
