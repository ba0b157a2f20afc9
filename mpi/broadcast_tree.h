#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace meteor {

/// The rank from which a rank other than 0 gets broadcasts: a binomial tree, so that all have them after log2(size)
/// steps.
inline std::uint32_t broadcast_parent(std::uint32_t rank) { return rank & (rank - 1); }

/// The ranks to which a rank passes broadcasts on, those with most ranks behind them first.
inline std::vector<std::uint32_t> broadcast_children(std::uint32_t rank, std::uint32_t size) {
  const std::uint64_t end = rank == 0 ? std::bit_ceil(std::uint64_t{size}) : rank & (~rank + 1);
  std::vector<std::uint32_t> children;
  for (std::uint64_t step = end / 2; step > 0; step /= 2)
    if (rank + step < size) children.push_back(static_cast<std::uint32_t>(rank + step));
  return children;
}

}  // namespace meteor
