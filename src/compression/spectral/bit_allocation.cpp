#include "compression/spectral/bit_allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compression/spectral/quantiser.h"
#include "compression/spectral/spectral_plan.h"
#include "support/error.h"

namespace meteor {
namespace {

/// A unit of class k is encoded some 2^k times, and each time adds to the noise.
constexpr double kNoisePerEncoding = 0.4;
constexpr int kBisections = 60;

struct Choice {
  std::uint8_t bits = 0;
  double gain = 0;  // benefit less price
};

/// The best number of bits for one number of this variance and weight.
Choice best_bits(double worth, double noise, double price) {
  Choice best;
  for (std::size_t b = 1; b <= kMostBits; ++b) {
    const double gain = worth * (1 - kLevelErrors[b] * noise) - price * static_cast<double>(b);
    if (gain > best.gain) best = {static_cast<std::uint8_t>(b), gain};
  }
  return best;
}

double noise_of_class(std::size_t k) { return 1 + kNoisePerEncoding * (std::ldexp(1.0, static_cast<int>(k)) - 1); }

BitAllocation allocate_at(const CodeStatistics& statistics, double price) {
  const std::size_t attributes = statistics.variances.size();
  const std::size_t tables = statistics.tables.size();
  BitAllocation result;
  result.bits.resize(tables);
  const double component_price = 8 * price * static_cast<double>(SpectralPlan::bytes_for(2, attributes)) / 2;
  double energy = 0;
  double kept = 0;
  for (std::size_t i = 0; i < statistics.dimension; ++i) {
    double gain = -component_price;
    double held = 0;
    std::vector<std::uint8_t> bits(tables);
    for (std::size_t t = 0; t < tables; ++t) {
      const UnitClass& members = statistics.tables[t];
      const double worth = members.weight * statistics.variances[t / statistics.classes][i];
      const double noise = noise_of_class(t % statistics.classes);
      const Choice choice = best_bits(worth, noise, price);
      bits[t] = choice.bits;
      gain += static_cast<double>(members.units) * choice.gain;
      const double all = static_cast<double>(members.units) * worth;
      energy += all;
      if (choice.bits > 0) held += all * (1 - kLevelErrors[choice.bits]);
    }
    if (gain <= 0) continue;
    kept += held;
    result.components = i + 1;
    for (std::size_t t = 0; t < tables; ++t) {
      result.bits[t].resize(i);  // those before that did not pay have none
      result.bits[t].push_back(bits[t]);
    }
  }
  result.bytes = SpectralPlan::bytes_for(result.components, attributes);
  for (std::size_t t = 0; t < tables; ++t) {
    std::uint64_t bits = 0;
    for (const std::uint8_t b : result.bits[t]) bits += b;
    result.bytes += statistics.tables[t].units * (kBytesBesidesCode + (bits + 7) / 8);
  }
  result.loss = energy > 0 ? 1 - kept / energy : 0;
  return result;
}

}  // namespace

BitAllocation allocate_bits(const CodeStatistics& statistics, std::uint64_t budget) {
  double most = 0;  // the price at which nothing is worth a bit
  for (std::size_t t = 0; t < statistics.tables.size(); ++t) {
    const auto& variances = statistics.variances[t / statistics.classes];
    for (const double variance : variances) most = std::max(most, statistics.tables[t].weight * variance);
  }
  double low = std::log(most) - 60;  // of ln λ: everything is kept
  double high = std::log(most);
  BitAllocation cheapest = allocate_at(statistics, std::exp(low));  // the smallest that holds something
  std::optional<BitAllocation> best;
  if (cheapest.bytes <= budget) best = cheapest;
  for (int i = 0; i < kBisections && !(best && i == 0); ++i) {
    const double middle = (low + high) / 2;
    BitAllocation tried = allocate_at(statistics, std::exp(middle));
    const bool empty = tried.components == 0;
    if (!empty && tried.bytes < cheapest.bytes) cheapest = tried;
    if (empty || tried.bytes <= budget) {
      high = middle;
      if (!empty) best = std::move(tried);
    } else {
      low = middle;
    }
  }
  if (!best) {
    throw UsageError(fmt::format("compression.budget of {} bytes is too small for these units: at least {} are needed",
                                 budget, cheapest.bytes));
  }
  return *best;
}

}  // namespace meteor
