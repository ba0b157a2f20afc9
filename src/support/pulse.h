#pragma once

#include <atomic>
#include <cstdint>

namespace meteor {

/// How often this process has got on with its work: long computations beat now and then, so that a watchdog can tell a
/// busy process from a stuck one. Costs an addition.
class Pulse {
 public:
  static void beat() { beats_.fetch_add(1, std::memory_order_relaxed); }
  static std::uint64_t beats() { return beats_.load(std::memory_order_relaxed); }

 private:
  inline static std::atomic<std::uint64_t> beats_{0};
};

}  // namespace meteor
