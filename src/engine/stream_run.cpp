#include "engine/stream_run.h"

#include <fmt/format.h>

#include <atomic>

#include "support/error.h"

namespace meteor {

double RunTotals::records_per_second() const {
  const double spent = seconds.read + seconds.scatter + seconds.reconstruct + seconds.optimise + seconds.gather +
                       seconds.merge + seconds.compress + seconds.broadcast;
  return spent > 0 ? static_cast<double>(records) / spent : 0;
}

double RunTotals::unit_steps_per_second() const {
  return seconds.optimise > 0 ? static_cast<double>(unit_steps) / seconds.optimise : 0;
}

namespace {

/// Says of which unit an embedding went wrong, in the user's words.
NumericError in_words(const NotFinite& fault, const Settings& settings, const Vocabulary& vocabulary) {
  return NumericError(
      fmt::format("{}window {}: record {}: the embedding of {}:{} is not finite; a smaller learning.rate may help",
                  fault.where, fault.window, fault.record,
                  settings.attributes[index(vocabulary.attribute(fault.unit))].name, vocabulary.name(fault.unit)));
}

/// The state after a window has been learnt.
void advance(RunState& state, ReadWindow& read, const WindowReport& report) {
  state.end = std::move(read.end);
  state.next_number = read.next_number;
  state.skipped = read.skipped;
  state.reject_bytes = read.reject_bytes;
  for (const Vocabulary::Sighting& sighting : read.sightings) {
    if (sighting.sighted.count > 0) {
      state.sightings[sighting.key] = sighting.sighted;
    } else {
      state.sightings.erase(sighting.key);
    }
  }
  ++state.windows;
  state.records += report.records;
}

/// Forgets what has not been seen for long when this window has been learnt. The vocabulary is at rest then, and holds
/// the units of the model.
void forget_unseen(std::optional<Duration> expire, RunState& state, Vocabulary& vocabulary, StreamLearner& learner,
                   WindowReport& report) {
  const auto first = state.expiry.after(expire, report.window, report.begin);
  if (!first) return;
  vocabulary.forget(learner.forget_unseen(*first, report), *first);
  std::erase_if(state.sightings, [&](const auto& entry) { return entry.second.window < *first; });
}

void add_report(RunTotals& totals, const WindowReport& report, const RunState& state) {
  ++totals.windows;
  totals.records += report.records;
  totals.unit_steps += report.unit_steps;
  totals.shards = std::max(totals.shards, report.shards);
  totals.rejected = state.end.rejected;
  totals.skipped = state.skipped;
  totals.waiting = state.sightings.size();
  totals.expired += report.expired;
  totals.score += report.score;
  totals.traffic += report.traffic;
  totals.seconds += report.seconds;
}

}  // namespace

RunState run_start(const PretrainingEnd& pretraining, std::uint64_t windows, const TextExtent& first_reading) {
  RunState state;
  state.first_reading = first_reading;
  state.pretraining = pretraining;
  state.next_number = windows;
  return state;
}

RunTotals run_stream(const StreamInput& input, const Settings& settings, RunState& state, Vocabulary& vocabulary,
                     const Categories& categories, StreamLearner& learner, const RunHooks& hooks) {
  std::atomic<bool> abandoned = false;
  const auto halted = [&] { return hooks.halt && hooks.halt(); };
  const auto stop = [&] { return abandoned || halted() || (input.stop && input.stop()); };
  Rejects rejects(input.path, settings.stream.max_reject_fraction, input.rejects,
                  {state.reject_bytes, state.end.rejected});
  RecordReader reader(open_source(input.path, {.follow = input.follow, .stop = stop}), settings.stream,
                      settings.attributes, rejects);
  reader.expect(state.first_reading);
  if (state.windows > 0) reader.go_to(state.end);
  WindowFeed feed(reader, vocabulary, settings.stream, state.next_number);
  feed.go_on_from(state.skipped);
  RunTotals totals;
  bool ended = false;
  std::optional<NotFinite> fault;
  {
    WindowAhead ahead(feed, vocabulary, rejects, categories, settings.model.expire, state.expiry);
    const struct Abandon {
      std::atomic<bool>& flag;
      ~Abandon() { flag = true; }
    } abandon{abandoned};  // before the reading thread is waited for
    while (state.windows < input.max_windows) {
      PhaseSeconds seconds;
      double elapsed = 0;
      std::optional<PhaseTimer> clock(elapsed);
      std::optional<ReadWindow> read;
      {
        const PhaseTimer timer(seconds.read);
        read = ahead.next();
      }
      totals.halted = halted();  // a window that was cut short by it is not learnt
      ended = !read;
      if (ended || totals.halted) break;
      const Window& window = read->window;
      if (state.windows == 0) state.first_begin = read->first_begin;
      const bool pretrains = state.pretraining.includes(window.number, window.begin, state.first_begin);
      if (!pretrains) {
        const PhaseTimer timer(seconds.compress);
        learner.compress();
      }
      if (hooks.before_learning) hooks.before_learning(*read, pretrains, feed.admitting());
      WindowReport report;
      try {
        report = learner.learn(*read, hooks.asks && hooks.asks(window), hooks.halt);
      } catch (const Abandoned&) {
        totals.halted = true;
        break;
      } catch (const NotFinite& caught) {
        fault = caught;
        break;
      }
      advance(state, *read, report);
      forget_unseen(settings.model.expire, state, vocabulary, learner, report);
      clock.reset();
      report.elapsed = elapsed;
      report.pretraining = pretrains;
      report.seconds += seconds;
      add_report(totals, report, state);
      if (hooks.after_learning) hooks.after_learning(report, totals);
      if (hooks.at_rest) hooks.at_rest(state, feed.admitting());
    }
  }
  if (fault) throw in_words(*fault, settings, vocabulary);
  if (totals.halted) return totals;
  if (ended) {  // what came after the last window that taught anything
    totals.rejected = rejects.count();
    totals.skipped = feed.skipped();
  }
  if (state.windows == 0) throw InputError(fmt::format("{} holds no record with two units or more", input.path));
  if (hooks.at_end) hooks.at_end(state);
  const PhaseTimer timer(totals.seconds.compress);
  learner.compress();  // a stream that ended while it pretrained
  learner.catch_up();
  return totals;
}

}  // namespace meteor
