#pragma once

#include "model/block_work.h"

namespace meteor {

// The parts of fitting a plan that are shared out. A block holds embeddings, as `points` or as an older plan coded
// them, the `weight` of each, and the `new_table` by which it is to be coded.

/// Their second moments.
extern const BlockJob kSpectralMoments;
/// Their codes by the new plan.
extern const BlockJob kSpectralEncode;

}  // namespace meteor
