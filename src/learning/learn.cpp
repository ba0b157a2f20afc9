#include "learning/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learning/negative_sampler.h"
#include "support/abandonment.h"
#include "support/finite.h"
#include "support/pulse.h"
#include "support/random.h"

namespace meteor {
namespace {

/// −log σ(x)
double log_loss(float x) { return x > 0 ? std::log1p(std::exp(-x)) : std::log1p(std::exp(x)) - x; }

/// The penalty that holds the units which a model knows where the learning of a window starts, w/2·‖v − v₀‖². Its
/// proximal step, v₀ + (v − v₀)/(1 + ηw), is stable however large the weight is.
class Hold {
 public:
  Hold(CostlyEmbeddings& costly, std::size_t slots, const LearningSettings& settings)
      : share_(static_cast<float>(1 / (1 + rate_of(settings) * settings.hold))), start_of_(slots) {
    if (settings.hold == 0) return;
    const auto& own = costly.own().slots;
    starts_ = AlignedRows(own.size(), costly.dimension());
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!costly.knows(own[i])) continue;
      std::copy_n(costly.row(own[i]), costly.dimension(), starts_.row(i).begin());
      start_of_[own[i]] = starts_.row(i).data();
    }
  }

  void pull_back(std::uint32_t slot, float* row) const {
    const float* const start = start_of_[slot];
    if (start == nullptr) return;
    for (std::size_t i = 0; i < starts_.width(); ++i) row[i] = start[i] + (row[i] - start[i]) * share_;
  }

 private:
  float share_;
  AlignedRows starts_;
  std::vector<const float*> start_of_;  // by slot
};

LearnRecord chosen(const RecordKernel& kernel, const LearningSettings& settings) {
  if (settings.optimiser == Optimiser::sgd) return kernel.learn_plainly;
  return settings.arithmetic == Arithmetic::fast ? kernel.learn_fast : kernel.learn;
}

/// A shard being learnt: the rows it works on and the memory that one record needs, reused.
class ShardLearner {
 public:
  ShardLearner(const WindowUnits& window, const Shard& shard, CostlyEmbeddings& costly,
               const LearningSettings& settings, const RecordKernel& kernel)
      : window_(window),
        shard_(shard),
        settings_(settings),
        learn_record_(chosen(kernel, settings)),
        shift_(static_cast<float>(shift_of(settings))),
        costly_(costly),
        hold_(costly, window.size(), settings),
        sampler_(window.counts, window.attribute_ends),
        attribute_of_slot_(window.size()) {
    for (std::uint32_t slot = 0; slot < window.size(); ++slot) attribute_of_slot_[slot] = window.attribute_of(slot);
    std::size_t longest = 0;
    for (std::size_t r = 0; r < shard.records(); ++r) longest = std::max(longest, shard.record(r).size());
    const std::size_t per_unit = settings.negatives;
    unit_rows_.resize(longest);
    weights_.resize(longest);
    units_of_attribute_.resize(window.attribute_ends.size());
    drawn_.resize(longest * per_unit);
    negative_rows_.resize(longest * per_unit);
    scores_.resize(longest * (per_unit + 1));
    scratch_ = AlignedRows(1, record_scratch_floats(longest, per_unit, costly_.width()));
  }

  /// Throws if one of the shard's own units starts from an embedding that is not finite. A record's step spreads it to
  /// all of the record's units, after which nobody could say where it came from.
  void check_start() {
    const auto broken = [&](std::uint32_t slot) { return !all_finite({costly_.row(slot), 2 * costly_.width()}); };
    const auto& own = costly_.own().slots;
    if (std::none_of(own.begin(), own.end(), broken)) return;
    for (std::size_t r = 0; r < shard_.records(); ++r) {
      for (std::uint32_t slot : shard_.record(r)) {
        if (broken(slot)) throw NotFinite(window_.window, shard_.record_numbers[r], window_.units[slot]);
      }
    }
  }

  void learn_record(std::size_t r, Random& random) {
    const auto record = shard_.record(r);
    const std::size_t per_unit = settings_.negatives;
    for (std::size_t x = 0; x < record.size(); ++x) {
      unit_rows_[x] = costly_.row(record[x]);
      const std::size_t attribute = index(attribute_of_slot_[record[x]]);
      const bool drawable = sampler_.can_draw(attribute);
      for (std::size_t j = x * per_unit; j < (x + 1) * per_unit; ++j) {
        if (drawable) drawn_[j] = sampler_.draw(attribute, record[x], random);
        negative_rows_[j] = drawable ? costly_.row(drawn_[j]) : nullptr;
      }
    }
    costly_.rebuild_drawn();
    weigh(record);
    const RecordStep step{.units = unit_rows_.data(),
                          .unit_count = record.size(),
                          .weights = weights_.data(),
                          .negatives = negative_rows_.data(),
                          .negatives_per_unit = per_unit,
                          .width = costly_.width(),
                          .rate = static_cast<float>(rate_of(settings_)),
                          .tau = static_cast<float>(settings_.tau),
                          .shift = shift_,
                          .scratch = scratch_.data(),
                          .scores = scores_.data()};
    const float agreement = learn_record_(step);
    if (!std::isfinite(agreement) || !all_finite(scores_of(record.size()))) throw blame(r);
    if (settings_.hold > 0) hold_back(record);
  }

  void weigh(std::span<const std::uint32_t> record) {
    std::ranges::fill(units_of_attribute_, 0);
    for (const std::uint32_t slot : record) ++units_of_attribute_[index(attribute_of_slot_[slot])];
    for (std::size_t x = 0; x < record.size(); ++x) {
      weights_[x] = context_weight(settings_.context, units_of_attribute_[index(attribute_of_slot_[record[x]])]);
    }
  }

  /// The loss of the record that was learnt last, from the scores before its step (Eq. 3).
  double last_loss(std::size_t unit_count) const {
    const std::size_t per_unit = settings_.negatives;
    double loss = 0;
    for (std::size_t x = 0; x < unit_count; ++x) {
      const float* scores = scores_.data() + x * (per_unit + 1);
      loss += log_loss(scores[0] - shift_);
      for (std::size_t j = 0; j < per_unit; ++j) {
        if (negative_rows_[x * per_unit + j] != nullptr) loss += log_loss(shift_ - scores[1 + j]);
      }
    }
    return loss;
  }

 private:
  /// All whom the record's step moved.
  void hold_back(std::span<const std::uint32_t> record) {
    for (std::size_t x = 0; x < record.size(); ++x) hold_.pull_back(record[x], unit_rows_[x]);
    for (std::size_t j = 0; j < record.size() * settings_.negatives; ++j) {
      if (negative_rows_[j] != nullptr) hold_.pull_back(drawn_[j], negative_rows_[j]);
    }
  }

  std::span<const float> scores_of(std::size_t unit_count) const {
    return std::span(scores_).first(unit_count * (settings_.negatives + 1));
  }

  /// Blames the negative whose score is the first that is not finite; if the record's own scores are not either, the
  /// first of its units, or of their negatives, whose embedding is not finite after the step.
  NotFinite blame(std::size_t r) {
    const auto record = shard_.record(r);
    const auto first = std::find_if(scores_.begin(), scores_.end(), [](float x) { return !std::isfinite(x); });
    const auto place = static_cast<std::size_t>(first - scores_.begin());
    const std::size_t per_unit = settings_.negatives;
    if (place < record.size() * (per_unit + 1) && place % (per_unit + 1) > 0) {
      const std::uint32_t negative = drawn_[place / (per_unit + 1) * per_unit + place % (per_unit + 1) - 1];
      return {window_.window, shard_.record_numbers[r], window_.units[negative]};
    }
    std::vector<std::uint32_t> suspects(record.begin(), record.end());
    suspects.insert(suspects.end(), drawn_.begin(),
                    drawn_.begin() + static_cast<std::ptrdiff_t>(record.size() * settings_.negatives));
    const auto culprit = std::find_if(suspects.begin(), suspects.end(), [&](std::uint32_t slot) {
      return !all_finite({costly_.row(slot), 2 * costly_.width()});
    });
    return {window_.window, shard_.record_numbers[r], window_.units[culprit == suspects.end() ? record[0] : *culprit]};
  }

  const WindowUnits& window_;
  const Shard& shard_;
  const LearningSettings& settings_;
  LearnRecord learn_record_;
  float shift_;
  CostlyEmbeddings& costly_;
  Hold hold_;
  NegativeSampler sampler_;
  std::vector<AttributeId> attribute_of_slot_;
  std::vector<std::size_t> units_of_attribute_;
  std::vector<float*> unit_rows_;
  std::vector<float> weights_;
  std::vector<std::uint32_t> drawn_;
  std::vector<float*> negative_rows_;
  std::vector<float> scores_;
  AlignedRows scratch_;
};

}  // namespace

double shift_of(const LearningSettings& settings) {
  constexpr double kBeyondLog = 0.5;
  if (settings.shift) return *settings.shift;
  return std::log(std::max<double>(1, settings.negatives)) + kBeyondLog;
}

float context_weight(Context context, std::size_t units_of_attribute) {
  return context == Context::mean ? 1 : 1 / std::sqrt(static_cast<float>(units_of_attribute));
}

NotFinite::NotFinite(std::uint64_t in_window, std::uint64_t in_record, UnitId of_unit)
    : NumericError(fmt::format("window {}: record {}: the embedding of unit {} is not finite", in_window, in_record,
                               index(of_unit))),
      window(in_window),
      record(in_record),
      unit(of_unit) {}

ShardUpdate learn(const WindowUnits& window, const Shard& shard, CostlyEmbeddings& costly,
                  const LearningSettings& settings, EpochRange epochs, const RecordKernel& kernel,
                  const std::function<bool()>& abandon) {
  ShardUpdate update;
  update.number = shard.number;
  ShardLearner learner(window, shard, costly, settings, kernel);
  learner.check_start();
  for (std::uint32_t epoch = epochs.first; epoch < epochs.end; ++epoch) {
    Random random{settings.seed, window.window, shard.number, epoch};
    for (std::size_t r = 0; r < shard.records(); ++r) {
      if (abandon && abandon()) throw Abandoned{};
      learner.learn_record(r, random);
      Pulse::beat();
      if (epoch + 1 == epochs.end) {
        update.loss += learner.last_loss(shard.record(r).size());
        update.losses += shard.record(r).size();
      }
    }
    update.unit_steps += shard.slots.size();
  }

  const auto refuse_broken = [&](std::uint32_t slot) {
    if (all_finite({costly.row(slot), 2 * costly.width()})) return;
    throw NotFinite(window.window, shard.record_numbers.back(), window.units[slot]);
  };
  for (std::uint32_t slot : costly.own().slots) {
    refuse_broken(slot);
    update.growths.push_back(costly.accumulator_growth(slot));
  }
  for (std::uint32_t slot : costly.others()) refuse_broken(slot);
  update.slots = costly.own().slots;
  update.counts = costly.own().counts;
  update.other_slots = costly.others();
  update.other_steps = costly.other_steps();
  update.steps = costly.take_own_steps();
  return update;
}

}  // namespace meteor
