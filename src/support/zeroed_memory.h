#pragma once

#include <cstddef>

namespace meteor {

// Memory for matrices. Large blocks come straight from the system, in huge pages where it has them: windows come and
// go, and thousands of small pages a window cost more time than some of the work on them.

/// So many bytes, all zero, at a multiple of 64. Throws std::bad_alloc.
void* allocate_zeroed(std::size_t bytes);
void release_zeroed(void* memory, std::size_t bytes);
/// Gives back what lies after the first `bytes` of a block of `before`, which may move. Its content up to there stays.
void* shrink_zeroed(void* memory, std::size_t before, std::size_t bytes);

}  // namespace meteor
