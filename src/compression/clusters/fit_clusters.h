#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compression/clusters/clustered.h"
#include "compression/uncompressed/uncompressed.h"
#include "config/settings.h"
#include "model/block_work.h"
#include "model/model.h"

namespace meteor {

/// Finds the clusters of a pretrained space and compresses it: k-means, subspaces or the user's categories for each
/// attribute, basis vectors by cluster size, each basis the leading directions of its cluster, in which a unit weighs
/// the root of how often it was seen. `categories` holds the category of every unit. The result does not depend on the
/// workers.
std::unique_ptr<Clustered> fit_clusters(const Model& pretrained, const Uncompressed& space,
                                        std::span<const CategoryKey> categories,
                                        std::span<const AttributeSettings> attributes,
                                        const CompressionSettings& settings, std::uint64_t seed, BlockWorkers& workers);

/// The part of it that is shared out, a cluster a block: from `points`, their `weight`, the number of `vectors` and λ
/// the `basis`, its `accumulator` and the points' `codes`.
extern const BlockJob kFitCluster;

}  // namespace meteor
