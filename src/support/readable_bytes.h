#pragma once

#include <string>

namespace meteor {

/// "12.3 MB"
std::string readable_bytes(double bytes);

}  // namespace meteor
