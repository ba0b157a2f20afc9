#include "compression/schemes.h"
#include "compression/spectral/fit_spectral.h"
#include "compression/spectral/spectral_blocks.h"
#include "compression/uncompressed/uncompressed.h"
#include "model/valid_numbers.h"

namespace meteor {
namespace {

std::unique_ptr<Embeddings> fit(const FitTask& task) {
  return fit_spectral(task.pretrained, space_of(task.pretrained), task.settings.attributes.size(),
                      task.settings.compression, task.workers);
}

std::unique_ptr<Embeddings> rebuild(const StoredEmbeddings& stored) {
  auto spectral = std::make_unique<Spectral>(stored.dimension, stored.settings.compression, stored.arrays);
  require_valid(spectral->plan().attributes() == stored.settings.attributes.size(),
                "its codes are not made for its attributes");
  return spectral;
}

}  // namespace

const Scheme& spectral_scheme() {
  static const Scheme scheme{fit, rebuild, {&kSpectralMoments, &kSpectralEncode}};
  return scheme;
}

}  // namespace meteor
