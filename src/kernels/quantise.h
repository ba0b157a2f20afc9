#pragma once

#include <cstddef>

namespace meteor {

/// Numbers that are to be rounded to levels of their own: value i is x·step·scale for a level x that is an odd multiple
/// of ½ of at most `highest`. All have 64-byte alignment and are padded to a multiple of 16 numbers, where `steps`,
/// `inverse_steps` and `highest` are 0.
struct Quantisation {
  const float* values;
  const float* steps;
  const float* inverse_steps;
  const float* highest;
  std::size_t width;
};

/// The squared error of rounding at this scale, on the best instruction set that this machine has. avx2 and avx512 give
/// the same bits.
float quantisation_error(const Quantisation& quantisation, float scale);
/// The levels at this scale, which must be above 0.
void quantise(const Quantisation& quantisation, float scale, float* levels);

namespace baseline {
float quantisation_error(const Quantisation& quantisation, float scale);
void quantise(const Quantisation& quantisation, float scale, float* levels);
}  // namespace baseline
namespace avx2 {
float quantisation_error(const Quantisation& quantisation, float scale);
void quantise(const Quantisation& quantisation, float scale, float* levels);
}  // namespace avx2
namespace avx512 {
float quantisation_error(const Quantisation& quantisation, float scale);
void quantise(const Quantisation& quantisation, float scale, float* levels);
}  // namespace avx512

}  // namespace meteor
