#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/instruction_set.h"
#include "kernels/padded_rows.h"

namespace meteor {

/// One step of learning: a record, the negatives drawn for its units, and the rows they live in. A row is `width`
/// floats of embedding followed by `width` floats of AdaGrad's accumulator, aligned to 64 bytes; accumulators are at
/// least 2⁻¹⁰⁰.
struct RecordStep {
  float* const* units;
  std::size_t unit_count;   ///< at least 2
  const float* weights;     ///< of each unit among the context of the others, above 0
  float* const* negatives;  ///< those of unit i start at i * negatives_per_unit; null where none could be drawn
  std::size_t negatives_per_unit;
  std::size_t width;
  float rate;      ///< η
  float tau;       ///< τ
  float shift;     ///< taken off every score before σ
  float* scratch;  ///< record_scratch_floats() floats, aligned to 64 bytes
  float* scores;   ///< out: for each unit its own score, then those of its negatives (0 where null)
};

/// The agreement Ψ is the mean over all pairs of a record's units up to this many units; of a longer record, over the
/// pairs of this many evenly spaced ones, so that a record costs time linear in its length.
inline constexpr std::size_t kAgreementUnits = 256;

constexpr std::size_t record_scratch_floats(std::size_t unit_count, std::size_t negatives, std::size_t width) {
  const std::size_t compared = unit_count < kAgreementUnits ? unit_count : kAgreementUnits;
  return (unit_count + 2) * width + compared * compared + 2 * padded_width(negatives + 1) + kLaneCount;
}

/// Learns one record (Eq. 3 to 6) and returns its agreement Ψ:
///  - lr = η·exp(−τΨ), Ψ the mean of σ(v_x·v_y) over pairs;
///  - the context of x is h_x, the weighted mean of the record's other units; a negative n takes the AdaGrad step of
///  σ(n·h_x − shift)·h_x at once;
///  - every unit takes one AdaGrad step with its gradients as a target and as context summed.
using LearnRecord = float (*)(const RecordStep&);

namespace baseline {
float learn_record(const RecordStep& step);
float learn_record_fast(const RecordStep& step);
float learn_record_plainly(const RecordStep& step);
}  // namespace baseline
namespace avx2 {
float learn_record(const RecordStep& step);
float learn_record_fast(const RecordStep& step);
float learn_record_plainly(const RecordStep& step);
}  // namespace avx2
namespace avx512 {
float learn_record(const RecordStep& step);
float learn_record_fast(const RecordStep& step);
float learn_record_plainly(const RecordStep& step);
}  // namespace avx512

/// A kernel and the instruction set that it is compiled for. avx2 and avx512 give the same bits, except of learn_fast;
/// baseline, which has no fused multiply-add, agrees with them within rounding.
struct RecordKernel {
  std::string_view instruction_set;
  LearnRecord learn;
  /// With the machine's approximate reciprocal square root: steps differ by a factor of at most 1 ± 2⁻¹⁴ (avx512) or
  /// 1 ± 1.5·2⁻¹² (avx2) and may differ between makers of processors; those of baseline are exact to rounding.
  LearnRecord learn_fast;
  LearnRecord learn_plainly;  ///< with steps of lr times the gradient; accumulators stay as they are
};

/// The fastest kernel that this machine can run.
RecordKernel best_record_kernel();

}  // namespace meteor
