#include "engine/ranks.h"

#include "support/stop_signal.h"

namespace meteor {

void OneRank::run(const std::function<void()>& owner) {
  outlive_readers();
  owner();
}

std::unique_ptr<Crew> OneRank::crew(const Settings& settings) { return local_crew(settings); }

void settle_shards(Settings& settings, const Ranks& ranks) {
  ParallelSettings& parallel = settings.parallel;
  if (parallel.shards > 0) return;
  const std::uint32_t others = ranks.size() - 1;
  parallel.shards = (parallel.root_trains || others == 0 ? others + 1 : others) * parallel.threads;
}

}  // namespace meteor
