#include "mpi/worker.h"

#include <fmt/format.h>

#include <deque>
#include <optional>

#include "config/load_settings.h"
#include "learning/valid_window.h"
#include "model/local_block_workers.h"
#include "mpi/answers.h"
#include "mpi/messages.h"
#include "storage/model_content.h"
#include "storage/run_state_json.h"
#include "support/build_id.h"
#include "support/host_name.h"
#include "support/memory.h"
#include "support/stop_signal.h"
#include "support/version.h"

namespace meteor {
namespace {

bool needs_settings(MessageKind kind) {
  return kind != MessageKind::welcome && kind != MessageKind::agreed && kind != MessageKind::stop;
}

class Worker {
 public:
  explicit Worker(Mail& mail) : mail_(mail) { mail.set_stop(stop_asked); }

  /// Does what the next message asks for; false when the run is over.
  bool step() {
    const Message message = mail_.hear();
    if (message.kind != MessageKind::hold && message.kind != MessageKind::map) held_.clear();  // nobody asks any more
    if (!settings_ && needs_settings(message.kind)) throw TransportError("work before the settings have come");
    switch (message.kind) {
      case MessageKind::welcome:
        enter(welcome_from(message));
        break;
      case MessageKind::agreed:
        limit_instruction_set(instruction_set_of(agreed_from(message).instruction_set));
        break;
      case MessageKind::replica:
        learnt_.clear();
        replica_.reset();  // the old one goes before the new one comes
        replica_ = replica_from(message, *settings_);
        break;
      case MessageKind::changes:
        follow(message);
        break;
      case MessageKind::window:
        learn(window_from(message));
        break;
      case MessageKind::hold:
        hold(kept_from(message));
        break;
      case MessageKind::map:
        map(map_from(message), message.arrays);
        break;
      case MessageKind::stop:
        return false;
      default:
        throw TransportError(fmt::format("an unexpected message of kind {}", static_cast<std::uint32_t>(message.kind)));
    }
    return true;
  }

  std::optional<std::uint64_t> window() const { return window_; }

 private:
  /// Settings of another version or build may mean something else, or nothing: rank 0 ends the run when it hears of
  /// that.
  void enter(const Welcome& welcome) {
    if (welcome.version == program_version() && welcome.build == build_id()) {
      settings_ =
          settings_from_json(parse_stored_json(welcome.settings, "what rank 0 tells"), "the settings of rank 0");
      mail_.set_patience(settings_->parallel.patience);
    }
    mail_.send(0, to_message(Ready{std::string(program_version()), build_id(), host_name(),
                                   std::string(name_of(best_instruction_set()))}));
  }

  void follow(const Message& message) {
    if (!replica_) throw TransportError("changes of a model that this rank has no replica of");
    if (const auto units = named_units(message)) return follow_changes(*replica_, *settings_, *units, message.arrays);
    const std::uint64_t window = changed_window(message);
    if (learnt_.empty() || learnt_.front().first != window) {
      throw TransportError(fmt::format("changes of window {}, which was not learnt here", window));
    }
    follow_changes(*replica_, *settings_, learnt_.front().second, message.arrays);
    learnt_.pop_front();
  }

  Message receive(MessageKind kind) {
    Message message = mail_.receive();
    require_kind(message, kind);
    return message;
  }

  void check(const WindowNotice& notice) const {
    require_valid(notice.units, settings_->attributes.size());
    if (notice.start) require_valid(*notice.start, notice.units.size(), settings_->learning.dimension);
    require_valid(notice.epochs, settings_->learning.epochs);
    if (notice.test && notice.test->seen.size() != notice.units.size())
      throw TransportError("a window that does not tell of every unit how often it was seen");
    if (notice.test && notice.test->newcomers)
      require_valid(*notice.test->newcomers, settings_->attributes.size(), settings_->learning.dimension);
    if (!notice.start && !replica_) throw TransportError("a window that starts nowhere");
  }

  void learn(const WindowNotice& notice) {
    window_ = notice.units.window;
    if (replica_ && notice.epochs.begins_learning()) learnt_.emplace_back(notice.units.window, notice.units.units);
    or_broken([&] { check(notice); });
    const std::vector<Shard> shards = shards_from(receive(MessageKind::shards));
    for (const Shard& shard : shards) or_broken([&] { require_records(shard, notice.units.size()); });
    const ShardWork work{.settings = *settings_,
                         .units = notice.units,
                         .given = notice.start ? &*notice.start : nullptr,
                         .model = replica_ ? &*replica_ : nullptr,
                         .epochs = notice.epochs,
                         .test = notice.test ? &*notice.test : nullptr,
                         .abandon = [this] { return mail_.stop_heard(); }};
    std::vector<const Shard*> mine;
    mine.reserve(shards.size());
    for (const Shard& shard : shards) mine.push_back(&shard);
    PhaseSeconds seconds;
    try {
      seconds = work_off(work, mine, [&](LearntShard learnt) {
        mail_.send(0, learnt_message(std::move(learnt), settings_->parallel.wire));
      });
    } catch (const Abandoned&) {  // rank 0 has said so
    }
    mail_.send(0, to_message(WorkerReport{seconds.reconstruct, seconds.optimise, seconds.evaluate, peak_rss_bytes(),
                                          mail_.bytes_sent(), mail_.bytes_received(), stop_asked(),
                                          take_checkpoint_request()}));
  }

  /// Lets go of all sets of blocks but the first so many.
  void keep(std::uint64_t sets) {
    if (sets > held_.size()) throw TransportError("blocks that this rank does not hold");
    held_.resize(sets);
  }

  void hold(std::uint64_t kept) {
    keep(kept);
    NumberedBlocks blocks = blocks_from(receive(MessageKind::blocks));
    std::vector<WorkBlock> mine;
    mine.reserve(blocks.blocks.size());
    for (const auto& arrays : blocks.blocks) mine.push_back({arrays});
    held_.push_back({std::move(blocks), LocalBlockWorkers(settings_->parallel.threads).share_out(std::move(mine))});
  }

  void map(const MapTask& task, std::span<const Array> shared) {
    if (task.set >= held_.size()) throw TransportError("a function for blocks that this rank does not hold");
    keep(task.set + 1);
    const Held& held = held_.back();
    for (const auto& block : held.content.blocks) {
      or_broken([&] { task.job.require_block(block, shared, settings_->learning.dimension); });
    }
    mail_.send(0, blocks_message(MessageKind::mapped, {held.content.numbers, held.blocks->map(task.job, shared)}));
  }

  Mail& mail_;
  std::optional<Settings> settings_;
  std::optional<Model> replica_;
  struct Held {
    NumberedBlocks content;
    std::unique_ptr<SharedBlocks> blocks;  // the same, ready to be worked on
  };
  std::vector<Held> held_;  // the newest last
  // Windows whose changes have not come, and their units.
  std::deque<std::pair<std::uint64_t, std::vector<UnitId>>> learnt_;
  std::optional<std::uint64_t> window_;  // the last one that was begun
};

/// The exception that is being handled, for rank 0.
Failure failure_in_flight(std::optional<std::uint64_t> window) {
  const std::string where = window ? fmt::format("window {}: ", *window) : "";
  try {
    throw;
  } catch (const NotFinite& error) {
    return {error.what(), static_cast<int>(error.status()), error};
  } catch (const Error& error) {
    return {where + error.what(), static_cast<int>(error.status()), {}};
  } catch (const std::bad_alloc&) {
    return {
        where + "there is not enough memory: use a shorter stream.window, more ranks or a smaller dimension", 1, {}};
  } catch (const std::exception& error) {
    return {where + error.what(), 1, {}};
  }
}

}  // namespace

void work_for_owner(Mail& mail) {
  Worker worker(mail);
  try {
    while (worker.step()) {
    }
  } catch (...) {
    const Failure failure = failure_in_flight(worker.window());
    try {
      mail.send(0, to_message(failure));
    } catch (const TransportError&) {  // then nobody but this rank can tell
    }
    throw Error(static_cast<ExitStatus>(failure.status), fmt::format("rank {}: {}", mail.rank(), failure.sentence));
  }
}

}  // namespace meteor
