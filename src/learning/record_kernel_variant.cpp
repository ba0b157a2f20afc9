// Compiled once for each instruction set; METEOR_KERNEL_VARIANT names the namespace. Includes nothing that has inline
// functions shared with other sources (see cmake/MeteorTargets.cmake).
#include "kernels/dot_tile.h"
#include "learning/record_kernel.h"

namespace meteor::METEOR_KERNEL_VARIANT {
namespace {

// One step of a row's lanes at i along a gradient.
struct AdaGrad {
  static void step(float* row, std::size_t width, std::size_t i, Lanes gradient, Lanes rate) {
    const Lanes accumulated = multiply_add(gradient, gradient, load(row + width + i));
    store(row + width + i, accumulated);
    store(row + i, subtract(load(row + i), divide(multiply(rate, gradient), square_root(accumulated))));
  }
};
struct FastAdaGrad {
  static void step(float* row, std::size_t width, std::size_t i, Lanes gradient, Lanes rate) {
    const Lanes accumulated = multiply_add(gradient, gradient, load(row + width + i));
    store(row + width + i, accumulated);
    const Lanes length = multiply(rate, rough_inverse_root(accumulated));
    store(row + i, negative_multiply_add(length, gradient, load(row + i)));
  }
};
struct Plain {
  static void step(float* row, std::size_t /*width*/, std::size_t i, Lanes gradient, Lanes rate) {
    store(row + i, negative_multiply_add(rate, gradient, load(row + i)));
  }
};

inline float exp_of(float x) {
  alignas(64) float lanes[kLaneCount];
  store(lanes, exp_lanes(broadcast(x)));
  return lanes[0];
}

/// The products of two rows with each other, if Each is 1, and with N others: a·b, a·o₁, b·o₁, a·o₂, ...
template <int N, int Each>
inline void pair_products(const float* a, const float* b, const float* const* others, std::size_t width, float* out) {
  Lanes sums[Each + 2 * N];
  for (Lanes& sum : sums) sum = broadcast(0.0F);
  for (std::size_t i = 0; i < width; i += kLaneCount) {
    const Lanes left = load(a + i);
    const Lanes right = load(b + i);
    if constexpr (Each == 1) sums[0] = multiply_add(left, right, sums[0]);
    for (int n = 0; n < N; ++n) {
      const Lanes other = load(others[n] + i);
      sums[Each + 2 * n] = multiply_add(left, other, sums[Each + 2 * n]);
      sums[Each + 2 * n + 1] = multiply_add(right, other, sums[Each + 2 * n + 1]);
    }
  }
  horizontal_sums_of<Each + 2 * N>(sums, out);
}

/// The same for at most N others.
template <int N>
void pair_products_of(const float* a, const float* b, const float* const* others, std::size_t count, std::size_t width,
                      float* out) {
  if constexpr (N > 0) {
    if (count < N) return pair_products_of<N - 1>(a, b, others, count, width, out);
  }
  pair_products<N, 1>(a, b, others, width, out);
}

/// Ψ over all pairs of the given rows; `pairs` has room for count² + kLaneCount floats.
float agreement(const float* const* rows, std::size_t count, std::size_t width, float* pairs) {
  std::size_t filled = 0;
  for (std::size_t first = 0; first + 2 <= count; first += 2) {  // two rows against all later ones, in tiles
    std::size_t other = first + 2;
    const std::size_t odd = (count - other) % kTileColumns;
    pair_products_of<kTileColumns - 1>(rows[first], rows[first + 1], rows + other, odd, width, pairs + filled);
    filled += 1 + 2 * odd;
    for (other += odd; other < count; other += kTileColumns) {
      pair_products<kTileColumns, 0>(rows[first], rows[first + 1], rows + other, width, pairs + filled);
      filled += 2 * kTileColumns;
    }
  }
  const std::size_t pair_count = filled;
  while (filled % kLaneCount != 0) pairs[filled++] = -1e30F;  // σ of it is 0
  Lanes sum = broadcast(0.0F);
  for (std::size_t i = 0; i < filled; i += kLaneCount) sum = add(sum, sigmoid(load(pairs + i)));
  return horizontal_sum(sum) / static_cast<float>(pair_count);
}

float agreement_of(const RecordStep& step, float* pairs) {
  if (step.unit_count <= kAgreementUnits) return agreement(step.units, step.unit_count, step.width, pairs);
  const float* spaced[kAgreementUnits];
  for (std::size_t x = 0; x < kAgreementUnits; ++x) spaced[x] = step.units[x * step.unit_count / kAgreementUnits];
  return agreement(spaced, kAgreementUnits, step.width, pairs);
}

/// Rows, and a factor for each: N of them in registers, or, if N is 0, any number where they are. (The compiler could
/// not know that what is stored in rows changes none of these.)
template <int N>
struct Held {
  explicit Held(float* const* from) {
    for (int j = 0; j < N; ++j) row[j] = from[j];
  }
  float* row[N];
};
template <>
struct Held<0> {
  explicit Held(float* const* from) : row(from) {}
  float* const* row;
};
template <int N>
struct Factors {
  explicit Factors(const float* from) {
    for (int j = 0; j < N; ++j) factor[j] = broadcast(from[j]);
  }
  Lanes operator[](std::size_t j) const { return factor[j]; }
  Lanes factor[N];
};
template <>
struct Factors<0> {
  explicit Factors(const float* from) : factor(from) {}
  Lanes operator[](std::size_t j) const { return broadcast(factor[j]); }
  const float* factor;
};

/// A record being learnt, its units one after the other.
template <class Rule>
class RecordLearner {
 public:
  explicit RecordLearner(const RecordStep& step)
      : step_(step),
        width_(step.width),
        per_unit_(step.negatives_per_unit),
        sum_(step.scratch),
        total_(sum_ + width_),
        own_(total_ + width_),
        errors_(own_ + step.unit_count * width_),
        pairs_(errors_ + 2 * padded_width(per_unit_ + 1)) {}

  float learn() {
    const std::size_t m = step_.unit_count;
    for (std::size_t x = 0; x < m; ++x) weight_ += step_.weights[x];
    for (std::size_t i = 0; i < width_; i += kLaneCount) {
      Lanes s = broadcast(0.0F);
      for (std::size_t x = 0; x < m; ++x) s = multiply_add(broadcast(step_.weights[x]), load(step_.units[x] + i), s);
      store(sum_ + i, s);
      store(total_ + i, broadcast(0.0F));
    }
    // Nothing waits long for its scores: those of the first unit come before the agreement, those of each other one
    // before its predecessor moves negatives, unless it meets them.
    score(0);
    const float psi = agreement_of(step_, pairs_);
    rate_ = broadcast(step_.rate * exp_of(-step_.tau * psi));
    for (std::size_t x = 0; x < m; ++x) {
      const bool last = x + 1 == m;
      const bool early = !last && !moves_for(x, x + 1);
      if (early) score(x + 1);
      move(x);
      if (!last && !early) score(x + 1);
    }

    for (std::size_t x = 0; x < m; ++x) {
      const Lanes weight = broadcast(step_.weights[x]);
      for (std::size_t i = 0; i < width_; i += kLaneCount) {
        const Lanes gradient = multiply_add(weight, load(total_ + i), load(own_ + x * width_ + i));
        Rule::step(step_.units[x], width_, i, gradient, rate_);
      }
    }
    return psi;
  }

 private:
  float* const* negatives_of(std::size_t x) const { return step_.negatives + x * per_unit_; }
  std::size_t negative_count(std::size_t x) const {
    return per_unit_ > 0 && negatives_of(x)[0] != nullptr ? per_unit_ : 0;
  }
  /// (σ(s − shift) − label)/(W − w_x) of a unit and its negatives.
  float* errors_of(std::size_t x) const { return errors_ + x % 2 * padded_width(per_unit_ + 1); }

  /// Whether a negative of x is the unit y or a negative of it.
  bool moves_for(std::size_t x, std::size_t y) const {
    float* const* const moved = negatives_of(x);
    float* const* const read = negatives_of(y);
    bool found = false;
    for (std::size_t j = 0; j < per_unit_; ++j) {
      found |= moved[j] == step_.units[y];
      for (std::size_t k = 0; k < per_unit_; ++k) found |= moved[j] == read[k];
    }
    return found;
  }

  /// The products of N rows with S − w_x·v_x, which is (W − w_x)·h_x.
  template <int N>
  void context_products(std::size_t x, const float* const* rows, float* out) const {
    const float* const unit = step_.units[x];
    const Lanes weight = broadcast(step_.weights[x]);
    Lanes sums[N];
    for (Lanes& sum : sums) sum = broadcast(0.0F);
    for (std::size_t i = 0; i < width_; i += kLaneCount) {
      const Lanes context = negative_multiply_add(weight, load(unit + i), load(sum_ + i));
      for (int n = 0; n < N; ++n) sums[n] = multiply_add(context, load(rows[n] + i), sums[n]);
    }
    horizontal_sums_of<N>(sums, out);
  }

  void score(std::size_t x) const {
    const float* const unit = step_.units[x];
    float* const* const negatives = negatives_of(x);
    const std::size_t count = negative_count(x);
    float* const errors = errors_of(x);
    std::size_t done = 0;
    if (count >= 3) {
      const float* const rows[] = {unit, negatives[0], negatives[1], negatives[2]};
      context_products<4>(x, rows, errors);
      done = 3;
    } else {
      context_products<1>(x, &unit, errors);
    }
    for (; done < count; ++done) context_products<1>(x, negatives + done, errors + 1 + done);

    const float share_of_one = 1.0F / (weight_ - step_.weights[x]);
    float* const scores = step_.scores + x * (per_unit_ + 1);
    for (std::size_t j = 0; j <= count; ++j) scores[j] = errors[j] *= share_of_one;
    for (std::size_t j = count + 1; j <= per_unit_; ++j) scores[j] = 0;
    const Lanes share = broadcast(share_of_one);
    const Lanes shift = broadcast(step_.shift);
    for (std::size_t j = 0; j <= count; j += kLaneCount) {
      store(errors + j, multiply(sigmoid(subtract(load(errors + j), shift)), share));
    }
    errors[0] -= share_of_one;
  }

  /// The negatives of a unit whose turn is still to come, or, where there are none, those of x.
  float* const* coming(std::size_t later, std::size_t x) const {
    return negatives_of(later < step_.unit_count && negative_count(later) > 0 ? later : x);
  }

  /// Notes the gradients of x and moves its negatives.
  void move(std::size_t x) const {
    if (per_unit_ == 3 && negative_count(x) == 3) return move<3>(x, 3);  // the usual number, unrolled
    move<0>(x, negative_count(x));
  }

  template <int N>
  void move(std::size_t x, std::size_t any_count) const {
    const std::size_t count = N > 0 ? N : any_count;
    const std::size_t width = width_;
    const float* const unit = step_.units[x];
    const float* const sum = sum_;
    float* const total = total_;
    float* const own = own_ + x * width;
    const Held<N> negatives(negatives_of(x)), moved_next(coming(x + 1, x)), scored_next(coming(x + 2, x));
    const Lanes positive_error = broadcast(errors_of(x)[0]);
    const Factors<N> errors(errors_of(x) + 1);
    const Lanes rate = rate_;
    const Lanes weight = broadcast(step_.weights[x]);
    for (std::size_t i = 0; i < width; i += kLaneCount) {
      const Lanes v = load(unit + i);
      const Lanes context = negative_multiply_add(weight, v, load(sum + i));
      Lanes gradient = multiply(positive_error, v);  // g_x/(W − w_x)
      for (std::size_t j = 0; j < count; ++j) {
        gradient = multiply_add(errors[j], load(negatives.row[j] + i), gradient);
      }
      store(total + i, add(load(total + i), gradient));
      store(own + i, negative_multiply_add(weight, gradient, multiply(positive_error, context)));
      for (std::size_t j = 0; j < count; ++j) {
        Rule::step(negatives.row[j], width, i, multiply(errors[j], context), rate);
        __builtin_prefetch(moved_next.row[j] + width + i);
        __builtin_prefetch(scored_next.row[j] + i);
      }
    }
  }

  const RecordStep& step_;
  std::size_t width_;
  std::size_t per_unit_;
  float weight_ = 0;  // W = Σ_x w_x
  float* sum_;        // S = Σ_x w_x·v_x
  float* total_;      // T = Σ_x g_x/(W − w_x)
  float* own_;        // of each unit, what its step takes besides w_x·T
  float* errors_;     // of two units in turn
  float* pairs_;
  Lanes rate_;
};

}  // namespace

float learn_record(const RecordStep& step) { return RecordLearner<AdaGrad>(step).learn(); }

float learn_record_fast(const RecordStep& step) { return RecordLearner<FastAdaGrad>(step).learn(); }

float learn_record_plainly(const RecordStep& step) { return RecordLearner<Plain>(step).learn(); }

}  // namespace meteor::METEOR_KERNEL_VARIANT
