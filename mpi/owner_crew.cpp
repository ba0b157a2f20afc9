#include "mpi/owner_crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>

#include "config/load_settings.h"
#include "engine/shard_work.h"
#include "learning/valid_window.h"
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
  OwnerCrew(const Settings& settings, Mail& mail, std::string_view start) : settings_(settings), mail_(mail) {
    for (std::uint32_t rank = 1; rank < mail.size(); ++rank) workers_.push_back(rank);
    reports_.resize(mail.size());
    mail_.set_patience(settings.parallel.patience);
    hear_stops(mail_);
    welcome(start);
  }

  std::uint32_t ranks() const override { return mail_.size(); }

  void replicate(const Model& model) override {
    told_.clear();
    LentMemory lent(mail_);
    mail_.broadcast(replica_message(model));
    lent.back();
  }
  void follow(const WindowUnits& window, std::span<const Array> changes) override {
    const bool told = !told_.empty() && told_.front() == window.window;
    if (told) told_.pop_front();
    mail_.broadcast(changes_message(window, changes, !told));
  }

  std::unique_ptr<SharedBlocks> share_out(std::vector<WorkBlock> blocks) override {
    return share_among_ranks(mail_, alive_blocks_, std::move(blocks), settings_.parallel.threads, root_works());
  }

  /// Ranks of this host wait while rank 0 merges and compresses: their cores are free.
  std::size_t threads() const override {
    return std::clamp<std::size_t>(usable_cores(), 1, (1 + neighbours_) * settings_.parallel.threads);
  }

  std::unique_ptr<WindowInProgress> begin(const WindowTask& task, const Model& model, ShardMerge& merge) override;

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
  friend class SharedWindow;
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
  double own_duties_ = 0;         // seconds that rank 0 spent on other things while the last window was learnt
  double shard_seconds_ = 0;      // that a shard of it took
  std::size_t alive_blocks_ = 0;  // sets of them
};

std::string shown_build(const std::string& build) { return build.empty() ? "of unknown build" : build.substr(0, 12); }

void OwnerCrew::welcome(std::string_view start) {
  const std::string version(program_version());
  mail_.broadcast(to_message(Welcome{version, build_id(), settings_json(settings_).dump()}));
  InstructionSet common = best_instruction_set();
  std::map<std::string, std::size_t> ranks_of_host{{host_name(), 1}};
  std::vector<std::uint32_t> awaited = workers_;
  while (!awaited.empty()) {
    Arrival answer = next_answer(mail_, awaited);
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

/// A window of which workers have their shards, and rank 0 has learnt its own.
class SharedWindow final : public WindowInProgress {
 public:
  SharedWindow(OwnerCrew& crew, const WindowTask& task, const Model& model, ShardMerge& merge)
      : crew_(crew),
        mail_(crew.mail_),
        task_(task),
        model_(model),
        merge_(merge),
        lent_(mail_),
        scores_(task.shards.size()),
        taken_(task.shards.size()) {
    const std::vector<std::vector<const Shard*>> assigned = crew.assign(task.shards);
    if (task_.test != nullptr && !model.embeddings->compressed() &&
        crew.settings_.evaluation.negatives == CandidateSource::vocabulary) {
      test_alone();
    }
    send_out(assigned);
    told_of_stop_.emplace(mail_, task_);
    learn(assigned[0]);
    idle_ = std::chrono::steady_clock::now();
  }

  TaskReport finish() override {
    crew_.own_duties_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - idle_).count();
    const double own_seconds = busy_ + crew_.own_duties_;
    double waited = 0;
    {
      const PhaseTimer timer(waited);
      gather();
      lent_.back();  // window and shards may go now
    }
    if (task_.given_up()) throw Abandoned{};
    for (const RetrievalScore& score : scores_) report_.score += score;
    report_.seconds += slowest_;
    report_.seconds.gather = std::max(0.0, waited - std::max(0.0, slowest_.busy() - own_seconds));
    crew_.shard_seconds_ = busy_ / static_cast<double>(task_.shards.size());
    report_.imbalance = busy_ > 0 ? slowest_.busy() * (crew_.ranks() - (crew_.root_works() ? 0 : 1)) / busy_ : 1;
    return report_;
  }

 private:
  /// Any unit may be a candidate, and only rank 0 knows them all.
  void test_alone() {
    const Settings& settings = crew_.settings_;
    const PhaseTimer timer(report_.seconds.evaluate);
    const SlotRows none;
    const GivenStart start(task_.units, task_.start != nullptr ? *task_.start : none, model_.dimension,
                           settings.learning.seed, &model_);
    for (const Shard& shard : task_.shards) {
      scores_[shard.number] = retrieve(shard, task_.units, start, &model_, settings.attributes,
                                       settings.evaluation.candidates, settings.learning.seed, task_.test->seen);
    }
    task_.test = nullptr;
  }

  void send_out(const std::vector<std::vector<const Shard*>>& assigned) {
    const PhaseTimer timer(report_.seconds.scatter);
    const SlotRows* given = task_.start;
    if (!model_.embeddings->compressed()) {
      given = &known_.emplace(known_rows(task_.units, model_, task_.start));
    } else if (task_.epochs.begins_learning()) {
      crew_.told_.push_back(task_.units.window);
    }
    mail_.broadcast(window_message(task_, given));
    for (const std::uint32_t rank : crew_.workers_) mail_.send(rank, shards_message(assigned[rank]));
  }

  void learn(std::span<const Shard* const> shards) {
    const ShardWork work{.settings = crew_.settings_,
                         .units = task_.units,
                         .given = task_.start,
                         .model = &model_,
                         .epochs = task_.epochs,
                         .test = task_.test,
                         .abandon = [this] { return task_.given_up(); }};
    try {
      slowest_ = work_off(work, shards, [this](LearntShard learnt) { take(std::move(learnt)); });
    } catch (const Abandoned&) {  // the others follow, and answer
    }
    busy_ = slowest_.busy();
  }

  void take(LearntShard learnt) {
    const std::uint32_t number = learnt.update.number;
    if (number >= taken_.size() || taken_[number]) {
      throw TransportError(fmt::format("shard {} has come twice, or is none of the window's", number));
    }
    taken_[number] = true;
    require_valid(learnt.update, task_.units.size(), model_.dimension, task_.shards.size());
    scores_[number] += learnt.score;
    merge_.add(std::move(learnt.update));
  }

  void gather() {
    std::vector<std::uint32_t> awaited = crew_.workers_;
    while (!awaited.empty()) {
      Arrival answer = next_answer(mail_, awaited, task_.units.units);
      if (answer.message.kind == MessageKind::learnt) {
        crew_.gathered_ += total_bytes(answer.message.arrays);
        take_answer(std::move(answer), MessageKind::learnt,
                    [&](const Message& message) { take(learnt_from(message)); });
        continue;
      }
      WorkerReport& told = crew_.reports_[answer.from];
      std::erase(awaited, answer.from);
      take_answer(std::move(answer), MessageKind::done, [&](const Message& message) { told = report_from(message); });
      pass_on_signals(told.stop_asked, told.checkpoint_asked);
      PhaseSeconds seconds;
      seconds.reconstruct = told.reconstruct;
      seconds.optimise = told.optimise;
      seconds.evaluate = told.evaluate;
      busy_ += seconds.busy();
      if (seconds.busy() > slowest_.busy()) slowest_ = seconds;
    }
  }

  OwnerCrew& crew_;
  Mail& mail_;
  WindowTask task_;
  const Model& model_;
  ShardMerge& merge_;
  std::optional<SlotRows> known_;  // what the model knows, where it is not compressed
  LentMemory lent_;
  std::optional<StopToldOfTask> told_of_stop_;
  TaskReport report_;
  std::vector<RetrievalScore> scores_;  // of each shard
  std::vector<bool> taken_;
  PhaseSeconds slowest_;
  double busy_ = 0;  // all ranks together
  std::chrono::steady_clock::time_point idle_;
};

std::unique_ptr<WindowInProgress> OwnerCrew::begin(const WindowTask& task, const Model& model, ShardMerge& merge) {
  return std::make_unique<SharedWindow>(*this, task, model, merge);
}

}  // namespace

std::unique_ptr<Crew> owner_crew(const Settings& settings, Mail& mail, std::string_view start) {
  return std::make_unique<OwnerCrew>(settings, mail, start);
}

void dismiss_workers(Mail& mail) { mail.broadcast({MessageKind::stop, {}, {}}); }

}  // namespace meteor
