#pragma once

#include <span>
#include <string_view>

namespace meteor {

// What the METEOR paper prints, as facts to set beside ours.

struct PaperFigure {
  std::string_view dataset;  ///< "CJ", "TF", "IC", "LA", "NY", "MB"
  double megabytes;          ///< model size
  double mrr;
  double recall_at_1;
};

/// A line of Table 2 (items: CJ, TF, IC) and of Table 3 (locations: LA, NY, MB).
struct PaperMethod {
  std::string_view variant;  ///< ours that is the same method, by its name in the plan
  std::string_view title;
  std::string_view new_unit;  ///< additional memory for a new unit
  PaperFigure items[3];
  PaperFigure locations[3];
};
std::span<const PaperMethod> paper_retrieval();
/// Nothing when the paper has no such method.
const PaperMethod* paper_method(std::string_view variant);

/// A line of Table 4: CJ with product categories as clusters, or without them.
struct PaperExplicit {
  std::string_view variant;
  PaperFigure figure;
};
std::span<const PaperExplicit> paper_explicit();

/// A line of Table 5.
struct PaperAblation {
  std::string_view variant;
  double cj_mrr, cj_recall_at_1;
  double la_mrr, la_recall_at_1;
};
std::span<const PaperAblation> paper_ablation();

/// A point of Figure 7, on CJ: `percent` of the pretrained units are clusters (a), or basis vectors (b).
struct PaperSensitivity {
  double percent;
  double megabytes;
  double mrr;
};
std::span<const PaperSensitivity> paper_cluster_sensitivity();
std::span<const PaperSensitivity> paper_basis_sensitivity();

/// A point of Figure 8.
struct PaperParallel {
  std::string_view dataset;
  int processes;
  double milliseconds;  ///< a record
  double mrr;
};
std::span<const PaperParallel> paper_parallel();

/// What the paper's full embeddings of CJ take.
constexpr double kPaperFullMegabytesCj = 217;

}  // namespace meteor
