#pragma once

#include <cstdint>
#include <initializer_list>

namespace meteor {

/// A seeded stream of random numbers (xoshiro256++). Every use derives its own stream from what it is for, as in
/// `Random{seed, window, shard, epoch}`: equal keys give equal numbers on every machine, and nothing seeds from a
/// clock.
class Random {
 public:
  explicit Random(std::initializer_list<std::uint64_t> keys) {
    std::uint64_t mixed = 0x9e3779b97f4a7c15u;
    for (std::uint64_t key : keys) mixed = scramble(mixed ^ scramble(key + 0x9e3779b97f4a7c15u));
    for (std::uint64_t& word : state_) word = scramble(mixed += 0x9e3779b97f4a7c15u);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound); bound below 2³². The bias is below 2⁻³².
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32); }

  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t scramble(std::uint64_t x) {  // SplitMix64's finaliser
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::uint64_t state_[4];
};

}  // namespace meteor
