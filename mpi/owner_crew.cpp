#include "mpi/owner_crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <optional>

#include "config/load_settings.h"
#include "learning/valid_window.h"
#include "methods/shard_work.h"
#include "mpi/answers.h"
#include "mpi/messages.h"
#include "mpi/remote_blocks.h"
#include "support/build_id.h"
#include "support/host_name.h"
#include "support/log.h"
#include "support/memory.h"
#include "support/stop_signal.h"
#include "support/threads.h"
#include "support/version.h"

namespace meteor {
namespace {

/// From here on a worker that was asked to stop asks rank 0 to, whatever rank 0 is busy with or waits for.
void hear_stops(Mail& mail) {
  mail.set_stop([&mail] {
    if (mail.stop_heard()) pass_on_signals(true, false);
    return false;
  });
}

/// While it lives, a task that is given up is given up by all, too.
class StopToldOfTask {
 public:
  StopToldOfTask(Mail& mail, const WindowTask& task) : mail_(mail) {
    mail.set_stop([&] {
      if (mail.stop_heard()) pass_on_signals(true, false);
      return task.given_up();
    });
  }
  ~StopToldOfTask() { hear_stops(mail_); }
  StopToldOfTask(const StopToldOfTask&) = delete;
  StopToldOfTask& operator=(const StopToldOfTask&) = delete;

 private:
  Mail& mail_;
};

class OwnerCrew final : public Crew {
 public:
  OwnerCrew(const Settings& settings, Mail& mail, std::string_view start)
      : settings_(settings), mail_(mail), exceptions_(std::uncaught_exceptions()) {
    for (std::uint32_t rank = 1; rank < mail.size(); ++rank) workers_.push_back(rank);
    reports_.resize(mail.size());
    mail_.set_patience(settings.parallel.patience);
    hear_stops(mail_);
    welcome(start);
  }
  ~OwnerCrew() override {
    if (std::uncaught_exceptions() == exceptions_) say_last(mail_, MessageKind::stop);
  }

  std::uint32_t ranks() const override { return mail_.size(); }
  std::uint32_t hands() const override { return (mail_.size() - (root_works() ? 0 : 1)) * settings_.parallel.threads; }

  void replicate(const Model& model) override {
    told_.clear();
    mail_.broadcast(replica_message(model));
    mail_.flush();  // the message looks at the model
  }
  void follow(const WindowUnits& window, std::span<const Array> changes) override {
    const bool told = !told_.empty() && told_.front() == window.window;
    if (told) told_.pop_front();
    mail_.broadcast(changes_message(window, changes, !told));
  }

  std::unique_ptr<SharedBlocks> share_out(std::vector<WorkBlock> blocks) override {
    return share_among_ranks(mail_, std::move(blocks), settings_.parallel.threads, root_works());
  }

  /// Ranks of this host wait while rank 0 merges and compresses: their cores are free.
  std::size_t threads() const override {
    return std::clamp<std::size_t>(usable_cores(), 1, (1 + neighbours_) * settings_.parallel.threads);
  }

  TaskReport learn(const WindowTask& task, const Model& model, ShardMerge& merge,
                   const std::function<void()>& meanwhile) override;

  Traffic traffic() const override {
    Traffic traffic{mail_.bytes_sent(), mail_.bytes_received(), mail_.bytes_broadcast(), gathered_};
    for (const WorkerReport& report : reports_) {
      traffic.sent += report.bytes_sent;
      traffic.received += report.bytes_received;
    }
    return traffic;
  }
  std::vector<std::uint64_t> peak_rss_bytes() const override {
    std::vector<std::uint64_t> peaks{meteor::peak_rss_bytes()};
    for (std::size_t rank = 1; rank < reports_.size(); ++rank) peaks.push_back(reports_[rank].peak_rss_bytes);
    return peaks;
  }

 private:
  bool root_works() const { return settings_.parallel.root_trains; }
  void welcome(std::string_view start);
  std::vector<std::vector<const Shard*>> assign(std::span<const Shard> shards) const;

  const Settings& settings_;
  Mail& mail_;
  std::vector<std::uint32_t> workers_;
  std::size_t neighbours_ = 0;         // workers on this host
  std::vector<WorkerReport> reports_;  // the last one of each rank
  std::deque<std::uint64_t> told_;     // windows that the replicas know and whose changes have not been sent
  std::uint64_t gathered_ = 0;
  double own_duties_ = 0;     // seconds that rank 0 spent on other things while the last window was learnt
  double shard_seconds_ = 0;  // that a shard of it took
  int exceptions_;
};

std::string shown_build(const std::string& build) { return build.empty() ? "of unknown build" : build.substr(0, 12); }

void OwnerCrew::welcome(std::string_view start) {
  const std::string version(program_version());
  mail_.broadcast(to_message(Welcome{version, build_id(), settings_json(settings_).dump()}));
  InstructionSet common = best_instruction_set();
  std::map<std::string, std::size_t> ranks_of_host{{host_name(), 1}};
  std::vector<std::uint32_t> awaited = workers_;
  while (!awaited.empty()) {
    Mail::Answer answer = next_answer(mail_, awaited);
    const std::uint32_t from = answer.from;
    std::erase(awaited, from);
    Ready ready;
    take_answer(std::move(answer), MessageKind::ready, [&](const Message& message) { ready = ready_from(message); });
    if (ready.version != version) {
      throw UsageError(fmt::format("rank {} on {} runs meteor {}, rank 0 runs {}: install the same version everywhere",
                                   from, ready.host, ready.version, version));
    }
    if (ready.build != build_id()) {
      throw UsageError(
          fmt::format("rank {} on {} runs another build of meteor {} than rank 0 ({}, not {}): install the same one "
                      "everywhere",
                      from, ready.host, version, shown_build(ready.build), shown_build(build_id())));
    }
    common = std::min(common, instruction_set_of(ready.instruction_set));
    ++ranks_of_host[ready.host];
  }
  neighbours_ = ranks_of_host[host_name()] - 1;
  std::string hosts;
  for (const auto& [host, ranks] : ranks_of_host)
    hosts += fmt::format("{}{} on {}", hosts.empty() ? "" : ", ", ranks, host);
  if (!start.empty()) log_info("{} ranks, {}: {}", mail_.size(), start, hosts);
  limit_instruction_set(common);
  mail_.broadcast(to_message(Agreed{std::string(name_of(common))}));
}

/// Shards cost about the same; each goes to the rank that would be done with it first. Rank 0 may have other duties.
std::vector<std::vector<const Shard*>> OwnerCrew::assign(std::span<const Shard> shards) const {
  std::vector<std::vector<const Shard*>> assigned(mail_.size());
  std::vector<double> loads(mail_.size());
  if (shard_seconds_ > 0) loads[0] = own_duties_ / shard_seconds_;
  const double step = 1.0 / settings_.parallel.threads;
  for (const Shard& shard : shards) {
    const auto least = std::min_element(loads.begin() + (root_works() ? 0 : 1), loads.end());
    *least += step;
    assigned[static_cast<std::size_t>(least - loads.begin())].push_back(&shard);
  }
  return assigned;
}

TaskReport OwnerCrew::learn(const WindowTask& task, const Model& model, ShardMerge& merge,
                            const std::function<void()>& meanwhile) {
  TaskReport report;
  const bool replicated = model.embeddings->compressed();
  const bool from_vocabulary = settings_.evaluation.negatives == CandidateSource::vocabulary;
  std::vector<RetrievalScore> scores(task.shards.size());
  WindowTask asked = task;
  if (task.asks && from_vocabulary && !replicated) {  // any unit may be a candidate, and only rank 0 knows them all
    const PhaseTimer timer(report.seconds.evaluate);
    const SlotRows none;
    const GivenStart start(task.units, task.start != nullptr ? *task.start : none, model.dimension,
                           settings_.learning.seed, &model);
    for (const Shard& shard : task.shards) {
      scores[shard.number] = retrieve(shard, task.units, start, &model, settings_.attributes,
                                      settings_.evaluation.candidates, settings_.learning.seed, task.seen);
    }
    asked.asks = false;
  }

  const auto assigned = assign(task.shards);
  std::optional<SlotRows> known;
  const SentMemory sent(mail_);
  {
    const PhaseTimer timer(report.seconds.scatter);
    const SlotRows* given = task.start;
    if (!replicated) given = &known.emplace(known_rows(task.units, model, task.start));
    if (replicated && task.epochs.begins_learning()) told_.push_back(task.units.window);
    mail_.broadcast(window_message(asked, given));
    for (std::uint32_t rank : workers_) mail_.send(rank, shards_message(assigned[rank]));
  }

  std::vector<bool> taken(task.shards.size());
  const auto take = [&](LearntShard learnt) {
    if (learnt.update.number >= taken.size() || taken[learnt.update.number]) {
      throw TransportError(fmt::format("shard {} has come twice, or is none of the window's", learnt.update.number));
    }
    taken[learnt.update.number] = true;
    require_valid(learnt.update, task.units.size(), model.dimension, task.shards.size());
    scores[learnt.update.number] += learnt.score;
    merge.add(std::move(learnt.update));
  };
  const ShardWork work{.settings = settings_,
                       .units = task.units,
                       .given = task.start,
                       .model = &model,
                       .epochs = task.epochs,
                       .asks = asked.asks,
                       .seen = task.seen,
                       .newcomers = task.newcomers,
                       .abandon = [&task] { return task.given_up(); }};
  const StopToldOfTask told_of_stop(mail_, task);
  const auto learn_own = [&]() -> PhaseSeconds {
    try {
      return work_off(work, assigned[0], take);
    } catch (const Abandoned&) {
      return {};  // the others follow, and answer
    }
  };
  PhaseSeconds slowest = learn_own();
  double busy = slowest.busy();
  {
    own_duties_ = 0;
    const PhaseTimer timer(own_duties_);
    meanwhile();
  }
  const double own_seconds = busy + own_duties_;

  double waited = 0;
  {
    const PhaseTimer timer(waited);
    std::vector<std::uint32_t> awaited = workers_;
    while (!awaited.empty()) {
      Mail::Answer answer = next_answer(mail_, awaited, task.units.units);
      if (answer.message.kind == MessageKind::learnt) {
        gathered_ += total_bytes(answer.message.arrays);
        take_answer(std::move(answer), MessageKind::learnt,
                    [&](const Message& message) { take(learnt_from(message)); });
        continue;
      }
      WorkerReport& told = reports_[answer.from];
      std::erase(awaited, answer.from);
      take_answer(std::move(answer), MessageKind::done, [&](const Message& message) { told = report_from(message); });
      pass_on_signals(told.stop_asked, told.checkpoint_asked);
      PhaseSeconds seconds;
      seconds.reconstruct = told.reconstruct;
      seconds.optimise = told.optimise;
      seconds.evaluate = told.evaluate;
      busy += seconds.busy();
      if (seconds.busy() > slowest.busy()) slowest = seconds;
    }
    mail_.flush();  // window and shards may go now
  }
  if (task.given_up()) throw Abandoned{};
  for (const RetrievalScore& score : scores) report.score += score;
  report.seconds += slowest;
  report.seconds.gather = std::max(0.0, waited - std::max(0.0, slowest.busy() - own_seconds));
  shard_seconds_ = busy / static_cast<double>(task.shards.size());
  report.imbalance = busy > 0 ? slowest.busy() * (ranks() - (root_works() ? 0 : 1)) / busy : 1;
  return report;
}

}  // namespace

std::unique_ptr<Crew> owner_crew(const Settings& settings, Mail& mail, std::string_view start) {
  return std::make_unique<OwnerCrew>(settings, mail, start);
}

}  // namespace meteor
