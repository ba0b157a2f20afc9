#pragma once

#include <cstdint>
#include <vector>

namespace meteor {

/// The units of one class of one attribute: how many they are, and what each weighs.
struct UnitClass {
  std::uint64_t units = 0;
  double weight = 1;
};

/// What bits are shared out by.
struct CodeStatistics {
  std::size_t dimension = 0;
  std::size_t classes = 0;
  std::vector<std::vector<double>> variances;  ///< of each attribute: of each axis, over rows of length 1
  std::vector<UnitClass> tables;               ///< of each attribute in turn: its classes
};

/// How many bits each component gets.
struct BitAllocation {
  std::size_t components = 0;                   ///< axes up to the last that gets bits
  std::vector<std::vector<std::uint8_t>> bits;  ///< of each table: of each component
  std::uint64_t bytes = 0;                      ///< of the plan and all units
  double loss = 0;                              ///< the share of the units' weighted energy that is expected to be lost
};

/// Bytes that a unit takes besides its code: optimiser, table and scale.
inline constexpr std::uint64_t kBytesBesidesCode = 1 + 1 + 1;

/// The best allocation of at most so many bytes: a multiplier λ prices a bit, each unit's component takes the bits
/// whose benefit exceeds their price by most, if all of them together pay for what the plan says of the component.
/// Frequent units are encoded again and again, and the noise of it adds up: their bits are worth more. Throws
/// UsageError naming the smallest possible budget if this one is too small to keep anything.
BitAllocation allocate_bits(const CodeStatistics& statistics, std::uint64_t budget);

}  // namespace meteor
