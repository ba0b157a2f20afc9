#pragma once

#include "compression/matrix.h"
#include "model/embeddings.h"
#include "model/model.h"

namespace meteor {

/// Every unit's embedding as plain floats: the scheme `none`, and the form in which pretraining works.
class Uncompressed final : public Embeddings {
 public:
  explicit Uncompressed(std::size_t dimension) : dimension_(dimension) {}
  Uncompressed(std::size_t dimension, std::span<const Array> arrays);

  std::string_view scheme() const override { return "none"; }
  std::size_t units() const override { return values_.size() / dimension_; }
  void decode(std::span<const UnitId> units, AlignedRows& rows) const override;
  CompressionOutcome absorb(const WindowUpdate& update, const UnitFacts& facts, BlockWorkers& workers) override;
  /// Everything would have to travel: processes are given the rows of a window instead.
  bool compressed() const override { return false; }
  void follow(std::span<const UnitId> units, std::span<const Array> changes) override;
  bool forget(std::span<const UnitId> units, const UnitFacts& left, BlockWorkers& workers) override;
  AlignedRows turn_axes(const UnitFacts& facts, BlockWorkers& workers) override;
  std::vector<Array> arrays() const override;
  std::uint64_t bytes() const override { return values_.size() * sizeof(float); }
  double bytes_per_new_unit() const override { return static_cast<double>(dimension_ * sizeof(float)); }

  std::size_t dimension() const { return dimension_; }
  std::span<const float> row(UnitId unit) const { return {values_.data() + index(unit) * dimension_, dimension_}; }
  std::span<float> row(UnitId unit) { return {values_.data() + index(unit) * dimension_, dimension_}; }

 private:
  std::size_t dimension_;
  std::vector<float> values_;
};

/// The embeddings of a model that is not compressed.
const Uncompressed& space_of(const Model& model);

/// The rows of some units, in the order asked for.
RowMatrix gather_rows(const Uncompressed& space, std::span<const UnitId> units);

}  // namespace meteor
