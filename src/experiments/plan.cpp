#include "experiments/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace meteor {
namespace {

/// As many shards, and scored as the paper scores; results hold the other scoring, too.
std::vector<std::string> by_protocol(int shards, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"evaluation.scoring=mean", fmt::format("parallel.shards={}", shards)});
  return more;
}

/// A system with nothing changed.
Variant plain(std::string_view method) { return {std::string(method), std::string(method), by_protocol(1)}; }

std::vector<Variant> numbered(std::string_view method, std::initializer_list<int> numbers) {
  std::vector<Variant> variants;
  for (const int number : numbers) variants.push_back(plain(fmt::format("{}:{}", method, number)));
  return variants;
}

Variant with_categories(Variant variant) {
  variant.name += " with categories";
  variant.categories = true;
  return variant;
}

Variant meteor_budget(int percent) {
  return {fmt::format("meteor {} %", percent), "meteor",
          by_protocol(1, {"compression.scheme=spectral", fmt::format("compression.budget={} %", percent)})};
}

/// METEOR-Parallel's merging of steps, in one process.
Variant in_shards(std::string_view method, int shards) {
  return {fmt::format("{} {} shards", method, shards), std::string(method), by_protocol(shards)};
}

/// The paper's scheme with so many clusters and basis vectors, in per cent of the pretrained units; `paper` itself has
/// 1 and 10.
Variant paper_with(std::string_view name, double clusters, double basis_vectors) {
  return {fmt::format("paper {}", name), "meteor",
          by_protocol(1, {"learning.shift=0", "learning.fade=1", "learning.context=mean", "learning.axes=fixed",
                          "compression.scheme=clusters", "compression.clusters=kmeans",
                          fmt::format("compression.cluster_fraction={}", clusters / 100),
                          fmt::format("compression.basis_fraction={}", basis_vectors / 100), "compression.lambda=0.001",
                          "compression.allocation=weighted", "compression.precision=float32"})};
}
Variant paper_clusters(double percent) { return paper_with(fmt::format("C={} %", percent), percent, 10); }
Variant paper_basis(double percent) { return paper_with(fmt::format("K={} %", percent), 1, percent); }

std::vector<Variant> retrieval() {
  std::vector<Variant> variants = {plain("full"),          plain("info"),        plain("decay"),       plain("cons"),
                                   plain("meteor"),        meteor_budget(5),     paper_clusters(0.5),  plain("paper"),
                                   in_shards("meteor", 8), in_shards("full", 8), plain("uncompressed")};
  for (const auto& family : {numbered("dim_reduct", {100, 50, 25}), numbered("quantization", {8, 4, 2}),
                             numbered("hash_trick", {30, 20, 10}), numbered("dcn", {30, 20, 10})}) {
    variants.insert(variants.end(), family.begin(), family.end());
  }
  for (const char* counting : {"popularity", "lift", "lift:0.1", "bayes"}) variants.push_back(plain(counting));
  return variants;
}

std::vector<Variant> explicit_clusters() {
  std::vector<Variant> variants = {plain("full"), plain("meteor"), paper_clusters(0.5), plain("paper")};
  for (std::size_t i = 0, plain_ones = variants.size(); i < plain_ones; ++i) {
    variants.push_back(with_categories(variants[i]));
  }
  return variants;
}

std::vector<Variant> parallel() {
  std::vector<Variant> variants;
  for (const std::uint32_t p : {1U, 2U, 4U, 8U}) {
    variants.push_back({.name = fmt::format("parallel p={}", p),
                        .method = "meteor",
                        .overrides = by_protocol(static_cast<int>(p)),
                        .ranks = p});
  }
  return variants;
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = {
      {"retrieval", "Quality and size of all systems (Tables 2 and 3)", retrieval()},
      {"explicit", "Product categories as clusters (Table 4)", explicit_clusters()},
      {"ablation",
       "What the elements of METEOR contribute (Table 5)",
       {plain("full"), plain("paper"), plain("meteor_uniform"), plain("meteor_dense")}},
      {"sensitivity",
       "Quality and size against the number of clusters C and of basis vectors K",
       {paper_clusters(0.5), plain("paper"), paper_clusters(1.5), paper_clusters(2), paper_clusters(2.5),
        paper_basis(5), paper_basis(15), paper_basis(20), paper_basis(25)}},
      {"parallel", "METEOR-Parallel: time per record and quality for p shards on p ranks", parallel()},
      {"presence", "Share of the units seen so far that appear in a window", {}},
      {"drift", "Changes of clusters a window, if they were allowed", {}},
      {"sizes", "Sizes of the clusters", {}}};
  return all;
}

std::string result_file_name(std::string_view variant, std::uint64_t seed) {
  std::string name(variant);
  const std::string_view kept = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=.-";
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return kept.find(c) == std::string_view::npos; }, '_');
  return fmt::format("{}.seed{}.json", name, seed);
}

}  // namespace meteor
