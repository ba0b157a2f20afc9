#include "compression/code_store.h"

#include <algorithm>
#include <cstring>

namespace meteor {
namespace {

constexpr std::uint64_t kWordNumbers = (std::uint64_t{1} << 47) - 1;  // no machine has more

StorageError damaged() { return StorageError("the arrays of codes do not fit together"); }

}  // namespace

std::size_t CodeStore::bytes_of(const Entry& entry) {
  return entry.length * (entry.sparse ? sizeof(float) + sizeof(std::uint16_t) : sizeof(float));
}

std::size_t CodeStore::words(const Entry& entry) {
  return entry.sparse ? entry.length + (entry.length + std::size_t{1}) / 2 : entry.length;
}

void CodeStore::set(UnitId unit, std::span<const float> code) {
  Entry& entry = entries_[index(unit)];
  const std::size_t held = words(entry);
  const auto filled = static_cast<std::size_t>(std::count_if(code.begin(), code.end(), [](float x) { return x != 0; }));
  const bool sparse = filled + (filled + 1) / 2 < code.size();
  Entry next = entry;
  next.sparse = sparse;
  next.length = static_cast<std::uint16_t>(sparse ? filled : code.size());
  bytes_ += bytes_of(next) - bytes_of(entry);
  entry = next;
  if (words(next) <= held) {
    unused_ += held - words(next);
  } else {
    unused_ += held;
    entry.begin = words_.size() & kWordNumbers;
    words_.resize(words_.size() + words(next));
  }
  std::uint32_t* out = words_.data() + entry.begin;
  if (!sparse) {
    std::memcpy(out, code.data(), code.size_bytes());
  } else {
    std::uint32_t* places = out + filled;
    std::fill(places, places + (filled + 1) / 2, 0);
    std::size_t k = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i] == 0) continue;
      std::memcpy(out + k, &code[i], sizeof(float));
      places[k / 2] |= static_cast<std::uint32_t>(i) << (16 * (k % 2));
      ++k;
    }
  }
  if (unused_ > 4096 && unused_ * 8 > words_.size()) compact();
}

void CodeStore::get(UnitId unit, std::span<float> code) const {
  const Entry& entry = entries_[index(unit)];
  const std::uint32_t* in = words_.data() + entry.begin;
  if (!entry.sparse) {
    std::memcpy(code.data(), in, entry.length * sizeof(float));
    return;
  }
  std::fill(code.begin(), code.end(), 0.0F);
  for (std::size_t k = 0; k < entry.length; ++k) {
    const std::uint32_t place = (in[entry.length + k / 2] >> (16 * (k % 2))) & 0xffff;
    std::memcpy(&code[place], in + k, sizeof(float));
  }
}

void CodeStore::compact() {
  std::vector<std::uint32_t> packed;
  packed.reserve(words_.size() - unused_);
  for (Entry& entry : entries_) {
    const auto from = words_.begin() + static_cast<std::ptrdiff_t>(entry.begin);
    entry.begin = packed.size() & kWordNumbers;
    packed.insert(packed.end(), from, from + static_cast<std::ptrdiff_t>(words(entry)));
  }
  words_ = std::move(packed);
  unused_ = 0;
}

std::vector<Array> CodeStore::arrays(const std::string& prefix, std::span<const UnitId> units) const {
  std::vector<std::uint16_t> lengths;
  std::vector<float> values;
  std::vector<std::uint16_t> places;
  lengths.reserve(units.size());
  for (UnitId unit : units) {
    const Entry& entry = entries_[index(unit)];
    lengths.push_back(entry.length);
    const std::uint32_t* in = words_.data() + entry.begin;
    const std::size_t first = values.size();
    values.resize(first + entry.length);
    if (entry.length > 0) std::memcpy(values.data() + first, in, entry.length * sizeof(float));
    for (std::size_t k = 0; entry.sparse && k < entry.length; ++k) {
      places.push_back(static_cast<std::uint16_t>(in[entry.length + k / 2] >> (16 * (k % 2))));
    }
  }
  return {own_array(prefix + "codes/length", std::move(lengths)), own_array(prefix + "codes/values", std::move(values)),
          own_array(prefix + "codes/places", std::move(places))};
}

void CodeStore::take_over(const std::string& prefix, std::span<const Array> arrays, std::span<const UnitId> units,
                          std::span<const std::uint32_t> code_size) {
  const auto lengths = find_array(arrays, prefix + "codes/length").as<std::uint16_t>();
  const auto values = find_array(arrays, prefix + "codes/values").as<float>();
  const auto places = find_array(arrays, prefix + "codes/places").as<std::uint16_t>();
  if (lengths.size() != units.size() || code_size.size() != units.size()) throw damaged();
  words_.reserve(words_.size() + values.size() + (places.size() + lengths.size()) / 2);
  std::size_t value = 0;
  std::size_t place = 0;
  std::vector<float> code;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::size_t length = lengths[i];
    const bool sparse = length < code_size[i];
    if (length > code_size[i] || value + length > values.size() || (sparse && place + length > places.size()))
      throw damaged();
    code.assign(code_size[i], 0.0F);
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t at = sparse ? places[place++] : k;
      if (at >= code.size()) throw damaged();
      code[at] = values[value++];
    }
    set(units[i], code);
  }
  if (value != values.size() || place != places.size()) throw damaged();
}

}  // namespace meteor
