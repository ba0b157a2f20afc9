#include "evaluation/retrieval.h"

#include <algorithm>
#include <unordered_map>

#include "kernels/row_products.h"
#include "learning/negative_sampler.h"
#include "support/pulse.h"
#include "support/random.h"

namespace meteor {
namespace {

constexpr std::uint64_t kCandidates = 0x63616e64;

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

  void copy(Place place, std::span<float> to) {
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
    std::copy_n(entry->second.data(), to.size(), to.begin());
  }

 private:
  const WindowUnits& units_;
  const WindowStart& start_;
  const Model* vocabulary_;
  std::unordered_map<Place, AlignedRows> rows_;
};

/// By embeddings.
class EmbeddingScorer final : public CandidateScorer {
 public:
  EmbeddingScorer(const RetrievalTask& task, const WindowStart& start, const Model* vocabulary,
                  const Newcomers& newcomers)
      : task_(task), dimension_(start.dimension()), newcomers_(newcomers), lookup_(task.units, start, vocabulary) {}

  void look_at(std::span<const std::uint32_t> record) override {
    record_ = record;
    rows_ = AlignedRows(record.size(), dimension_);
    std::vector<AttributeId> attributes;
    std::vector<std::uint32_t> seen;
    for (std::size_t i = 0; i < record.size(); ++i) {
      lookup_.copy(record[i], rows_.row(i));
      attributes.push_back(task_.units.attribute_of(record[i]));
      seen.push_back(seen_before(record[i]));
    }
    context_.emplace(rows_, attributes, seen, task_.attributes.size());
  }

  void score(std::uint32_t slot, std::span<const Place> others, std::span<FitScores> scores) override {
    const auto left_out = static_cast<std::size_t>(std::find(record_.begin(), record_.end(), slot) - record_.begin());
    const AttributeId attribute = task_.units.attribute_of(slot);
    AlignedRows candidates(scores.size(), dimension_);
    lookup_.copy(slot, candidates.row(0));
    for (std::size_t c = 0; c < others.size(); ++c) lookup_.copy(others[c], candidates.row(c + 1));
    const std::vector<double> lengths = row_lengths(candidates);
    for (std::size_t c = 0; c < scores.size(); ++c) {
      if (lengths[c] == 0) newcomers_.lean(attribute, candidates.row(c));
    }
    products_.resize(candidates.rows() * rows_.rows());
    row_products(candidates, rows_, products_.data());
    for (std::size_t c = 0; c < scores.size(); ++c) {
      const auto products = std::span(products_).subspan(c * rows_.rows(), rows_.rows());
      if (lengths[c] > 0) {
        const double bonus = newcomers_.bonus(attribute, seen_before(c == 0 ? slot : others[c - 1]));
        scores[c] = context_->score(products, lengths[c], bonus, left_out);
      } else {  // by means, nothing is known of it
        scores[c] = {context_->score(products, 1, newcomers_.bonus_of_unknown(attribute), left_out).pooled, 0};
      }
    }
  }

 private:
  /// In how many records; 1 where nobody counts them.
  std::uint32_t seen_before(Place place) const { return place < task_.seen.size() ? task_.seen[place] : 1; }

  const RetrievalTask& task_;
  std::size_t dimension_;
  const Newcomers& newcomers_;
  Lookup lookup_;
  std::span<const std::uint32_t> record_;
  AlignedRows rows_;
  std::optional<ContextScores> context_;
  std::vector<float> products_;
};

}  // namespace

void RankSums::add(double rank, bool rare) {
  reciprocal_ranks += 1 / rank;
  hits_at_1 += rank <= 1 ? 1 : 0;
  hits_at_5 += rank <= 5 ? 1 : 0;
  if (rare) rare_reciprocal_ranks += 1 / rank;
}

RankSums& RankSums::operator+=(const RankSums& other) {
  reciprocal_ranks += other.reciprocal_ranks;
  hits_at_1 += other.hits_at_1;
  hits_at_5 += other.hits_at_5;
  rare_reciprocal_ranks += other.rare_reciprocal_ranks;
  return *this;
}

void RetrievalScore::add_ranks(double by_pooled, double by_mean, bool rare) {
  ++queries;
  rare_queries += rare ? 1 : 0;
  pooled.add(by_pooled, rare);
  mean.add(by_mean, rare);
}

RetrievalScore& RetrievalScore::operator+=(const RetrievalScore& other) {
  queries += other.queries;
  rare_queries += other.rare_queries;
  left_out += other.left_out;
  pooled += other.pooled;
  mean += other.mean;
  return *this;
}

double rank_of_first(std::span<const FitScores> scores, Scoring scoring) {
  double rank = 1;
  const double first = scores[0].by(scoring);
  for (const FitScores& other : scores.subspan(1)) {
    const double score = other.by(scoring);
    if (score == first) {
      rank += 0.5;
    } else if (!(score < first)) {  // also where the first is not a number
      rank += 1;
    }
  }
  return rank;
}

std::uint64_t for_each_query(const RetrievalTask& task, const Shard& records,
                             const std::function<void(const Query&)>& show) {
  const CandidatePool pool(task);
  std::uint64_t left_out = 0;
  for (std::size_t r = 0; r < records.records(); ++r) {
    Random random{task.seed, kCandidates, task.units.window, records.record_numbers[r]};
    const auto record = records.record(r);
    for (std::uint32_t slot : record) {
      const std::size_t target = index(task.units.attribute_of(slot));
      if (!task.attributes[target].target) continue;
      const auto others = pool.draw(target, record, slot, task.candidates, random);
      if (others.empty()) {
        ++left_out;
      } else {
        show({r, slot, others});
      }
    }
    Pulse::beat();
  }
  return left_out;
}

RetrievalScore retrieve(const RetrievalTask& task, const Shard& records, CandidateScorer& scorer) {
  RetrievalScore result;
  std::vector<FitScores> scores;
  std::optional<std::size_t> looked_at;
  result.left_out = for_each_query(task, records, [&](const Query& query) {
    if (looked_at != query.record) scorer.look_at(records.record(query.record));
    looked_at = query.record;
    scores.resize(query.others.size() + 1);
    scorer.score(query.slot, query.others, scores);
    result.add_ranks(rank_of_first(scores, Scoring::pooled), rank_of_first(scores, Scoring::mean),
                     !task.seen.empty() && task.seen[query.slot] < kRareBelow);
  });
  return result;
}

RetrievalScore retrieve(const Shard& records, const WindowUnits& units, const WindowStart& start,
                        const Model* vocabulary, std::span<const AttributeSettings> attributes, std::size_t candidates,
                        std::uint64_t seed, std::span<const std::uint32_t> seen, const Newcomers* newcomers) {
  const Newcomers nobody;
  RetrievalTask task{.units = units, .attributes = attributes, .candidates = candidates, .seed = seed, .seen = seen};
  if (vocabulary != nullptr) task.vocabulary = vocabulary->attributes;
  EmbeddingScorer scorer(task, start, vocabulary, newcomers != nullptr ? *newcomers : nobody);
  return retrieve(task, records, scorer);
}

}  // namespace meteor
