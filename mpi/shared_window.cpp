#include "mpi/shared_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine/shard_work.h"
#include "learning/valid_window.h"
#include "mpi/answers.h"
#include "support/stop_signal.h"

namespace meteor {

Team::Team(const Settings& the_settings, Mail& the_mail)
    : settings(the_settings), mail(the_mail), reports(the_mail.size()) {
  for (std::uint32_t rank = 1; rank < mail.size(); ++rank) workers.push_back(rank);
}

/// From here on a worker that was asked to stop asks rank 0 to, whatever rank 0 is busy with or waits for.
void hear_stops(Mail& mail) {
  mail.set_stop([&mail] {
    if (mail.stop_heard()) pass_on_signals(true, false);
    return false;
  });
}

namespace {

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

/// Shards cost about the same; each goes to the rank that would be done with it first. Rank 0 may have other duties.
std::vector<std::vector<const Shard*>> assign(const Team& team, std::span<const Shard> shards) {
  std::vector<std::vector<const Shard*>> assigned(team.mail.size());
  std::vector<double> loads(team.mail.size());
  if (team.shard_seconds > 0) loads[0] = team.own_duties / team.shard_seconds;
  const double step = 1.0 / team.settings.parallel.threads;
  for (const Shard& shard : shards) {
    const auto least = std::min_element(loads.begin() + (team.root_works() ? 0 : 1), loads.end());
    *least += step;
    assigned[static_cast<std::size_t>(least - loads.begin())].push_back(&shard);
  }
  return assigned;
}

/// A window of which workers have their shards, and rank 0 has learnt its own.
class SharedWindow final : public WindowInProgress {
 public:
  SharedWindow(Team& team, const WindowTask& task, const Model& model, ShardMerge& merge)
      : team_(team),
        mail_(team.mail),
        task_(task),
        model_(model),
        merge_(merge),
        lent_(mail_),
        scores_(task.shards.size()),
        taken_(task.shards.size()) {
    const std::vector<std::vector<const Shard*>> assigned = assign(team, task.shards);
    if (task_.test != nullptr && !model.embeddings->compressed() &&
        team.settings.evaluation.negatives == CandidateSource::vocabulary) {
      test_alone();
    }
    send_out(assigned);
    told_of_stop_.emplace(mail_, task_);
    learn(assigned[0]);
    idle_ = std::chrono::steady_clock::now();
  }

  TaskReport finish() override {
    team_.own_duties = std::chrono::duration<double>(std::chrono::steady_clock::now() - idle_).count();
    const double own_seconds = busy_ + team_.own_duties;
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
    team_.shard_seconds = busy_ / static_cast<double>(task_.shards.size());
    report_.imbalance = busy_ > 0 ? slowest_.busy() * team_.learners() / busy_ : 1;
    return report_;
  }

 private:
  /// Any unit may be a candidate, and only rank 0 knows them all.
  void test_alone() {
    const Settings& settings = team_.settings;
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
      team_.told.push_back(task_.units.window);
    }
    mail_.broadcast(window_message(task_, given));
    for (const std::uint32_t rank : team_.workers) mail_.send(rank, shards_message(assigned[rank]));
  }

  void learn(std::span<const Shard* const> shards) {
    const ShardWork work{.settings = team_.settings,
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
    std::vector<std::uint32_t> awaited = team_.workers;
    while (!awaited.empty()) {
      Arrival answer = next_answer(mail_, awaited, task_.units.units);
      if (answer.message.kind == MessageKind::learnt) {
        team_.gathered += total_bytes(answer.message.arrays);
        take_answer(std::move(answer), MessageKind::learnt,
                    [&](const Message& message) { take(learnt_from(message)); });
        continue;
      }
      WorkerReport& told = team_.reports[answer.from];
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

  Team& team_;
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

}  // namespace

std::unique_ptr<WindowInProgress> share_window(Team& team, const WindowTask& task, const Model& model,
                                               ShardMerge& merge) {
  return std::make_unique<SharedWindow>(team, task, model, merge);
}

}  // namespace meteor
