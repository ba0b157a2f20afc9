#pragma once

#include <string>

namespace meteor {

/// What the linker wrote into the running program to tell it from every other build, in hexadecimal: equal sources, the
/// same compiler and flags give the same. Empty if the program was linked without.
const std::string& build_id();

}  // namespace meteor
