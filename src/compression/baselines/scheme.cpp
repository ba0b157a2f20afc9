#include "compression/baselines/fit_shared_vectors.h"
#include "compression/baselines/quantised.h"
#include "compression/kmeans.h"
#include "compression/schemes.h"
#include "compression/uncompressed/uncompressed.h"
#include "model/valid_numbers.h"

namespace meteor {
namespace {

std::unique_ptr<Embeddings> fit_quantised(const FitTask& task) {
  return std::make_unique<Quantised>(space_of(task.pretrained), task.pretrained.dimension,
                                     task.settings.compression.bits);
}

std::unique_ptr<Embeddings> rebuild_quantised(const StoredEmbeddings& stored) {
  return std::make_unique<Quantised>(stored.dimension, stored.arrays);
}

template <VectorChoice choice>
std::unique_ptr<Embeddings> fit_shared(const FitTask& task) {
  return fit_shared_vectors(choice, task.pretrained, space_of(task.pretrained), task.settings.attributes.size(),
                            task.settings.compression.vector_share, task.settings.learning.seed, task.workers);
}

template <VectorChoice choice>
std::unique_ptr<Embeddings> rebuild_shared(const StoredEmbeddings& stored) {
  auto shared = std::make_unique<SharedVectors>(choice, stored.arrays);
  require_valid(static_cast<std::size_t>(shared->vectors().cols()) == stored.dimension,
                "array embeddings/vectors does not have rows of as many floats as the dimension");
  require_valid(shared->attributes() == stored.settings.attributes.size(),
                "its vectors are not made for its attributes");
  return shared;
}

}  // namespace

const Scheme& quantised_scheme() {
  static const Scheme scheme{fit_quantised, rebuild_quantised, {}};
  return scheme;
}

const Scheme& hashed_scheme() {
  static const Scheme scheme{fit_shared<VectorChoice::hashed>, rebuild_shared<VectorChoice::hashed>, {}};
  return scheme;
}

const Scheme& centroids_scheme() {
  static const Scheme scheme{
      fit_shared<VectorChoice::nearest>, rebuild_shared<VectorChoice::nearest>, {&kNearestCentroids}};
  return scheme;
}

}  // namespace meteor
