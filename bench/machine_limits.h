#pragma once

#include <cstddef>

namespace meteor {

/// What a core can do at most, compiled for each instruction set. The first two repeat one kind of instruction on
/// registers so many times over, 16 lanes × kChains each time, and return a number that depends on all of them, so that
/// none is left out; the second as AdaGrad's exact step takes them. The third reads rows of so many floats and writes
/// them back times a factor.
namespace baseline {
float multiply_adds(std::size_t times);
float roots_and_divisions(std::size_t times);
void read_and_write(float* const* rows, std::size_t count, std::size_t width, float factor);
}  // namespace baseline
namespace avx2 {
float multiply_adds(std::size_t times);
float roots_and_divisions(std::size_t times);
void read_and_write(float* const* rows, std::size_t count, std::size_t width, float factor);
}  // namespace avx2
namespace avx512 {
float multiply_adds(std::size_t times);
float roots_and_divisions(std::size_t times);
void read_and_write(float* const* rows, std::size_t count, std::size_t width, float factor);
}  // namespace avx512

constexpr int kChains = 12;  ///< that do not wait for each other

}  // namespace meteor
