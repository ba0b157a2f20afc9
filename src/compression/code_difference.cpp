#include "compression/code_difference.h"

#include <algorithm>
#include <bit>

#include "support/error.h"

namespace meteor {
namespace {

constexpr std::size_t kTogether = 8;  // bytes that share a byte of bits

}  // namespace

void append_difference(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after,
                       std::vector<std::uint8_t>& differences) {
  std::size_t end = differences.size();
  differences.resize(end + after.size() + (after.size() + kTogether - 1) / kTogether);
  for (std::size_t begin = 0; begin < after.size(); begin += kTogether) {
    std::uint8_t& bits = differences[end++] = 0;
    for (std::size_t i = begin; i < std::min(begin + kTogether, after.size()); ++i) {
      const bool differs = before[i] != after[i];  // without a branch, which nobody could foretell
      bits = static_cast<std::uint8_t>(bits | (differs ? 1U << (i - begin) : 0U));
      differences[end] = after[i];
      end += differs ? 1 : 0;
    }
  }
  differences.resize(end);
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
