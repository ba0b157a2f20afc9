// Compiled once for each instruction set; METEOR_KERNEL_VARIANT names the namespace. Includes nothing that has inline
// functions shared with other sources (see cmake/MeteorTargets.cmake).
#include "kernels/dot_tile.h"
#include "learning/record_kernel.h"

namespace meteor::METEOR_KERNEL_VARIANT {
namespace {

/// Dot products of one row with `count` rows.
inline void dots(const float* left, const float* const* right, std::size_t count, std::size_t width, float* out) {
  std::size_t done = 0;
  for (; done + 4 <= count; done += 4) dot_tile<1, 4>(&left, right + done, width, out + done);
  for (; done < count; ++done) dot_tile<1, 1>(&left, right + done, width, out + done);
}

/// Replaces each of `count` numbers (a multiple of kLaneCount) by its σ.
inline void sigmoid_in_place(float* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLaneCount) store(numbers + i, sigmoid(load(numbers + i)));
}

inline float exp_of(float x) {
  alignas(64) float lanes[kLaneCount];
  store(lanes, exp_lanes(broadcast(x)));
  return lanes[0];
}

/// Ψ over all pairs of the given rows; `pairs` has room for count² + kLaneCount floats.
float agreement(float* const* rows, std::size_t count, std::size_t width, float* pairs) {
  std::size_t filled = 0;
  std::size_t first = 0;
  for (; first + 2 <= count; first += 2) {  // two rows against all later ones, in tiles
    float tile[2 * kTileColumns];
    const float* left[2] = {rows[first], rows[first + 1]};
    dot_tile<1, 1>(left, left + 1, width, pairs + filled++);
    std::size_t other = first + 2;
    for (; other + kTileColumns <= count; other += kTileColumns) {
      dot_tile<2, kTileColumns>(left, rows + other, width, tile);
      for (int column = 0; column < kTileColumns; ++column) {  // in the order that is the same for every tile
        pairs[filled++] = tile[column];
        pairs[filled++] = tile[kTileColumns + column];
      }
    }
    for (; other < count; ++other) {
      dot_tile<2, 1>(left, rows + other, width, tile);
      pairs[filled++] = tile[0];
      pairs[filled++] = tile[1];
    }
  }
  const std::size_t pair_count = filled;
  while (filled % kLaneCount != 0) pairs[filled++] = -1e30F;  // σ of it is 0
  Lanes sum = broadcast(0.0F);
  for (std::size_t i = 0; i < filled; i += kLaneCount) sum = add(sum, sigmoid(load(pairs + i)));
  return horizontal_sum(sum) / static_cast<float>(pair_count);
}

// One step of a row's lanes at i along a gradient.
struct AdaGrad {
  static void step(float* row, std::size_t width, std::size_t i, Lanes gradient, Lanes rate) {
    const Lanes accumulated = multiply_add(gradient, gradient, load(row + width + i));
    store(row + width + i, accumulated);
    store(row + i, subtract(load(row + i), divide(multiply(rate, gradient), square_root(accumulated))));
  }
};
struct Plain {
  static void step(float* row, std::size_t /*width*/, std::size_t i, Lanes gradient, Lanes rate) {
    store(row + i, negative_multiply_add(rate, gradient, load(row + i)));
  }
};

template <class Rule>
float learn_by(const RecordStep& step) {
  const std::size_t width = step.width;
  const std::size_t m = step.unit_count;
  float* const sum = step.scratch;       // S
  float* const context = sum + width;    // S − v_x, which is (m − 1)·h_x
  float* const total = context + width;  // T = Σ_x g_x
  float* const own = total + width;      // G_x, a row a unit
  float* const pairs = own + m * width;

  for (std::size_t i = 0; i < width; i += kLaneCount) {
    Lanes s = load(step.units[0] + i);
    for (std::size_t x = 1; x < m; ++x) s = add(s, load(step.units[x] + i));
    store(sum + i, s);
    store(total + i, broadcast(0.0F));
  }

  float psi = 0;
  if (m <= kAgreementUnits) {
    psi = agreement(step.units, m, width, pairs);
  } else {
    float* spaced[kAgreementUnits];
    for (std::size_t x = 0; x < kAgreementUnits; ++x) spaced[x] = step.units[x * m / kAgreementUnits];
    psi = agreement(spaced, kAgreementUnits, width, pairs);
  }
  const Lanes rate = broadcast(step.rate * exp_of(-step.tau * psi));

  const float share = 1.0F / static_cast<float>(m - 1);
  for (std::size_t x = 0; x < m; ++x) {
    float* const unit = step.units[x];
    float* const* const negatives = step.negatives + x * step.negatives_per_unit;
    const std::size_t negative_count =
        step.negatives_per_unit > 0 && negatives[0] != nullptr ? step.negatives_per_unit : 0;
    float* const scores = step.scores + x * (step.negatives_per_unit + 1);

    for (std::size_t i = 0; i < width; i += kLaneCount) store(context + i, subtract(load(sum + i), load(unit + i)));
    dots(context, &unit, 1, width, scores);
    dots(context, negatives, negative_count, width, scores + 1);
    for (std::size_t j = 0; j <= negative_count; ++j) scores[j] *= share;
    for (std::size_t j = negative_count + 1; j <= step.negatives_per_unit; ++j) scores[j] = 0;

    float* const errors = pairs;  // (σ(s) − label)/(m − 1); the agreement is done with the space
    for (std::size_t j = 0; j <= negative_count; j += kLaneCount) {
      alignas(64) float lanes[kLaneCount] = {};
      for (std::size_t k = 0; k < kLaneCount && j + k <= negative_count; ++k) lanes[k] = scores[j + k];
      sigmoid_in_place(lanes, kLaneCount);
      for (std::size_t k = 0; k < kLaneCount && j + k <= negative_count; ++k) errors[j + k] = lanes[k] * share;
    }
    errors[0] -= share;

    const Lanes positive_error = broadcast(errors[0]);
    for (std::size_t i = 0; i < width; i += kLaneCount) {
      Lanes gradient = multiply(positive_error, load(unit + i));  // g_x/(m − 1)
      for (std::size_t j = 0; j < negative_count; ++j) {
        gradient = multiply_add(broadcast(errors[j + 1]), load(negatives[j] + i), gradient);
      }
      const Lanes h = load(context + i);
      store(total + i, add(load(total + i), gradient));
      store(own + x * width + i, negative_multiply_add(positive_error, h, gradient));
      for (std::size_t j = 0; j < negative_count; ++j) {
        Rule::step(negatives[j], width, i, multiply(broadcast(errors[j + 1]), h), rate);
      }
    }
  }

  for (std::size_t x = 0; x < m; ++x) {
    for (std::size_t i = 0; i < width; i += kLaneCount) {
      Rule::step(step.units[x], width, i, subtract(load(total + i), load(own + x * width + i)), rate);
    }
  }
  return psi;
}

}  // namespace

float learn_record(const RecordStep& step) { return learn_by<AdaGrad>(step); }

float learn_record_plainly(const RecordStep& step) { return learn_by<Plain>(step); }

}  // namespace meteor::METEOR_KERNEL_VARIANT
