#include "engine/shard_work.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <mutex>
#include <optional>

#include "support/bfloat16.h"
#include "support/threads.h"

namespace meteor {
namespace {

/// As if they had travelled, also where they need not: who works on a shard must not show.
void round_steps(AlignedRows& steps) {
  for (std::size_t i = 0; i < steps.rows(); ++i) {
    for (float& value : steps.row(i)) value = from_bfloat16(bfloat16_of(value));
  }
}

std::unique_ptr<WindowStart> start_of(const ShardWork& work) {
  const LearningSettings& learning = work.settings.learning;
  if (work.given != nullptr) {
    return std::make_unique<GivenStart>(work.units, *work.given, learning.dimension, learning.seed, work.model);
  }
  assert(work.model != nullptr);
  return std::make_unique<ModelStart>(work.units, *work.model, learning.seed);
}

LearningSettings learning_of(const ShardWork& work) {
  LearningSettings learning = work.settings.learning;
  if (work.model != nullptr && work.model->embeddings->pulled_to_start()) {
    learning.hold += work.settings.compression.pull;
  }
  return learning;
}

LearntShard work_on(const ShardWork& work, const WindowStart& start, const Shard& shard, PhaseSeconds& seconds) {
  LearntShard done;
  if (work.test != nullptr) {
    const PhaseTimer timer(seconds.evaluate);
    const EvaluationSettings& evaluation = work.settings.evaluation;
    const Model* vocabulary = evaluation.negatives == CandidateSource::vocabulary ? work.model : nullptr;
    done.score =
        retrieve(shard, work.units, start, vocabulary, work.settings.attributes, evaluation.candidates,
                 work.settings.learning.seed, work.test->seen, work.test->newcomers ? &*work.test->newcomers : nullptr);
  }
  std::optional<CostlyEmbeddings> costly;
  {
    const PhaseTimer timer(seconds.reconstruct);
    costly.emplace(work.units, shard, start);
  }
  const PhaseTimer timer(seconds.optimise);
  done.update = learn(work.units, shard, *costly, learning_of(work), work.epochs, work.kernel, work.abandon);
  if (work.settings.parallel.wire == WireFormat::bfloat16) round_steps(done.update.steps);
  return done;
}

}  // namespace

PhaseSeconds work_off(const ShardWork& work, std::span<const Shard* const> shards,
                      const std::function<void(LearntShard)>& take) {
  std::mutex mutex;
  PhaseSeconds total;
  const std::unique_ptr<WindowStart> start = start_of(work);
  const std::size_t threads = work.settings.parallel.threads;
  share_work(threads, shards.size(), [&](std::size_t i) {
    PhaseSeconds seconds;
    LearntShard done = work_on(work, *start, *shards[i], seconds);
    const std::lock_guard lock(mutex);
    total += seconds;
    take(std::move(done));
  });
  return total / static_cast<double>(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, shards.size())));
}

}  // namespace meteor
