#pragma once

#include <cstdint>
#include <memory>

#include "compression/baselines/shared_vectors.h"
#include "compression/uncompressed/uncompressed.h"
#include "model/block_work.h"
#include "model/model.h"

namespace meteor {

/// Finds the vectors that units of a pretrained space share: of each attribute, so many as `share` of its units.
/// Hashed ones start at the mean of their units, each weighing its records; nearest ones are found by k-means. The
/// result does not depend on the workers.
std::unique_ptr<SharedVectors> fit_shared_vectors(VectorChoice choice, const Model& pretrained,
                                                  const Uncompressed& space, std::size_t attributes, double share,
                                                  std::uint64_t seed, BlockWorkers& workers);

}  // namespace meteor
