#pragma once

#include <string_view>

namespace meteor {

/// Instruction sets that kernels are compiled for, each in a namespace of its name. avx2 stands for AVX2 with FMA.
enum class InstructionSet { baseline, avx2, avx512 };

/// The best one that this machine has, within the limit.
InstructionSet best_instruction_set();

/// From here on nothing better is used in this process: processes that work together agree on what all of them have.
void limit_instruction_set(InstructionSet most);

std::string_view name_of(InstructionSet set);
InstructionSet instruction_set_of(std::string_view name);

}  // namespace meteor
