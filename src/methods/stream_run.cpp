#include "methods/stream_run.h"

namespace meteor {

double RunTotals::records_per_second() const {
  const double spent = seconds.read + seconds.reconstruct + seconds.optimise + seconds.compress;
  return spent > 0 ? static_cast<double>(records) / spent : 0;
}

double RunTotals::unit_steps_per_second() const {
  return seconds.optimise > 0 ? static_cast<double>(unit_steps) / seconds.optimise : 0;
}

RunTotals run_stream(const StreamInput& input, const Settings& settings, const PretrainingEnd& pretraining,
                     Vocabulary& vocabulary, OnlineEmbedding& embedding, const RunHooks& hooks) {
  Rejects rejects(input.path, settings.stream.max_reject_fraction, input.rejects);
  RecordReader reader(open_source(input.path, {.follow = input.follow, .stop = input.stop}), settings.stream,
                      settings.attributes, rejects);
  WindowFeed feed(reader, vocabulary, settings.stream, embedding.model().windows);
  RunTotals totals;
  std::int64_t first_begin = 0;
  while (totals.windows < input.max_windows && !(input.stop && input.stop())) {
    PhaseSeconds seconds;
    std::optional<Window> window;
    {
      const PhaseTimer timer(seconds.read);
      window = feed.next();
    }
    if (!window) break;
    if (totals.windows == 0) first_begin = window->begin;
    const bool pretrains = pretraining.includes(window->number, window->begin, first_begin);
    if (!pretrains) {
      const PhaseTimer timer(seconds.compress);
      embedding.compress();
    }
    const WindowUnits units = embedding.count(*window);
    if (hooks.before_learning) {
      const PhaseTimer timer(seconds.evaluate);
      hooks.before_learning(*window, units);
    }
    WindowReport report = embedding.learn(*window, units);
    report.pretraining = pretrains;
    report.seconds += seconds;
    ++totals.windows;
    totals.records += report.records;
    totals.unit_steps += report.unit_steps;
    totals.rejected = rejects.count();
    totals.skipped = feed.skipped();
    totals.seconds += report.seconds;
    if (hooks.after_learning) hooks.after_learning(report, totals);
  }
  const PhaseTimer timer(totals.seconds.compress);
  embedding.compress();  // a stream that ended while it pretrained
  return totals;
}

}  // namespace meteor
