#pragma once

#include "kernels/instruction_set.h"

namespace meteor {

/// Of three functions, the one that is compiled for the best instruction set.
template <class Function>
Function* for_best_set(Function* baseline, Function* avx2, Function* avx512) {
  switch (best_instruction_set()) {
    case InstructionSet::avx512:
      return avx512;
    case InstructionSet::avx2:
      return avx2;
    case InstructionSet::baseline:
      break;
  }
  return baseline;
}

}  // namespace meteor

/// The function of that name in the namespace of the best instruction set.
#ifdef METEOR_X86_KERNELS
#define METEOR_BEST(function) ::meteor::for_best_set(baseline::function, avx2::function, avx512::function)
#else
#define METEOR_BEST(function) baseline::function
#endif
