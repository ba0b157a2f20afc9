#pragma once

#include <cstddef>
#include <functional>

namespace meteor {

/// Calls work(0) … work(count − 1), shared among up to `threads` threads, this one among them; each takes the next that
/// is left. Rethrows the exception of the lowest index that failed, when all threads have ended.
void share_work(std::size_t threads, std::size_t count, const std::function<void(std::size_t)>& work);

/// How many threads of this process can run at the same time.
std::size_t usable_cores();

}  // namespace meteor
