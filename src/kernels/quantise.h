#pragma once

#include <cstddef>
#include <cstdint>

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

/// The squared errors of rounding at some scales, all above 0, on the best instruction set that this machine has. avx2
/// and avx512 give the same bits, whatever scales are tried together.
void quantisation_errors(const Quantisation& quantisation, const float* scales, std::size_t count, float* errors);
/// Σ (value · factor)², without factors if there are none. Both are padded as above; so is `width`.
float squared_norm(const float* values, const float* factors, std::size_t width);
/// The numbers of the levels at this scale, which must be above 0, from that of the lowest level, 0, on; two in one:
/// the first of a pair, and shifted by `first_bits` of the pair the second. Behind the end they are 0. `numbers` is
/// room for `width` of them.
void quantise_pairs(const Quantisation& quantisation, float scale, const std::uint64_t* first_bits,
                    std::int32_t* numbers, std::uint64_t* pairs);

namespace baseline {
float squared_norm(const float* values, const float* factors, std::size_t width);
void quantisation_errors(const Quantisation& quantisation, const float* scales, std::size_t count, float* errors);
void quantise_pairs(const Quantisation& quantisation, float scale, const std::uint64_t* first_bits,
                    std::int32_t* numbers, std::uint64_t* pairs);
}  // namespace baseline
namespace avx2 {
float squared_norm(const float* values, const float* factors, std::size_t width);
void quantisation_errors(const Quantisation& quantisation, const float* scales, std::size_t count, float* errors);
void quantise_pairs(const Quantisation& quantisation, float scale, const std::uint64_t* first_bits,
                    std::int32_t* numbers, std::uint64_t* pairs);
}  // namespace avx2
namespace avx512 {
float squared_norm(const float* values, const float* factors, std::size_t width);
void quantisation_errors(const Quantisation& quantisation, const float* scales, std::size_t count, float* errors);
void quantise_pairs(const Quantisation& quantisation, float scale, const std::uint64_t* first_bits,
                    std::int32_t* numbers, std::uint64_t* pairs);
}  // namespace avx512

}  // namespace meteor
