#pragma once

#include <memory>
#include <span>

#include "compression/spectral/spectral.h"
#include "compression/uncompressed/uncompressed.h"
#include "config/settings.h"
#include "model/block_work.h"
#include "model/model.h"

namespace meteor {

/// Finds the principal axes and the bits of a pretrained space and encodes it in these axes. The result does not depend
/// on the workers.
std::unique_ptr<Spectral> fit_spectral(const Model& pretrained, const Uncompressed& space, std::size_t attributes,
                                       const CompressionSettings& settings, BlockWorkers& workers);

/// Embeddings in new axes, and how these were turned.
struct Refit {
  Spectral coded;
  AlignedRows turn;
};
/// The same for embeddings that are coded already, with what a window taught.
Refit refit_spectral(const Spectral& coded, const WindowUpdate& update, const UnitFacts& facts,
                     const CompressionSettings& settings, BlockWorkers& workers);

}  // namespace meteor
