#include "report/spread.h"

#include <cmath>

namespace meteor {

Spread spread_of(std::span<const double> values) {
  Spread spread;
  spread.count = values.size();
  if (values.empty()) return spread;
  for (double value : values) spread.mean += value;
  spread.mean /= static_cast<double>(values.size());
  double squares = 0;
  for (double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (values.size() > 1) spread.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return spread;
}

}  // namespace meteor
