#pragma once

#include "storage/checkpoint.h"

namespace meteor {

/// Throws StorageError unless the parts of a checkpoint fit each other: the counts of windows and records, the begins
/// of windows, the units that wait to be admitted, and the window that waits to be compressed. The vocabulary must
/// already have the names that this window brought. A checkpoint has learnt at least one window.
void require_valid(const Checkpoint& checkpoint);

}  // namespace meteor
