#include "compression/spectral/code_pool.h"

#include <algorithm>

namespace meteor {

void CodePool::set(UnitId unit, std::size_t before, std::span<const std::uint8_t> code) {
  std::uint64_t& begin = begins_[index(unit)];
  const bool held = begin != kNowhere;
  if (!held || before != code.size()) {
    if (held) left_[before].push_back(begin);
    used_ += code.size() - (held ? before : 0);
    auto& places = left_[code.size()];
    if (places.empty()) {
      begin = bytes_.size() - kReadPastCode;
      bytes_.resize(bytes_.size() + code.size());
    } else {
      begin = places.back();
      places.pop_back();
    }
  }
  std::copy(code.begin(), code.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace meteor
