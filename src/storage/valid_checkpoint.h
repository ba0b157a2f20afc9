#pragma once

#include "storage/checkpoint.h"

namespace meteor {

/// What holds of the state of every run that this program writes after a window: how far it has come, the units that
/// wait to be admitted, when windows began, and the window that is not yet in the model, each beside the model and its
/// vocabulary, in which the names are those that the waiting window brought, too. Throws StorageError that says what
/// does not hold.
void require_valid(const Checkpoint& checkpoint);

}  // namespace meteor
