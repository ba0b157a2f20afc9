#include "systems/counting.h"

namespace meteor {

std::unique_ptr<CandidateScorer> Counting::scorer(const WindowUnits& units) const {
  switch (by_.kind) {
    case CountedBy::Kind::lift:
      return std::make_unique<MeanLiftScorer>(units, counts_, by_.kappa);
    case CountedBy::Kind::bayes:
      return std::make_unique<BayesScorer>(units, counts_, by_.kappa);
    case CountedBy::Kind::popularity:
      break;
  }
  return std::make_unique<PopularityScorer>(units, counts_);
}

RetrievalScore Counting::test(const ReadWindow& read) const {
  const EvaluationSettings& evaluation = settings_.evaluation;
  std::vector<std::uint32_t> seen;
  for (const UnitId unit : read.units.units) seen.push_back(counts_.of(unit));
  RetrievalTask task{.units = read.units,
                     .attributes = settings_.attributes,
                     .candidates = evaluation.candidates,
                     .seed = settings_.learning.seed,
                     .seen = seen};
  if (evaluation.negatives == CandidateSource::vocabulary) task.vocabulary = attributes_;
  const Shard records = whole_window(read.window, read.units);
  return retrieve(task, records, *scorer(read.units));
}

WindowReport Counting::learn(const ReadWindow& read, bool asks, const std::function<bool()>& /*abandon*/) {
  WindowReport report = report_of(read);
  report.shards = 1;
  if (asks) {
    const PhaseTimer timer(report.seconds.evaluate);
    report.score = test(read);
  }
  const PhaseTimer timer(report.seconds.optimise);
  counts_.add(read.window);
  attributes_.resize(counts_.units());
  for (std::uint32_t slot = 0; slot < read.units.size(); ++slot) {
    attributes_[index(read.units.units[slot])] = read.units.attribute_of(slot);
  }
  return report;
}

ModelSize Counting::size() const {
  return {counts_.bytes(), std::uint64_t{4} * settings_.learning.dimension * counts_.units(),
          counts_.bytes_per_new_unit()};
}

}  // namespace meteor
