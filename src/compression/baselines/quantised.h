#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compression/uncompressed/uncompressed.h"
#include "model/embeddings.h"

namespace meteor {

/// Full embeddings whose numbers are rounded to 2^m bins of equal width, the same for all units: the scheme
/// `quantised`, m-bit quantization in the paper. Numbers are packed, m bits each; a number stands for the middle of its
/// bin, so it is wrong by at most half a bin. Where a window brings numbers that are outside of the bins, their range
/// widens and all units are rounded again.
class Quantised final : public Embeddings {
 public:
  static constexpr std::uint32_t kMostBits = 16;

  /// Rounds a whole space; bits from 1 to kMostBits.
  Quantised(const Uncompressed& space, std::size_t dimension, std::uint32_t bits);
  Quantised(std::size_t dimension, std::span<const Array> arrays);

  std::string_view scheme() const override { return "quantised"; }
  std::size_t units() const override { return codes_.size() / code_bytes(); }
  void decode(std::span<const UnitId> units, AlignedRows& rows) const override;
  CompressionOutcome absorb(const WindowUpdate& update, const UnitFacts& facts, BlockWorkers& workers) override;
  void follow(std::span<const UnitId> units, std::span<const Array> changes) override;
  bool forget(std::span<const UnitId> units, const UnitFacts& left, BlockWorkers& workers) override;
  std::vector<Array> arrays() const override;
  std::uint64_t bytes() const override { return codes_.size() + sizeof range_ + sizeof bits_; }
  double bytes_per_new_unit() const override { return static_cast<double>(code_bytes()); }

  /// Of a bin.
  double width() const { return (double{range_.high} - double{range_.low}) / static_cast<double>(bins()); }

 private:
  struct Range {
    float low = 0;
    float high = 0;
    bool operator==(const Range&) const = default;
  };
  static Range range_in(const Array& array);
  std::uint32_t bins() const { return 1U << bits_; }
  std::size_t code_bytes() const { return (dimension_ * bits_ + 7) / 8; }
  std::span<std::uint8_t> code(UnitId unit) {
    return std::span(codes_).subspan(index(unit) * code_bytes(), code_bytes());
  }
  std::span<const std::uint8_t> code(UnitId unit) const {
    return std::span(codes_).subspan(index(unit) * code_bytes(), code_bytes());
  }
  void encode(std::span<const float> row, std::span<std::uint8_t> code) const;
  void decode(std::span<const std::uint8_t> code, std::span<float> row) const;
  /// Rounds all units to the bins of another range.
  void change_range(Range range);

  std::size_t dimension_;
  std::uint8_t bits_;
  Range range_;
  std::vector<std::uint8_t> codes_;  // unit after unit, each a whole number of bytes
};

}  // namespace meteor
