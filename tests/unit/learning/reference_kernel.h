#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learning/record_kernel.h"

namespace meteor::testing {

/// Eq. 3 to 6 with plain loops, in the same order of events; `adagrad` is Eq. 6, otherwise steps are plain.
inline float reference_learn_by(bool adagrad, const RecordStep& step) {
  const std::size_t m = step.unit_count, width = step.width, per_unit = step.negatives_per_unit;
  const auto sigmoid = [](float x) { return 1 / (1 + std::exp(-x)); };
  const auto dot = [&](const float* a, const float* b) {
    float sum = 0;
    for (std::size_t i = 0; i < width; ++i) sum += a[i] * b[i];
    return sum;
  };

  const std::size_t compared = std::min(m, kAgreementUnits);
  float psi = 0;
  for (std::size_t x = 0; x < compared; ++x) {
    for (std::size_t y = 0; y < x; ++y) {
      psi += sigmoid(dot(step.units[x * m / compared], step.units[y * m / compared]));
    }
  }
  psi /= static_cast<float>(compared * (compared - 1) / 2);
  const float rate = step.rate * std::exp(-step.tau * psi);
  const auto take_step = [&](float* row, std::size_t i, float gradient) {
    if (adagrad) row[width + i] += gradient * gradient;
    row[i] -= rate * gradient / (adagrad ? std::sqrt(row[width + i]) : 1);
  };

  std::vector<float> sum(width), all(width), h(width);    // S, Σ_x g_x/(W − w_x), h_x
  std::vector<float> context(m * width), own(m * width);  // g_x/(W − w_x), and the gradient of x as a target
  float weight = 0;                                       // W
  for (std::size_t x = 0; x < m; ++x) {
    weight += step.weights[x];
    for (std::size_t i = 0; i < width; ++i) sum[i] += step.weights[x] * step.units[x][i];
  }
  for (std::size_t x = 0; x < m; ++x) {
    const float others = weight - step.weights[x];
    for (std::size_t i = 0; i < width; ++i) h[i] = (sum[i] - step.weights[x] * step.units[x][i]) / others;
    std::vector<float> errors;
    for (std::size_t j = 0; j <= per_unit; ++j) {
      const float* target = j == 0 ? step.units[x] : step.negatives[x * per_unit + j - 1];
      const float score = target == nullptr ? 0 : dot(target, h.data());
      step.scores[x * (per_unit + 1) + j] = score;
      errors.push_back(target == nullptr ? 0 : sigmoid(score - step.shift) - (j == 0 ? 1.0F : 0.0F));
      for (std::size_t i = 0; target != nullptr && i < width; ++i)
        context[x * width + i] += errors[j] * target[i] / others;
    }
    for (std::size_t i = 0; i < width; ++i) {
      all[i] += context[x * width + i];
      own[x * width + i] = errors[0] * h[i];
      for (std::size_t j = 0; j < per_unit; ++j) {
        if (step.negatives[x * per_unit + j] != nullptr)
          take_step(step.negatives[x * per_unit + j], i, errors[j + 1] * h[i]);
      }
    }
  }
  for (std::size_t y = 0; y < m; ++y) {
    for (std::size_t i = 0; i < width; ++i) {
      take_step(step.units[y], i, own[y * width + i] + step.weights[y] * (all[i] - context[y * width + i]));
    }
  }
  return psi;
}

/// The slow twins of learn_record and learn_record_plainly.
inline float reference_learn_record(const RecordStep& step) { return reference_learn_by(true, step); }
inline float reference_learn_record_plainly(const RecordStep& step) { return reference_learn_by(false, step); }

}  // namespace meteor::testing
