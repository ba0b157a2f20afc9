#include "compression/clusters/code_store.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "compression/clusters/scaled_bytes.h"
#include "model/drop_units.h"
#include "support/bfloat16.h"
#include "support/finite.h"

namespace meteor {
namespace {

constexpr std::uint64_t kPlacesInPool = (std::uint64_t{1} << 47) - 1;  // no machine has more
constexpr std::uint64_t kWorthCompacting = 16384;

StorageError damaged() { return StorageError("the arrays of codes do not fit together"); }

/// Whether the filled values and their places take less room than all values.
bool smaller_sparse(std::size_t filled, std::size_t size, Precision precision) {
  if (precision == Precision::int8) return 3 * filled < size;
  return filled + (filled + 1) / 2 < size;  // in words of four bytes
}

}  // namespace

std::size_t CodeStore::bytes_of(const Entry& entry) const {
  return entry.length * (value_bytes() + (entry.sparse ? sizeof(std::uint16_t) : 0));
}

void CodeStore::grow(std::size_t units) {
  entries_.resize(units);
  if (precision_ == Precision::int8) scales_.resize(units);
}

void CodeStore::forget(std::span<const UnitId> units) {
  for (const UnitId unit : units) unused_ += bytes_of(entries_[index(unit)]);
  drop_units(entries_, units);
  if (precision_ == Precision::int8) drop_units(scales_, units);
  compact();
}

void CodeStore::set(UnitId unit, std::span<const float> code) {
  std::vector<std::uint8_t> bytes(code.size() * value_bytes());
  if (precision_ == Precision::int8) {
    scales_[index(unit)] = byte_scale(code);
    write_bytes(code, scales_[index(unit)], bytes);
  } else if (!code.empty()) {
    std::memcpy(bytes.data(), code.data(), bytes.size());
  }
  std::vector<std::uint16_t> filled;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool zero = precision_ == Precision::int8 ? bytes[i] == 0 : code[i] == 0;
    if (!zero) filled.push_back(static_cast<std::uint16_t>(i));
  }

  Entry& entry = entries_[index(unit)];
  const std::size_t held = bytes_of(entry);
  entry.sparse = smaller_sparse(filled.size(), code.size(), precision_);
  entry.length = static_cast<std::uint16_t>(entry.sparse ? filled.size() : code.size());
  const std::size_t needed = bytes_of(entry);
  unused_ += held;
  if (needed > held) {
    entry.begin = pool_.size() & kPlacesInPool;
    pool_.resize(pool_.size() + needed);
  } else {
    unused_ -= needed;
  }
  std::uint8_t* out = pool_.data() + entry.begin;
  if (!entry.sparse) {
    std::copy(bytes.begin(), bytes.end(), out);
  } else if (!filled.empty()) {
    for (const std::uint16_t place : filled)
      out = std::copy_n(bytes.data() + place * value_bytes(), value_bytes(), out);
    std::memcpy(out, filled.data(), filled.size() * sizeof(std::uint16_t));
  }
  if (unused_ > kWorthCompacting && unused_ * 8 > pool_.size()) compact();
}

std::uint16_t CodeStore::place(const Entry& entry, std::size_t value) const {
  std::uint16_t place = 0;
  std::memcpy(&place, values_of(entry) + entry.length * value_bytes() + value * sizeof place, sizeof place);
  return place;
}

void CodeStore::get(UnitId unit, std::span<float> code) const {
  const Entry& entry = entries_[index(unit)];
  const auto stored = code.first(entry.length);
  if (precision_ == Precision::int8) {
    read_bytes({values_of(entry), entry.length}, scales_[index(unit)], stored);
  } else if (!stored.empty()) {
    std::memcpy(stored.data(), values_of(entry), stored.size_bytes());
  }
  if (!entry.sparse) return;
  std::fill(code.begin() + static_cast<std::ptrdiff_t>(stored.size()), code.end(), 0.0F);
  for (std::size_t k = stored.size(); k-- > 0;) {  // values move up only, so none is overwritten before it has moved
    const float value = std::exchange(code[k], 0.0F);
    code[place(entry, k)] = value;
  }
}

void CodeStore::compact() {
  std::vector<std::uint8_t> packed;
  packed.reserve(pool_.size() - unused_);
  for (Entry& entry : entries_) {
    const auto from = pool_.begin() + static_cast<std::ptrdiff_t>(entry.begin);
    entry.begin = packed.size() & kPlacesInPool;
    packed.insert(packed.end(), from, from + static_cast<std::ptrdiff_t>(bytes_of(entry)));
  }
  pool_ = std::move(packed);
  unused_ = 0;
}

std::vector<Array> CodeStore::arrays(const std::string& prefix, std::span<const UnitId> units) const {
  std::vector<std::uint16_t> lengths;
  std::vector<std::uint16_t> scales;
  std::vector<std::uint8_t> bytes;
  std::vector<float> values;
  std::vector<std::uint16_t> places;
  lengths.reserve(units.size());
  for (UnitId unit : units) {
    const Entry& entry = entries_[index(unit)];
    lengths.push_back(entry.length);
    const std::uint8_t* in = values_of(entry);
    if (precision_ == Precision::int8) {
      scales.push_back(scales_[index(unit)]);
      bytes.insert(bytes.end(), in, in + entry.length);
    } else {
      const std::size_t first = values.size();
      values.resize(first + entry.length);
      if (entry.length > 0) std::memcpy(values.data() + first, in, entry.length * sizeof(float));
    }
    for (std::size_t k = 0; entry.sparse && k < entry.length; ++k) places.push_back(place(entry, k));
  }
  std::vector<Array> all{own_array(prefix + "codes/length", std::move(lengths))};
  if (precision_ == Precision::int8) {
    all.push_back(own_array(prefix + "codes/scale", std::move(scales)));
    all.push_back(own_array(prefix + "codes/values", std::move(bytes)));
  } else {
    all.push_back(own_array(prefix + "codes/values", std::move(values)));
  }
  all.push_back(own_array(prefix + "codes/places", std::move(places)));
  return all;
}

void CodeStore::take_over(const std::string& prefix, std::span<const Array> arrays, std::span<const UnitId> units,
                          std::span<const std::uint32_t> code_size) {
  const bool in_bytes = precision_ == Precision::int8;
  const auto lengths = find_array(arrays, prefix + "codes/length").as<std::uint16_t>();
  const Array& stored = find_array(arrays, prefix + "codes/values");
  const auto bytes = in_bytes ? stored.as<std::uint8_t>() : std::span<const std::uint8_t>{};
  const auto floats = in_bytes ? std::span<const float>{} : stored.as<float>();
  const auto scales =
      in_bytes ? find_array(arrays, prefix + "codes/scale").as<std::uint16_t>() : std::span<const std::uint16_t>{};
  const auto places = find_array(arrays, prefix + "codes/places").as<std::uint16_t>();
  if (lengths.size() != units.size() || code_size.size() != units.size()) throw damaged();
  if (in_bytes && scales.size() != units.size()) throw damaged();
  pool_.reserve(pool_.size() + stored.bytes() + places.size_bytes());
  const std::uint64_t total = stored.elements();
  std::size_t value = 0;
  std::size_t place = 0;
  std::vector<float> values;
  std::vector<float> code;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::size_t length = lengths[i];
    const bool sparse = length < code_size[i];
    if (length > code_size[i] || value + length > total || (sparse && place + length > places.size())) throw damaged();
    values.resize(length);
    if (in_bytes) {
      if (!std::isfinite(from_bfloat16(scales[i]))) throw damaged();
      read_bytes(bytes.subspan(value, length), scales[i], values);
    } else {
      if (!all_finite(floats.subspan(value, length))) throw damaged();
      std::copy_n(floats.begin() + static_cast<std::ptrdiff_t>(value), length, values.begin());
    }
    value += length;
    code.assign(code_size[i], 0.0F);
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t at = sparse ? places[place++] : k;
      if (at >= code.size()) throw damaged();
      code[at] = values[k];
    }
    set(units[i], code);
  }
  if (value != total || place != places.size()) throw damaged();
}

}  // namespace meteor
