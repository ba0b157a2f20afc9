#include "commands/metrics.h"

#include <fmt/format.h>

#include <chrono>

#include "config/setting_values.h"
#include "kernels/instruction_set.h"

namespace meteor {
namespace {

nlohmann::ordered_json seconds_json(const PhaseSeconds& seconds) {
  return {{"read", seconds.read},         {"scatter", seconds.scatter},     {"reconstruct", seconds.reconstruct},
          {"optimise", seconds.optimise}, {"gather", seconds.gather},       {"merge", seconds.merge},
          {"compress", seconds.compress}, {"broadcast", seconds.broadcast}, {"checkpoint", seconds.checkpoint},
          {"evaluate", seconds.evaluate}};
}

}  // namespace

std::string iso_time(std::int64_t unix_seconds) {
  using namespace std::chrono;
  const sys_seconds time{seconds{unix_seconds}};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

void show_progress(Progress& progress, ProgressState& state, const WindowReport& report, const RunTotals& totals) {
  state.phase = report.pretraining ? "pretraining" : "streaming";
  state.windows = totals.windows;
  state.records = totals.records;
  state.loss = report.loss;
  progress.update(state);
}

void add_cost(nlohmann::ordered_json& object, const RunTotals& totals, const Crew& crew, const ModelSize& size) {
  object["ranks"] = crew.ranks();
  object["shards"] = totals.shards;
  object["instruction_set"] = name_of(best_instruction_set());  // on which all ranks agree
  object["model_bytes"] = size.bytes;
  object["full_bytes"] = size.full_bytes;
  object["bytes_per_new_unit"] = size.bytes_per_new_unit;
  object["records_per_second"] = totals.records_per_second();
  object["unit_steps_per_second"] = totals.unit_steps_per_second();
  object["seconds"] = seconds_json(totals.seconds);
  object["bytes_sent"] = totals.traffic.sent;
  object["bytes_received"] = totals.traffic.received;
  object["bytes_broadcast"] = totals.traffic.broadcast;
  object["bytes_gathered"] = totals.traffic.gathered;
  object["peak_rss_bytes"] = crew.peak_rss_bytes();
}

nlohmann::ordered_json window_metrics(const WindowReport& report, const RunTotals& totals,
                                      const OnlineEmbedding& embedding, const LearningSettings& learning) {
  RunTotals window;
  window.records = report.records;
  window.unit_steps = report.unit_steps;
  window.shards = report.shards;
  window.traffic = report.traffic;
  window.seconds = report.seconds;
  nlohmann::ordered_json line = {{"window", report.window},
                                 {"begin", iso_time(report.begin)},
                                 {"phase", report.pretraining ? "pretraining" : "streaming"},
                                 {"records", report.records},
                                 {"units", embedding.model().units()},
                                 {"new_units", report.new_units},
                                 {"expired", report.expired},
                                 {"waiting", totals.waiting},
                                 {"loss", report.loss},
                                 {"compression_error", report.compression_error},
                                 {"refitted", report.refitted},
                                 {"rejected", totals.rejected},
                                 {"too_small", totals.skipped.too_small},
                                 {"late", totals.skipped.late},
                                 {"imbalance", report.imbalance},
                                 {"elapsed", report.elapsed}};
  add_cost(line, window, embedding.crew(), embedding.size());
  line["arithmetic"] = write_value(learning.arithmetic);
  return line;
}

}  // namespace meteor
