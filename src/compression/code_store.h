#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/array.h"
#include "support/ids.h"

namespace meteor {

/// Codes of all units, end to end. A code is kept dense, or as its non-zero values with their places where that is
/// smaller.
class CodeStore {
 public:
  std::size_t units() const { return entries_.size(); }
  /// New units have an empty code.
  void grow(std::size_t units) { entries_.resize(units); }

  void set(UnitId unit, std::span<const float> code);
  /// Fills `code`, which is as long as the code that was set.
  void get(UnitId unit, std::span<float> code) const;

  /// The bytes of arrays().
  std::uint64_t bytes() const { return bytes_ + units() * sizeof(std::uint16_t); }

  /// `codes/length` (stored values of each unit), `codes/values`, and `codes/places` of the sparse ones, of the given
  /// units in their order, under the given prefix. A code whose length is that of its basis is dense.
  std::vector<Array> arrays(const std::string& prefix, std::span<const UnitId> units) const;
  /// Takes over what arrays() gave for these units; `code_size` gives the full length of each one's code.
  void take_over(const std::string& prefix, std::span<const Array> arrays, std::span<const UnitId> units,
                 std::span<const std::uint32_t> code_size);

 private:
  struct Entry {                   // there is one for every unit: eight bytes instead of sixteen
    std::uint64_t begin : 47 = 0;  // in words
    std::uint64_t sparse : 1 = 0;
    std::uint64_t length : 16 = 0;
  };
  static std::size_t words(const Entry& entry);
  static std::size_t bytes_of(const Entry& entry);
  void compact();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> words_;  // values, each 32 bits; of a sparse code, then its places, two in a word
  std::uint64_t unused_ = 0;          // words that belong to no entry
  std::uint64_t bytes_ = 0;           // of values and places
};

}  // namespace meteor
