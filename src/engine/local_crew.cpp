#include "engine/crew.h"
#include "engine/shard_work.h"
#include "model/local_block_workers.h"
#include "support/memory.h"

namespace meteor {
namespace {

/// A window that was learnt as soon as it was begun.
class LearntAtOnce final : public WindowInProgress {
 public:
  explicit LearntAtOnce(TaskReport report) : report_(std::move(report)) {}
  TaskReport finish() override { return report_; }

 private:
  TaskReport report_;
};

class LocalCrew final : public Crew {
 public:
  explicit LocalCrew(const Settings& settings) : settings_(settings), blocks_(settings.parallel.threads) {}

  std::uint32_t ranks() const override { return 1; }
  void replicate(const Model& /*model*/) override {}
  void follow(const WindowUnits& /*window*/, std::span<const Array> /*changes*/) override {}

  std::unique_ptr<WindowInProgress> begin(const WindowTask& task, const Model& model, ShardMerge& merge) override {
    const ShardWork work{.settings = settings_,
                         .units = task.units,
                         .given = task.start,
                         .model = &model,
                         .epochs = task.epochs,
                         .test = task.test,
                         .abandon = [&task] { return task.given_up(); }};
    std::vector<const Shard*> shards;
    for (const Shard& shard : task.shards) shards.push_back(&shard);
    std::vector<RetrievalScore> scores(task.shards.size());
    TaskReport report;
    report.seconds = work_off(work, shards, [&](LearntShard done) {
      scores[done.update.number] = done.score;
      merge.add(std::move(done.update));
    });
    for (const RetrievalScore& score : scores) report.score += score;
    return std::make_unique<LearntAtOnce>(std::move(report));
  }

  std::unique_ptr<SharedBlocks> share_out(std::vector<WorkBlock> blocks) override {
    return blocks_.share_out(std::move(blocks));
  }
  std::size_t threads() const override { return blocks_.threads(); }
  Traffic traffic() const override { return {}; }
  std::vector<std::uint64_t> peak_rss_bytes() const override { return {meteor::peak_rss_bytes()}; }

 private:
  const Settings& settings_;
  LocalBlockWorkers blocks_;
};

}  // namespace

std::unique_ptr<Crew> local_crew(const Settings& settings) { return std::make_unique<LocalCrew>(settings); }

}  // namespace meteor
