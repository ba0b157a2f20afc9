#include "evaluation/retrieval.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "learning/negative_sampler.h"
#include "support/random.h"

namespace meteor {
namespace {

constexpr std::uint64_t kCandidates = 0x63616e64;

using Vector = Eigen::Map<const Eigen::RowVectorXf, Eigen::Aligned64>;

double cosine(const Eigen::RowVectorXf& a, const Vector& b) {
  const double norms = std::sqrt(static_cast<double>(a.squaredNorm()) * b.squaredNorm());
  return norms > 0 ? static_cast<double>(a.dot(b)) / norms : 0;
}

/// Draws the candidates of one query.
class CandidatePool {
 public:
  CandidatePool(const WindowUnits& units, const Model& model, CandidateSource source)
      : units_(units),
        source_(source),
        sampler_(units.counts, units.attribute_ends),
        known_(units.attribute_ends.size()) {
    if (source != CandidateSource::vocabulary) return;
    for (std::size_t i = 0; i < model.units(); ++i) {
      known_[index(model.attributes[i])].push_back(UnitId{static_cast<std::uint32_t>(i)});
    }
  }

  /// Up to `count` different units of the attribute that the record does not hold; fewer where there are not as many.
  std::vector<UnitId> draw(AttributeId attribute, std::span<const UnitId> record, std::uint32_t true_slot,
                           std::size_t count, Random& random) const {
    const std::size_t a = index(attribute);
    std::vector<UnitId> chosen;
    const auto holds = [](std::span<const UnitId> list, UnitId unit) {
      return std::find(list.begin(), list.end(), unit) != list.end();
    };
    const bool from_window = source_ == CandidateSource::window;
    const std::uint32_t begin = units_.attribute_begin(a);
    const auto pool = from_window ? std::span(units_.units).subspan(begin, units_.attribute_ends[a] - begin)
                                  : std::span<const UnitId>(known_[a]);  // both are ordered
    const auto held = static_cast<std::size_t>(std::count_if(
        record.begin(), record.end(), [&](UnitId unit) { return std::binary_search(pool.begin(), pool.end(), unit); }));
    const std::size_t wanted = std::min(count, pool.size() - held);
    // Rejection is quick unless the attribute has hardly more units than are asked for, or one is nearly all of them.
    for (std::size_t attempt = 0; attempt < 64 * count && chosen.size() < wanted; ++attempt) {
      const UnitId unit = from_window ? units_.units[sampler_.draw(a, true_slot, random)]
                                      : pool[random.below(static_cast<std::uint32_t>(pool.size()))];
      if (!holds(record, unit) && !holds(chosen, unit)) chosen.push_back(unit);
    }
    return chosen;
  }

 private:
  const WindowUnits& units_;
  CandidateSource source_;
  NegativeSampler sampler_;
  std::vector<std::vector<UnitId>> known_;
};

/// Decodes units when they are first asked for; zero for units that the model does not know.
class Lookup {
 public:
  explicit Lookup(const Model& model) : model_(model) {}

  Vector operator()(UnitId unit) {
    auto [place, fresh] = rows_.try_emplace(unit);
    if (fresh) {
      place->second = AlignedRows(1, model_.dimension);
      if (index(unit) < model_.units()) model_.embeddings->decode({&unit, 1}, place->second);
    }
    return {place->second.data(), static_cast<Eigen::Index>(model_.dimension)};
  }

 private:
  const Model& model_;
  std::unordered_map<UnitId, AlignedRows> rows_;
};

}  // namespace

void RetrievalScore::add_rank(double rank) {
  ++queries;
  reciprocal_ranks += 1 / rank;
  hits_at_1 += rank <= 1 ? 1 : 0;
  hits_at_5 += rank <= 5 ? 1 : 0;
}

RetrievalScore& RetrievalScore::operator+=(const RetrievalScore& other) {
  queries += other.queries;
  reciprocal_ranks += other.reciprocal_ranks;
  hits_at_1 += other.hits_at_1;
  hits_at_5 += other.hits_at_5;
  return *this;
}

double rank_of_first(std::span<const double> scores) {
  double rank = 1;
  for (double score : scores.subspan(1)) {
    if (score == scores[0]) {
      rank += 0.5;
    } else if (!(score < scores[0])) {  // also where the first is not a number
      rank += 1;
    }
  }
  return rank;
}

RetrievalScore retrieve(const Window& window, const WindowUnits& units, const Model& model,
                        std::span<const AttributeSettings> attributes, const EvaluationSettings& settings,
                        std::uint64_t seed) {
  RetrievalScore result;
  Random random{seed, kCandidates, window.number};
  const CandidatePool pool(units, model, settings.negatives);
  Lookup lookup(model);
  const Shard records = whole_window(window, units);
  const auto d = static_cast<Eigen::Index>(model.dimension);
  std::vector<Eigen::RowVectorXf> sums(attributes.size());
  std::vector<std::size_t> counts(attributes.size());
  std::vector<double> scores;
  for (std::size_t r = 0; r < records.records(); ++r) {
    for (auto& sum : sums) sum.setZero(d);
    std::fill(counts.begin(), counts.end(), 0);
    for (std::uint32_t slot : records.record(r)) {
      const std::size_t a = index(units.attribute_of(slot));
      sums[a] += lookup(units.units[slot]);
      ++counts[a];
    }
    for (std::uint32_t slot : records.record(r)) {
      const AttributeId attribute = units.attribute_of(slot);
      const std::size_t target = index(attribute);
      if (!attributes[target].target) continue;
      const auto candidates = pool.draw(attribute, window.record(r), slot, settings.candidates, random);
      scores.assign(candidates.size() + 1, 0);
      const Eigen::RowVectorXf others = sums[target] - lookup(units.units[slot]);
      for (std::size_t a = 0; a < attributes.size(); ++a) {
        if (counts[a] <= (a == target ? 1u : 0u)) continue;
        const Eigen::RowVectorXf& context = a == target ? others : sums[a];  // a mean has the same cosines as its sum
        scores[0] += cosine(context, lookup(units.units[slot]));
        for (std::size_t c = 0; c < candidates.size(); ++c) scores[c + 1] += cosine(context, lookup(candidates[c]));
      }
      result.add_rank(rank_of_first(scores));
    }
  }
  return result;
}

}  // namespace meteor
