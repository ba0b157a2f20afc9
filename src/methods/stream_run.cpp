#include "methods/stream_run.h"

#include <fmt/format.h>

#include <atomic>

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

}  // namespace

RunTotals run_stream(const StreamInput& input, const Settings& settings, const PretrainingEnd& pretraining,
                     Vocabulary& vocabulary, const Categories& categories, OnlineEmbedding& embedding,
                     const RunHooks& hooks) {
  std::atomic<bool> abandoned = false;
  const auto stop = [&] { return abandoned || (input.stop && input.stop()); };
  Rejects rejects(input.path, settings.stream.max_reject_fraction, input.rejects);
  RecordReader reader(open_source(input.path, {.follow = input.follow, .stop = stop}), settings.stream,
                      settings.attributes, rejects);
  WindowFeed feed(reader, vocabulary, settings.stream, embedding.model().windows);
  RunTotals totals;
  bool ended = false;
  std::optional<NotFinite> fault;
  {
    WindowAhead ahead(feed, vocabulary, rejects, categories);
    const struct Abandon {
      std::atomic<bool>& flag;
      ~Abandon() { flag = true; }
    } abandon{abandoned};  // before the reading thread is waited for
    std::int64_t first_begin = 0;
    while (totals.windows < input.max_windows) {
      PhaseSeconds seconds;
      double elapsed = 0;
      std::optional<PhaseTimer> clock(elapsed);
      std::optional<ReadWindow> read;
      {
        const PhaseTimer timer(seconds.read);
        read = ahead.next();
      }
      ended = !read;
      if (ended) break;
      const Window& window = read->window;
      if (totals.windows == 0) first_begin = window.begin;
      const bool pretrains = pretraining.includes(window.number, window.begin, first_begin);
      if (!pretrains) {
        const PhaseTimer timer(seconds.compress);
        embedding.compress();
      }
      WindowReport report;
      try {
        report = embedding.learn(*read, hooks.asks && hooks.asks(window));
      } catch (const NotFinite& caught) {
        fault = caught;
        break;
      }
      clock.reset();
      report.elapsed = elapsed;
      report.pretraining = pretrains;
      report.seconds += seconds;
      ++totals.windows;
      totals.records += report.records;
      totals.unit_steps += report.unit_steps;
      totals.shards = std::max(totals.shards, report.shards);
      totals.rejected = read->rejected;
      totals.skipped = read->skipped;
      totals.score += report.score;
      totals.traffic += report.traffic;
      totals.seconds += report.seconds;
      if (hooks.after_learning) hooks.after_learning(report, totals);
    }
  }
  if (fault) throw in_words(*fault, settings, vocabulary);
  if (ended) {  // what came after the last window that taught anything
    totals.rejected = rejects.count();
    totals.skipped = feed.skipped();
  }
  const PhaseTimer timer(totals.seconds.compress);
  embedding.compress();  // a stream that ended while it pretrained
  embedding.catch_up();
  return totals;
}

}  // namespace meteor
