#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meteor {

/// One run of evaluate.
struct Variant {
  std::string name;                    ///< unique among all experiments: "dim_reduct:100", "paper K=5 %"
  std::string method;                  ///< as --method
  std::vector<std::string> overrides;  ///< as --set
  bool categories = false;             ///< with the stream's categories (NAME.clusters.csv beside NAME.csv)
  std::uint32_t ranks = 0;             ///< 0: one process; else started by mpirun with as many
};

struct Experiment {
  std::string name;
  std::string title;
  std::vector<Variant> variants;  ///< in the order of the paper's tables; none for presence, drift and sizes
};

/// The paper's experiments: retrieval, explicit, ablation, sensitivity, parallel, presence, drift, sizes. Variants of
/// the same name are the same everywhere, and are run once. Of sensitivity, those whose compression.basis_fraction is
/// the paper's (0.1) show the influence of C, those whose cluster_fraction is the paper's (0.01) that of K; "paper" is
/// both.
const std::vector<Experiment>& experiments();

/// The name of the file with a variant's result, as in "paper_K=5__.seed1.json".
std::string result_file_name(std::string_view variant, std::uint64_t seed);

}  // namespace meteor
