#include "compression/baselines/quantised.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compression/gather_rows.h"
#include "model/drop_units.h"
#include "model/valid_numbers.h"
#include "support/finite.h"

namespace meteor {
namespace {

// A range that widens does so by this share of itself beyond what it must hold, so that it does not every window.
constexpr float kRoom = 1.0F / 16;

}  // namespace

Quantised::Quantised(const Uncompressed& space, std::size_t dimension, std::uint32_t bits)
    : dimension_(dimension), bits_(static_cast<std::uint8_t>(bits)) {
  codes_.resize(space.units() * code_bytes());
  if (space.units() == 0) return;
  range_ = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()};
  for (std::uint32_t i = 0; i < space.units(); ++i) {
    if (!all_finite(space.row(UnitId{i}))) throw NumericError(fmt::format("the embedding of unit {} is not finite", i));
    const auto [least, most] = std::ranges::minmax(space.row(UnitId{i}));
    range_ = {std::min(range_.low, least), std::max(range_.high, most)};
  }
  for (std::uint32_t i = 0; i < space.units(); ++i) encode(space.row(UnitId{i}), code(UnitId{i}));
}

Quantised::Quantised(std::size_t dimension, std::span<const Array> arrays) : dimension_(dimension) {
  const auto bits = find_array(arrays, "embeddings/bits").as<std::uint8_t>();
  if (bits.size() != 1 || bits[0] < 1 || bits[0] > kMostBits) {
    throw StorageError("array embeddings/bits is not a number from 1 to 16");
  }
  bits_ = bits[0];
  range_ = range_in(find_array(arrays, "embeddings/range"));
  const auto codes = find_array(arrays, "embeddings/codes").as<std::uint8_t>();
  if (codes.size() % code_bytes() != 0) throw StorageError("array embeddings/codes does not hold whole codes");
  codes_.assign(codes.begin(), codes.end());
}

Quantised::Range Quantised::range_in(const Array& array) {
  const auto range = array.as<float>();
  if (range.size() != 2 || range[0] > range[1]) {
    throw StorageError("array " + array.name + " is not a least and a greatest number");
  }
  require_valid_numbers(range, array.name);
  return {range[0], range[1]};
}

void Quantised::encode(std::span<const float> row, std::span<std::uint8_t> code) const {
  const double per_number = width() > 0 ? 1 / width() : 0;
  const auto last = static_cast<double>(bins() - 1);
  std::fill(code.begin(), code.end(), std::uint8_t{0});
  std::size_t bit = 0;
  for (const float x : row) {
    auto bin = static_cast<std::uint32_t>(std::clamp((double{x} - double{range_.low}) * per_number, 0.0, last));
    for (std::size_t left = bits_; left > 0;) {
      const std::size_t taken = std::min(left, 8 - bit % 8);
      code[bit / 8] |= static_cast<std::uint8_t>((bin & ((1U << taken) - 1)) << bit % 8);
      bin >>= taken;
      bit += taken;
      left -= taken;
    }
  }
}

void Quantised::decode(std::span<const std::uint8_t> code, std::span<float> row) const {
  const double step = width();
  std::size_t bit = 0;
  for (float& x : row) {
    std::uint32_t bin = 0;
    for (std::size_t got = 0; got < bits_;) {
      const std::size_t taken = std::min(bits_ - got, 8 - bit % 8);
      bin |= ((static_cast<std::uint32_t>(code[bit / 8]) >> bit % 8) & ((1U << taken) - 1)) << got;
      bit += taken;
      got += taken;
    }
    x = static_cast<float>(double{range_.low} + (bin + 0.5) * step);
  }
}

void Quantised::decode(std::span<const UnitId> units, AlignedRows& rows) const {
  for (std::size_t i = 0; i < units.size(); ++i) decode(code(units[i]), rows.row(i));
}

void Quantised::change_range(Range range) {
  const Quantised before = *this;
  range_ = range;
  std::vector<float> row(dimension_);
  for (std::uint32_t i = 0; i < units(); ++i) {
    before.decode(before.code(UnitId{i}), row);
    encode(row, code(UnitId{i}));
  }
}

CompressionOutcome Quantised::absorb(const WindowUpdate& update, const UnitFacts& facts, BlockWorkers& /*workers*/) {
  refuse_broken(update.window, update.units, update.rows);
  Range needed = units() > 0 || update.units.empty() ? range_ : Range{update.rows.row(0)[0], update.rows.row(0)[0]};
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    const auto [least, most] = std::ranges::minmax(update.rows.row(i));
    if (least < needed.low) needed.low = least - (needed.high - least) * kRoom;
    if (most > needed.high) needed.high = most + (most - needed.low) * kRoom;
  }
  if (needed != range_) change_range(needed);
  codes_.resize(facts.attributes.size() * code_bytes());

  CompressionOutcome outcome;
  std::vector<std::uint8_t> changed;
  std::vector<float> decoded(dimension_);
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    const auto row = update.rows.row(i);
    const auto place = code(update.units[i]);
    encode(row, place);
    decode(place, decoded);
    for (std::size_t k = 0; k < dimension_; ++k) {
      const double x = row[k];
      outcome.squared_error += (x - double{decoded[k]}) * (x - double{decoded[k]});
      outcome.squared_norm += x * x;
    }
    changed.insert(changed.end(), place.begin(), place.end());
  }
  outcome.changes = {own_array("changed/codes", std::move(changed)),
                     own_array("changed/range", std::vector<float>{range_.low, range_.high})};
  return outcome;
}

void Quantised::follow(std::span<const UnitId> units, std::span<const Array> changes) {
  const Range range = range_in(find_array(changes, "changed/range"));
  const auto codes = find_array(changes, "changed/codes").as<std::uint8_t>();
  if (codes.size() != units.size() * code_bytes()) {
    throw StorageError("array changed/codes does not hold a code for every unit");
  }
  if (range != range_) change_range(range);
  for (const UnitId unit : units) codes_.resize(std::max(codes_.size(), (index(unit) + 1) * code_bytes()));
  for (std::size_t i = 0; i < units.size(); ++i) {
    std::ranges::copy(codes.subspan(i * code_bytes(), code_bytes()), code(units[i]).begin());
  }
}

bool Quantised::forget(std::span<const UnitId> units, const UnitFacts& /*left*/, BlockWorkers& /*workers*/) {
  drop_units(codes_, units, code_bytes());
  return false;
}

std::vector<Array> Quantised::arrays() const {
  Array codes = view_array<std::uint8_t>("embeddings/codes", codes_);
  codes.shape = {units(), code_bytes()};
  return {own_array("embeddings/bits", std::vector<std::uint8_t>{bits_}), std::move(codes),
          own_array("embeddings/range", std::vector<float>{range_.low, range_.high})};
}

}  // namespace meteor
