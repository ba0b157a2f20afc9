#include "support/zeroed_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace meteor {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

TEST(ZeroedMemory, BlocksOfAllSizesAreZeroAndAligned) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, kMegabyte, 4 * kMegabyte, 9 * kMegabyte + 77}) {
    for (int again = 0; again < 2; ++again) {  // the second may be what the first has left
      auto* const memory = static_cast<std::uint8_t*>(allocate_zeroed(bytes));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
      EXPECT_TRUE(std::all_of(memory, memory + bytes, [](std::uint8_t byte) { return byte == 0; })) << bytes;
      std::fill(memory, memory + bytes, std::uint8_t{7});
      release_zeroed(memory, bytes);
    }
  }
}

TEST(ZeroedMemory, WhatIsKeptOfAShrunkBlockStaysAsItWas) {
  for (const std::size_t before : {std::size_t{5000}, 5 * kMegabyte, 20 * kMegabyte}) {
    for (const std::size_t after : {before / 2, before / 3, before - 1}) {
      auto* memory = static_cast<std::uint8_t*>(allocate_zeroed(before));
      for (std::size_t i = 0; i < before; ++i) memory[i] = static_cast<std::uint8_t>(i % 251);
      const std::uint8_t* const place = memory;
      memory = static_cast<std::uint8_t*>(shrink_zeroed(memory, before, after));
      if (after >= 4 * kMegabyte) {
        EXPECT_EQ(memory, place) << "a large block stays where it is";
      }
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < after; ++i) wrong += memory[i] != i % 251;
      EXPECT_EQ(wrong, 0u) << before << " to " << after;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
      release_zeroed(memory, after);
    }
  }
}

}  // namespace
}  // namespace meteor
