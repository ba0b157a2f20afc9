#include "compression/spectral/spectral_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "compression/spectral/quantiser.h"
#include "model/valid_numbers.h"
#include "support/bfloat16.h"
#include "support/octave_grid.h"

namespace meteor {
namespace {

constexpr std::size_t kMostClasses = 12;
constexpr std::size_t kMostTables = 256;

StorageError misfit() { return StorageError("the arrays of the spectral scheme do not fit together"); }

std::size_t packed_row(std::size_t components) { return (components + 1) / 2; }

/// Whether every code of b bits stands for a number that a model may hold, and each such number has a code.
bool codes_numbers(float deviation, std::uint8_t b) {
  const float step = deviation * kLevelSteps[b];
  const float largest = step * octave_value(255) * static_cast<float>(1 << (b - 1));
  return deviation > 0 && std::isfinite(1 / step) && std::isfinite(1 / deviation) && largest <= kLargestNumber;
}

CodeTable make_table(std::span<const std::uint8_t> packed, std::span<const std::uint16_t> deviations) {
  CodeTable table;
  std::size_t bits = 0;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    const std::uint8_t b = (packed[i / 2] >> (4 * (i % 2))) & 15;
    if (b == 0) continue;
    const float deviation = from_bfloat16(deviations[i]);
    if (b > kMostBits || !codes_numbers(deviation, b)) throw StorageError("a component of codes makes no sense");
    table.components.push_back(static_cast<std::uint16_t>(i));
    table.bits.push_back(b);
    bits += b;
  }
  table.bytes = (bits + 7) / 8;
  table.numbers = AlignedRows(CodeTable::number_rows, table.components.size());
  for (std::size_t k = 0; k < table.components.size(); ++k) {
    const float deviation = from_bfloat16(deviations[table.components[k]]);
    const float step = deviation * kLevelSteps[table.bits[k]];
    table.numbers.row(CodeTable::step)[k] = step;
    table.numbers.row(CodeTable::inverse_step)[k] = 1 / step;
    table.numbers.row(CodeTable::highest)[k] = static_cast<float>(1 << (table.bits[k] - 1)) - 0.5F;
    table.numbers.row(CodeTable::inverse_deviation)[k] = 1 / deviation;
  }
  const auto bits_of = [&](std::size_t k) { return k < table.bits.size() ? table.bits[k] : std::uint8_t{0}; };
  for (std::size_t k = 0; k < table.numbers.stride(); k += 4) {
    table.first_bits.push_back(bits_of(k));
    table.first_bits.push_back(bits_of(k + 2));
    const int first = bits_of(k) + bits_of(k + 1);
    const int second = bits_of(k + 2) + bits_of(k + 3);
    table.pairs.push_back({static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(first + second)});
  }
  return table;
}

}  // namespace

std::size_t class_of(std::uint64_t count, std::size_t classes) {
  const auto whole = static_cast<std::size_t>(std::bit_width(std::max<std::uint64_t>(count, 1)) - 1);
  return std::min(whole, classes - 1);
}

std::size_t SpectralPlan::classes_for(std::size_t attributes) {
  if (attributes > kMostTables) throw UsageError("the spectral scheme has room for 256 attributes");
  return std::min(kMostClasses, kMostTables / std::max<std::size_t>(attributes, 1));
}

std::uint64_t SpectralPlan::bytes_for(std::size_t components, std::size_t attributes) {
  return attributes * (components * sizeof(std::uint16_t) + classes_for(attributes) * packed_row(components));
}

SpectralPlan::SpectralPlan(Stored stored) : stored_(std::move(stored)) {
  const std::size_t r = components();
  const std::size_t tables = attributes() * classes();
  if (r > dimension() || stored_.deviations.size() != attributes() * r ||
      stored_.bits.size() != tables * packed_row(r)) {
    throw misfit();
  }
  constexpr std::uint64_t most =
      std::numeric_limits<std::uint32_t>::max();  // windows and units have numbers of 32 bits
  const auto is_deviation = [](std::uint16_t number) {
    return from_bfloat16(number) >= 0 && std::isfinite(from_bfloat16(number));
  };
  if (stored_.windows > most || stored_.units > most || !(stored_.expected_loss >= 0 && stored_.expected_loss <= 1) ||
      !std::all_of(stored_.deviations.begin(), stored_.deviations.end(), is_deviation)) {
    throw StorageError("the plan of the spectral scheme holds numbers that cannot be");
  }
  for (std::size_t t = 0; t < tables; ++t) {
    tables_.push_back(make_table(std::span(stored_.bits).subspan(t * packed_row(r), packed_row(r)),
                                 std::span(stored_.deviations).subspan(t / classes() * r, r)));
  }
}

std::uint8_t SpectralPlan::table_of(AttributeId attribute, std::uint64_t count, std::uint64_t windows) const {
  // Counts grow with time: the classes stay comparable if they are taken for as many windows as the plan saw.
  const std::uint64_t scaled =
      windows > stored_.windows && stored_.windows > 0
          ? static_cast<std::uint64_t>(static_cast<double>(count) * static_cast<double>(stored_.windows) /
                                       static_cast<double>(windows))
          : count;
  return static_cast<std::uint8_t>(index(attribute) * classes() + class_of(scaled, classes()));
}

std::vector<std::size_t> SpectralPlan::bits_by_class(AttributeId attribute) const {
  std::vector<std::size_t> bits;
  for (std::size_t k = 0; k < classes(); ++k) {
    const CodeTable& table = tables_[index(attribute) * classes() + k];
    bits.push_back(std::accumulate(table.bits.begin(), table.bits.end(), std::size_t{0}));
  }
  return bits;
}

std::vector<Array> SpectralPlan::arrays(const std::string& prefix) const {
  std::vector<Array> all;
  all.push_back(own_array(prefix + "deviation", stored_.deviations));
  all.back().shape = {attributes(), components()};
  all.push_back(own_array(prefix + "bits", stored_.bits));
  all.back().shape = {attributes() * classes(), packed_row(components())};
  all.push_back(own_array(prefix + "expected_loss", std::vector<float>{stored_.expected_loss}, Purpose::description));
  all.push_back(own_array(prefix + "fitted_on", std::vector<std::uint64_t>{stored_.windows, stored_.units},
                          Purpose::description));
  return all;
}

SpectralPlan::Stored SpectralPlan::stored_from(const std::string& prefix, std::span<const Array> arrays,
                                               std::size_t dimension) {
  const auto values = [&]<class T>(const char* name, T) {
    const auto all = find_array(arrays, prefix + name).as<T>();
    return std::vector<T>(all.begin(), all.end());
  };
  const Array& deviations = find_array(arrays, prefix + "deviation");
  const auto fitted_on = values("fitted_on", std::uint64_t{});
  const auto loss = values("expected_loss", float{});
  if (deviations.shape.size() != 2 || deviations.shape[0] < 1 || deviations.shape[0] > kMostTables ||
      fitted_on.size() != 2 || loss.size() != 1)
    throw misfit();
  return {static_cast<std::uint32_t>(dimension),
          static_cast<std::uint32_t>(deviations.shape[0]),
          fitted_on[0],
          fitted_on[1],
          loss[0],
          values("deviation", std::uint16_t{}),
          values("bits", std::uint8_t{})};
}

}  // namespace meteor
