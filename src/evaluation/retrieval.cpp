#include "evaluation/retrieval.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "learning/negative_sampler.h"
#include "support/pulse.h"
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
  explicit CandidatePool(const RetrievalTask& task)
      : units_(task.units),
        from_window_(!task.vocabulary),
        sampler_(units_.counts, units_.attribute_ends),
        known_(units_.attribute_ends.size()) {
    if (from_window_) return;
    for (std::uint32_t i = 0; i < task.vocabulary->size(); ++i) {
      known_[index((*task.vocabulary)[i])].push_back(UnitId{i});
    }
  }

  /// Up to `count` different units of the attribute that the record does not hold; fewer where there are not as many.
  std::vector<Place> draw(std::size_t attribute, std::span<const std::uint32_t> record, std::uint32_t true_slot,
                          std::size_t count, Random& random) const {
    const std::uint32_t begin = units_.attribute_begin(attribute);
    const auto pool = from_window_ ? std::span(units_.units).subspan(begin, units_.attribute_ends[attribute] - begin)
                                   : std::span<const UnitId>(known_[attribute]);  // both are ordered
    std::vector<UnitId> excluded;
    for (std::uint32_t slot : record) {
      if (std::binary_search(pool.begin(), pool.end(), units_.units[slot])) excluded.push_back(units_.units[slot]);
    }
    const std::size_t wanted = std::min(count, pool.size() - excluded.size());
    std::vector<Place> chosen;
    // Rejection is quick unless the attribute has hardly more units than are asked for, or one is nearly all of them.
    for (std::size_t attempt = 0; attempt < 64 * count && chosen.size() < wanted; ++attempt) {
      const std::size_t drawn = from_window_ ? sampler_.draw(attribute, true_slot, random) - begin
                                             : random.below(static_cast<std::uint32_t>(pool.size()));
      if (std::find(excluded.begin(), excluded.end(), pool[drawn]) != excluded.end()) continue;
      excluded.push_back(pool[drawn]);
      chosen.push_back(from_window_ ? begin + drawn : units_.size() + index(pool[drawn]));
    }
    return chosen;
  }

 private:
  const WindowUnits& units_;
  bool from_window_;
  NegativeSampler sampler_;
  std::vector<std::vector<UnitId>> known_;
};

/// Embeddings, decoded when they are first asked for; zero for units that were not learnt before.
class Lookup {
 public:
  Lookup(const WindowUnits& units, const WindowStart& start, const Model* vocabulary)
      : units_(units), start_(start), vocabulary_(vocabulary) {}

  Vector operator()(Place place) {
    auto [entry, fresh] = rows_.try_emplace(place);
    if (fresh) {
      entry->second = AlignedRows(1, start_.dimension());
      const auto slot = static_cast<std::uint32_t>(place);
      float* const row = entry->second.data();
      if (place >= units_.size()) {
        const UnitId unit{static_cast<std::uint32_t>(place - units_.size())};
        vocabulary_->embeddings->decode({&unit, 1}, entry->second);
      } else if (start_.knows(slot)) {
        start_.rebuild({&slot, 1}, {&row, 1});
      }
    }
    return {entry->second.data(), static_cast<Eigen::Index>(start_.dimension())};
  }

 private:
  const WindowUnits& units_;
  const WindowStart& start_;
  const Model* vocabulary_;
  std::unordered_map<Place, AlignedRows> rows_;
};

/// By cosines with the mean of each attribute in the rest of the record.
class EmbeddingScorer final : public CandidateScorer {
 public:
  EmbeddingScorer(const WindowUnits& units, const WindowStart& start, const Model* vocabulary, std::size_t attributes)
      : units_(units),
        dimension_(static_cast<Eigen::Index>(start.dimension())),
        lookup_(units, start, vocabulary),
        sums_(attributes),
        counts_(attributes) {}

  void look_at(std::span<const std::uint32_t> record) override {
    for (auto& sum : sums_) sum.setZero(dimension_);
    std::fill(counts_.begin(), counts_.end(), 0);
    for (std::uint32_t slot : record) {
      const std::size_t a = index(units_.attribute_of(slot));
      sums_[a] += lookup_(slot);
      ++counts_[a];
    }
  }

  void score(std::uint32_t slot, std::span<const Place> others, std::span<double> scores) override {
    const std::size_t target = index(units_.attribute_of(slot));
    std::fill(scores.begin(), scores.end(), 0);
    const Eigen::RowVectorXf rest = sums_[target] - lookup_(slot);
    for (std::size_t a = 0; a < sums_.size(); ++a) {
      if (counts_[a] <= (a == target ? 1u : 0u)) continue;
      const Eigen::RowVectorXf& context = a == target ? rest : sums_[a];  // a mean has the same cosines as its sum
      scores[0] += cosine(context, lookup_(slot));
      for (std::size_t c = 0; c < others.size(); ++c) scores[c + 1] += cosine(context, lookup_(others[c]));
    }
  }

 private:
  const WindowUnits& units_;
  Eigen::Index dimension_;
  Lookup lookup_;
  std::vector<Eigen::RowVectorXf> sums_;  // of the record's units, by attribute
  std::vector<std::size_t> counts_;
};

}  // namespace

void RetrievalScore::add_rank(double rank, bool rare) {
  ++queries;
  if (rare) {
    ++rare_queries;
    rare_reciprocal_ranks += 1 / rank;
  }
  reciprocal_ranks += 1 / rank;
  hits_at_1 += rank <= 1 ? 1 : 0;
  hits_at_5 += rank <= 5 ? 1 : 0;
}

RetrievalScore& RetrievalScore::operator+=(const RetrievalScore& other) {
  queries += other.queries;
  reciprocal_ranks += other.reciprocal_ranks;
  hits_at_1 += other.hits_at_1;
  hits_at_5 += other.hits_at_5;
  rare_queries += other.rare_queries;
  rare_reciprocal_ranks += other.rare_reciprocal_ranks;
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

RetrievalScore retrieve(const RetrievalTask& task, const Shard& records, CandidateScorer& scorer) {
  RetrievalScore result;
  const CandidatePool pool(task);
  std::vector<double> scores;
  for (std::size_t r = 0; r < records.records(); ++r) {
    Random random{task.seed, kCandidates, task.units.window, records.record_numbers[r]};
    const auto record = records.record(r);
    scorer.look_at(record);
    for (std::uint32_t slot : record) {
      const std::size_t target = index(task.units.attribute_of(slot));
      if (!task.attributes[target].target) continue;
      const auto others = pool.draw(target, record, slot, task.candidates, random);
      scores.resize(others.size() + 1);
      scorer.score(slot, others, scores);
      result.add_rank(rank_of_first(scores), !task.rare.empty() && task.rare[slot] != 0);
    }
    Pulse::beat();
  }
  return result;
}

RetrievalScore retrieve(const Shard& records, const WindowUnits& units, const WindowStart& start,
                        const Model* vocabulary, std::span<const AttributeSettings> attributes, std::size_t candidates,
                        std::uint64_t seed, std::span<const std::uint8_t> rare) {
  RetrievalTask task{.units = units, .attributes = attributes, .candidates = candidates, .seed = seed, .rare = rare};
  if (vocabulary != nullptr) task.vocabulary = vocabulary->attributes;
  EmbeddingScorer scorer(units, start, vocabulary, attributes.size());
  return retrieve(task, records, scorer);
}

}  // namespace meteor
