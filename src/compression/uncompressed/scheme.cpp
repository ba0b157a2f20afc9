#include "compression/principal_axes.h"
#include "compression/schemes.h"
#include "compression/uncompressed/uncompressed.h"
#include "model/valid_numbers.h"

namespace meteor {
namespace {

std::unique_ptr<Embeddings> rebuild(const StoredEmbeddings& stored) {
  require_valid(find_array(stored.arrays, "embeddings/values").is_matrix(stored.attributes.size(), stored.dimension),
                "array embeddings/values does not have a row of floats for every unit");
  return std::make_unique<Uncompressed>(stored.dimension, stored.arrays);
}

}  // namespace

const Scheme& none_scheme() {
  static const Scheme scheme{nullptr, rebuild, {&kMoments}};
  return scheme;
}

}  // namespace meteor
