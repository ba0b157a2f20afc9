#include "methods/counting.h"

#include <memory>

namespace meteor {

RetrievalScore Counting::test(const ReadWindow& read) const {
  const EvaluationSettings& evaluation = settings_.evaluation;
  std::vector<std::uint8_t> rare;
  for (const UnitId unit : read.units.units) rare.push_back(counts_.of(unit) < kRareBelow ? 1 : 0);
  RetrievalTask task{.units = read.units,
                     .attributes = settings_.attributes,
                     .candidates = evaluation.candidates,
                     .seed = settings_.learning.seed,
                     .rare = rare};
  if (evaluation.negatives == CandidateSource::vocabulary) task.vocabulary = attributes_;
  const Shard records = whole_window(read.window, read.units);
  std::unique_ptr<CandidateScorer> scorer;
  if (kind_ == CountedBy::lift) {
    scorer = std::make_unique<LiftScorer>(read.units, counts_);
  } else {
    scorer = std::make_unique<PopularityScorer>(read.units, counts_);
  }
  return retrieve(task, records, *scorer);
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
