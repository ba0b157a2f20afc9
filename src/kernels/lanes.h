#pragma once

// Sixteen floats at a time, for the instruction set that the including source is compiled for. Everything here is in a
// namespace of that instruction set, so that copies of these inline functions never meet.

#include <cstddef>
#include <cstdint>

#include "kernels/padded_rows.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifndef METEOR_KERNEL_VARIANT
#define METEOR_KERNEL_VARIANT baseline
#endif

namespace meteor::METEOR_KERNEL_VARIANT {

#if defined(__AVX512F__)

struct Lanes {
  __m512 all;
};
inline constexpr int kTileColumns = 6;
inline Lanes broadcast(float x) { return {_mm512_set1_ps(x)}; }
inline Lanes load(const float* p) { return {_mm512_load_ps(p)}; }
inline void store(float* p, Lanes x) { _mm512_store_ps(p, x.all); }
inline Lanes load_anywhere(const float* p) { return {_mm512_loadu_ps(p)}; }
inline void store_anywhere(float* p, Lanes x) { _mm512_storeu_ps(p, x.all); }
inline Lanes add(Lanes a, Lanes b) { return {_mm512_add_ps(a.all, b.all)}; }
inline Lanes subtract(Lanes a, Lanes b) { return {_mm512_sub_ps(a.all, b.all)}; }
inline Lanes multiply(Lanes a, Lanes b) { return {_mm512_mul_ps(a.all, b.all)}; }
inline Lanes divide(Lanes a, Lanes b) { return {_mm512_div_ps(a.all, b.all)}; }
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_ps(a.all, b.all, c.all)}; }
inline Lanes negative_multiply_add(Lanes a, Lanes b, Lanes c) { return {_mm512_fnmadd_ps(a.all, b.all, c.all)}; }
/// √a, correctly rounded, of a ≥ 2⁻¹⁰⁰ and 1/√a within a factor of 1 ± 2⁻¹⁴. A test tries every mantissa.
inline Lanes refined_root(Lanes a, Lanes inverse_root) {
  const __m512 half = _mm512_set1_ps(0.5F);
  __m512 root = _mm512_mul_ps(a.all, inverse_root.all);
  __m512 slope = _mm512_mul_ps(half, inverse_root.all);  // 1/(2√a)
  const __m512 error = _mm512_fnmadd_ps(root, slope, half);
  root = _mm512_fmadd_ps(root, error, root);
  slope = _mm512_fmadd_ps(slope, error, slope);
  return {_mm512_fmadd_ps(_mm512_fnmadd_ps(root, root, a.all), slope, root)};
}
/// 1/√a within a factor of 1 ± 2⁻¹⁴.
inline Lanes rough_inverse_root(Lanes a) { return {_mm512_rsqrt14_ps(a.all)}; }
/// The bits of the instruction for square roots, which is slower, and keeps divisions waiting.
inline Lanes square_root(Lanes a) { return refined_root(a, rough_inverse_root(a)); }
inline Lanes minimum(Lanes a, Lanes b) { return {_mm512_min_ps(a.all, b.all)}; }
inline Lanes maximum(Lanes a, Lanes b) { return {_mm512_max_ps(a.all, b.all)}; }
inline Lanes clamp(Lanes a, float low, float high) {
  return {_mm512_min_ps(_mm512_max_ps(_mm512_set1_ps(low), a.all), _mm512_set1_ps(high))};
}
/// 2ⁿ for whole numbers n in [−126, 127].
inline Lanes power_of_two(Lanes n) {
  const __m512i exponent = _mm512_add_epi32(_mm512_cvtps_epi32(n.all), _mm512_set1_epi32(127));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23))};
}

#elif defined(__AVX2__)

struct Lanes {
  __m256 low, high;
};
inline constexpr int kTileColumns = 2;
inline Lanes broadcast(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
inline Lanes load(const float* p) { return {_mm256_load_ps(p), _mm256_load_ps(p + 8)}; }
inline void store(float* p, Lanes x) {
  _mm256_store_ps(p, x.low);
  _mm256_store_ps(p + 8, x.high);
}
inline Lanes load_anywhere(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline void store_anywhere(float* p, Lanes x) {
  _mm256_storeu_ps(p, x.low);
  _mm256_storeu_ps(p + 8, x.high);
}
inline Lanes add(Lanes a, Lanes b) { return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)}; }
inline Lanes subtract(Lanes a, Lanes b) { return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)}; }
inline Lanes multiply(Lanes a, Lanes b) { return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)}; }
inline Lanes divide(Lanes a, Lanes b) { return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)}; }
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
inline Lanes negative_multiply_add(Lanes a, Lanes b, Lanes c) {
  return {_mm256_fnmadd_ps(a.low, b.low, c.low), _mm256_fnmadd_ps(a.high, b.high, c.high)};
}
/// Of positive numbers.
inline Lanes square_root(Lanes a) { return {_mm256_sqrt_ps(a.low), _mm256_sqrt_ps(a.high)}; }
/// 1/√a within a factor of 1 ± 1.5·2⁻¹².
inline Lanes rough_inverse_root(Lanes a) { return {_mm256_rsqrt_ps(a.low), _mm256_rsqrt_ps(a.high)}; }
inline Lanes minimum(Lanes a, Lanes b) { return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)}; }
inline Lanes maximum(Lanes a, Lanes b) { return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)}; }
inline __m256 clamp_half(__m256 a, float low, float high) {
  return _mm256_min_ps(_mm256_max_ps(_mm256_set1_ps(low), a), _mm256_set1_ps(high));
}
inline Lanes clamp(Lanes a, float low, float high) {
  return {clamp_half(a.low, low, high), clamp_half(a.high, low, high)};
}
inline __m256 power_of_two_half(__m256 n) {
  const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
  return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}
/// 2ⁿ for whole numbers n in [−126, 127].
inline Lanes power_of_two(Lanes n) { return {power_of_two_half(n.low), power_of_two_half(n.high)}; }

#else

struct Lanes {
  float lane[16];
};
inline constexpr int kTileColumns = 1;
template <class Operation>
inline Lanes each(Operation operation) {
  Lanes result;
  for (int i = 0; i < 16; ++i) result.lane[i] = operation(i);
  return result;
}
inline Lanes broadcast(float x) {
  return each([&](int) { return x; });
}
inline Lanes load(const float* p) {
  return each([&](int i) { return p[i]; });
}
inline void store(float* p, const Lanes& x) {
  for (int i = 0; i < 16; ++i) p[i] = x.lane[i];
}
inline Lanes load_anywhere(const float* p) { return load(p); }
inline void store_anywhere(float* p, const Lanes& x) { store(p, x); }
inline Lanes add(const Lanes& a, const Lanes& b) {
  return each([&](int i) { return a.lane[i] + b.lane[i]; });
}
inline Lanes subtract(const Lanes& a, const Lanes& b) {
  return each([&](int i) { return a.lane[i] - b.lane[i]; });
}
inline Lanes multiply(const Lanes& a, const Lanes& b) {
  return each([&](int i) { return a.lane[i] * b.lane[i]; });
}
inline Lanes divide(const Lanes& a, const Lanes& b) {
  return each([&](int i) { return a.lane[i] / b.lane[i]; });
}
inline Lanes multiply_add(const Lanes& a, const Lanes& b, const Lanes& c) {
  return each([&](int i) { return a.lane[i] * b.lane[i] + c.lane[i]; });
}
inline Lanes negative_multiply_add(const Lanes& a, const Lanes& b, const Lanes& c) {
  return each([&](int i) { return c.lane[i] - a.lane[i] * b.lane[i]; });
}
inline Lanes square_root(const Lanes& a) {
  return each([&](int i) { return __builtin_sqrtf(a.lane[i]); });
}
/// 1/√a, to the last bits: there is no faster way that every machine has.
inline Lanes rough_inverse_root(const Lanes& a) {
  return each([&](int i) { return 1.0F / __builtin_sqrtf(a.lane[i]); });
}
inline Lanes minimum(const Lanes& a, const Lanes& b) {
  return each([&](int i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
}
inline Lanes maximum(const Lanes& a, const Lanes& b) {
  return each([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
}
inline Lanes clamp(const Lanes& a, float low, float high) {
  return each([&](int i) {
    const float raised = low > a.lane[i] ? low : a.lane[i];
    return raised < high ? raised : high;
  });
}
/// 2ⁿ for whole numbers n in [−126, 127].
inline Lanes power_of_two(const Lanes& n) {
  return each([&](int i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(n.lane[i]) + 127) << 23;
    float power = 0;
    __builtin_memcpy(&power, &bits, sizeof power);
    return power;
  });
}

#endif

// Sums of lanes, always in the same order: halves are added until one number is left.
#ifdef __AVX2__

/// The lanes folded to four.
inline __m128 folded(Lanes x) {
#ifdef __AVX512F__
  const __m256 low = _mm512_castps512_ps256(x.all);
  const __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x.all), 1));
  const __m256 eight = _mm256_add_ps(low, high);
#else
  const __m256 eight = _mm256_add_ps(x.low, x.high);
#endif
  return _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
}

inline float horizontal_sum(Lanes x) {
  const __m128 four = folded(x);
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/// Four sums at once, in fewer instructions.
#ifdef __AVX512F__
inline void horizontal_sums(const Lanes* x, float* out) {
  const auto halves = [](__m512 a, __m512 b) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
  };
  const __m512 ab = halves(x[0].all, x[1].all), cd = halves(x[2].all, x[3].all);
  const __m512 fours = _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xdd));
  const __m512 twos = _mm512_add_ps(fours, _mm512_permute_ps(fours, 0x4e));
  const __m512 ones = _mm512_add_ps(twos, _mm512_permute_ps(twos, 0xb1));
  const __m512i firsts = _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
  _mm_storeu_ps(out, _mm512_castps512_ps128(_mm512_permutexvar_ps(firsts, ones)));
}
#else
inline void horizontal_sums(const Lanes* x, float* out) {
  const __m128 a = folded(x[0]), b = folded(x[1]), c = folded(x[2]), d = folded(x[3]);
  const __m128 ab = _mm_add_ps(_mm_movelh_ps(a, b), _mm_movehl_ps(b, a));
  const __m128 cd = _mm_add_ps(_mm_movelh_ps(c, d), _mm_movehl_ps(d, c));
  _mm_storeu_ps(out, _mm_add_ps(_mm_shuffle_ps(ab, cd, 0x88), _mm_shuffle_ps(ab, cd, 0xdd)));
}
#endif

#else

inline float horizontal_sum(Lanes x) {
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) x.lane[i] += x.lane[i + half];
  }
  return x.lane[0];
}

inline void horizontal_sums(const Lanes* x, float* out) {
  for (int i = 0; i < 4; ++i) out[i] = horizontal_sum(x[i]);
}

#endif

/// exp(x) to about 2 units in the last place; x is clamped to ±87, so that the result is a normal number.
inline Lanes exp_lanes(Lanes x) {
  x = clamp(x, -87.0F, 87.0F);
  const Lanes rounding = broadcast(12582912.0F);  // adding 1.5·2²³ rounds to a whole number
  const Lanes n = subtract(multiply_add(x, broadcast(1.44269504F), rounding), rounding);
  Lanes r = negative_multiply_add(n, broadcast(0.693359375F), x);  // ln 2 in two parts, for an exact remainder
  r = negative_multiply_add(n, broadcast(-2.12194440e-4F), r);
  Lanes p = broadcast(1.9875691500e-4F);
  p = multiply_add(p, r, broadcast(1.3981999507e-3F));
  p = multiply_add(p, r, broadcast(8.3334519073e-3F));
  p = multiply_add(p, r, broadcast(4.1665795894e-2F));
  p = multiply_add(p, r, broadcast(1.6666665459e-1F));
  p = multiply_add(p, r, broadcast(5.0000001201e-1F));
  const Lanes tail = multiply_add(multiply(r, r), p, add(r, broadcast(1.0F)));
  return multiply(tail, power_of_two(n));
}

inline Lanes sigmoid(Lanes x) {
  const Lanes one = broadcast(1.0F);
  return divide(one, add(one, exp_lanes(subtract(broadcast(0.0F), x))));
}

}  // namespace meteor::METEOR_KERNEL_VARIANT
