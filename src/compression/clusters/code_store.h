#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/settings.h"
#include "model/array.h"
#include "support/ids.h"

namespace meteor {

/// Codes of all units, end to end, as floats or as bytes with a scale a code. A code is kept dense, or as its non-zero
/// values with their places where that is smaller.
class CodeStore {
 public:
  explicit CodeStore(Precision precision = Precision::float32) : precision_(precision) {}

  std::size_t units() const { return entries_.size(); }
  /// New units have an empty code.
  void grow(std::size_t units);

  /// Units after these, which are ascending, move up.
  void forget(std::span<const UnitId> units);

  /// Rounds the code to what its bytes can say, if it is kept in bytes.
  void set(UnitId unit, std::span<const float> code);
  /// Fills `code`, which is as long as the code that was set.
  void get(UnitId unit, std::span<float> code) const;

  /// The bytes of arrays().
  std::uint64_t bytes() const { return pool_.size() - unused_ + (units() + scales_.size()) * sizeof(std::uint16_t); }

  /// `codes/length` (stored values of each unit), `codes/values`, and `codes/places` of the sparse ones, of the given
  /// units in their order, under the given prefix; of bytes also `codes/scale` of each unit. A code whose length is
  /// that of its basis is dense.
  std::vector<Array> arrays(const std::string& prefix, std::span<const UnitId> units) const;
  /// Takes over what arrays() gave for these units; `code_size` gives the full length of each one's code.
  void take_over(const std::string& prefix, std::span<const Array> arrays, std::span<const UnitId> units,
                 std::span<const std::uint32_t> code_size);

 private:
  struct Entry {                   // there is one for every unit: eight bytes instead of sixteen
    std::uint64_t begin : 47 = 0;  // in the pool
    std::uint64_t sparse : 1 = 0;
    std::uint64_t length : 16 = 0;
  };
  std::size_t value_bytes() const { return precision_ == Precision::int8 ? 1 : sizeof(float); }
  std::size_t bytes_of(const Entry& entry) const;
  const std::uint8_t* values_of(const Entry& entry) const { return pool_.data() + entry.begin; }
  std::uint16_t place(const Entry& entry, std::size_t value) const;
  void compact();

  Precision precision_;
  std::vector<Entry> entries_;
  std::vector<std::uint16_t> scales_;  // of codes in bytes, bfloat16
  std::vector<std::uint8_t> pool_;     // of each unit its values and, of a sparse code, their places, 16 bits each
  std::uint64_t unused_ = 0;           // bytes that belong to no entry
};

}  // namespace meteor
