#pragma once

#include <array>
#include <cstddef>

namespace meteor {

/// A number of unit variance takes 0 to 12 bits.
inline constexpr std::size_t kMostBits = 12;

/// The step between the 2^b levels that loses least of a normal distribution of unit variance, and what it loses.
/// (Tested against the integrals.)
inline constexpr std::array<float, kMostBits + 1> kLevelSteps = {
    0,          1.59577F,   0.995687F,  0.586019F,   0.335201F,   0.188139F,  0.104063F,
    0.0568677F, 0.0307624F, 0.0164990F, 0.00878546F, 0.00464984F, 0.00244841F};
inline constexpr std::array<double, kMostBits + 1> kLevelErrors = {
    1,         0.36338,   0.11885,   0.037440,  0.011543,  0.0034952, 0.0010400,
    3.0433e-4, 8.7686e-5, 2.4919e-5, 6.9970e-6, 1.9444e-6, 5.3554e-7};

}  // namespace meteor
