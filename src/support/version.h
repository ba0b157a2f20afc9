#pragma once

#include <string_view>

namespace meteor {

std::string_view program_version();

}  // namespace meteor
