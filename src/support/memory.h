#pragma once

#include <cstdint>

namespace meteor {

/// The most memory that this process has held so far.
std::uint64_t peak_rss_bytes();

}  // namespace meteor
