#include "compression/spectral/code_difference.h"

#include <algorithm>
#include <bit>

#include "support/error.h"

namespace meteor {
namespace {

constexpr std::size_t kTogether = 8;  // bytes that share a byte of bits

}  // namespace

void append_difference(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after,
                       std::vector<std::uint8_t>& differences) {
  const std::size_t start = differences.size();
  differences.resize(start + after.size() + (after.size() + kTogether - 1) / kTogether);
  std::uint8_t* out = differences.data() + start;
  for (std::size_t begin = 0; begin < after.size(); begin += kTogether) {
    const std::size_t count = std::min(kTogether, after.size() - begin);
    std::uint8_t* const place = out++;
    unsigned bits = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t byte = after[begin + i];
      const unsigned differs = before[begin + i] != byte ? 1 : 0;  // no branch, since nobody could foretell it
      bits |= differs << i;
      *out = byte;
      out += differs;
    }
    *place = static_cast<std::uint8_t>(bits);
  }
  differences.resize(static_cast<std::size_t>(out - differences.data()));
}

void apply_difference(std::span<const std::uint8_t>& differences, std::span<std::uint8_t> code) {
  const auto take = [&](std::size_t count) {
    if (differences.size() < count) throw StorageError("the changes of codes end too early");
    const auto taken = differences.first(count);
    differences = differences.subspan(count);
    return taken;
  };
  for (std::size_t begin = 0; begin < code.size(); begin += kTogether) {
    unsigned bits = take(1)[0];
    for (const std::uint8_t byte : take(static_cast<std::size_t>(std::popcount(bits)))) {
      const std::size_t place = begin + static_cast<std::size_t>(std::countr_zero(bits));
      if (place >= code.size()) throw StorageError("the changes of codes do not fit them");
      code[place] = byte;
      bits &= bits - 1;
    }
  }
}

}  // namespace meteor
