#include "compression/fit.h"

#include <stdexcept>

#include "compression/fit_clusters.h"
#include "compression/fit_shared_vectors.h"
#include "compression/fit_spectral.h"
#include "compression/quantised.h"

namespace meteor {

std::unique_ptr<Embeddings> fit_scheme(const Model& pretrained, const Uncompressed& space,
                                       std::span<const CategoryKey> categories, const Settings& settings,
                                       BlockWorkers& workers) {
  const CompressionSettings& compression = settings.compression;
  const std::uint64_t seed = settings.learning.seed;
  const auto shared = [&](VectorChoice choice) {
    return fit_shared_vectors(choice, pretrained, space, settings.attributes.size(), compression.vector_share, seed,
                              workers);
  };
  switch (compression.scheme) {
    case CompressionScheme::spectral:
      return fit_spectral(pretrained, space, settings.attributes.size(), compression, workers);
    case CompressionScheme::clusters:
      return fit_clusters(pretrained, space, categories, settings.attributes, compression, seed, workers);
    case CompressionScheme::quantised:
      return std::make_unique<Quantised>(space, pretrained.dimension, compression.bits);
    case CompressionScheme::hashed:
      return shared(VectorChoice::hashed);
    case CompressionScheme::centroids:
      return shared(VectorChoice::nearest);
    case CompressionScheme::none:
      break;
  }
  throw std::logic_error("the scheme none has nothing to fit");
}

}  // namespace meteor
