#pragma once

#include <string>

namespace meteor {

/// The name of this machine, for messages.
std::string host_name();

}  // namespace meteor
