#include "support/octave_grid.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace meteor {
namespace {

constexpr int kPlaceOfOne = 160;
/// 2^(i/8).
constexpr std::array<float, 8> kEighths = {1.0F,        1.09050773F, 1.18920712F, 1.29683955F,
                                           1.41421356F, 1.54221083F, 1.68179283F, 1.83400809F};

std::array<float, 256> octave_grid() {
  std::array<float, 256> grid{};
  for (int place = 1; place < 256; ++place) {
    const int octave = (place + 8 * 32 - kPlaceOfOne) / 8 - 32;
    grid[static_cast<std::size_t>(place)] =
        std::ldexp(kEighths[static_cast<std::size_t>(place + 8 * 32 - kPlaceOfOne) % 8], octave);
  }
  return grid;
}

const std::array<float, 256>& grid() {
  static const std::array<float, 256> values = octave_grid();
  return values;
}

}  // namespace

float octave_value(std::uint8_t place) { return grid()[place]; }

std::uint8_t octave_place(float value) {
  const auto& values = grid();
  const auto above = std::upper_bound(values.begin() + 2, values.end(), value);
  return static_cast<std::uint8_t>(above - values.begin() - 1);
}

}  // namespace meteor
