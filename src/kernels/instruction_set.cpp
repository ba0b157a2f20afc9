#include "kernels/instruction_set.h"

#include <algorithm>
#include <atomic>

namespace meteor {
namespace {

std::atomic<InstructionSet> limit = InstructionSet::avx512;

InstructionSet detected() {
#ifdef METEOR_X86_KERNELS
  __builtin_cpu_init();
  const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fused && __builtin_cpu_supports("avx512f")) return InstructionSet::avx512;
  if (fused) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

}  // namespace

InstructionSet best_instruction_set() {
  static const InstructionSet best = detected();
  return std::min(best, limit.load(std::memory_order_relaxed));
}

void limit_instruction_set(InstructionSet most) { limit = most; }

InstructionSet instruction_set_of(std::string_view name) {
  for (const InstructionSet set : {InstructionSet::avx512, InstructionSet::avx2}) {
    if (name == name_of(set)) return set;
  }
  return InstructionSet::baseline;
}

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512:
      return "avx512";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::baseline:
      break;
  }
  return "baseline";
}

}  // namespace meteor
