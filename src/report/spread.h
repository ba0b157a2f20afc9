#pragma once

#include <cstddef>
#include <span>

namespace meteor {

/// What several seeds gave for one figure.
struct Spread {
  double mean = 0;
  double deviation = 0;  ///< standard deviation with n − 1 below; 0 of a single value
  std::size_t count = 0;
};

/// Of no value, all is 0.
Spread spread_of(std::span<const double> values);

}  // namespace meteor
