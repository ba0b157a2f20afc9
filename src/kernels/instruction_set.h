#pragma once

#include <string_view>

namespace meteor {

/// Instruction sets that kernels are compiled for, each in a namespace of its name. avx2 stands for AVX2 with FMA.
enum class InstructionSet { baseline, avx2, avx512 };

/// The best one that this machine has.
InstructionSet best_instruction_set();

std::string_view name_of(InstructionSet set);

}  // namespace meteor
