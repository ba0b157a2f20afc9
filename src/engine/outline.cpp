#include "engine/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stream/window_cutter.h"
#include "support/error.h"
#include "support/random.h"

namespace meteor {
namespace {

constexpr std::uint64_t kQueryWindows = 0x71756572;

PretrainingEnd first_windows(double count) {
  return {static_cast<std::uint64_t>(std::max(1.0, std::round(count))), {}};
}

/// The share of the period from the first window's begin to the last one's end, in whole windows.
PretrainingEnd share_of_period(double share, const WindowLength& length, const StreamOutline& outline) {
  const auto& windows = outline.windows;
  const auto* duration = std::get_if<Duration>(&length);
  if (duration == nullptr) return first_windows(share * static_cast<double>(windows.size()));
  const double first = static_cast<double>(windows.front().begin);
  const double last = static_cast<double>(windows.back().begin) + static_cast<double>(duration->seconds);
  const double end = first + share * (last - first);
  const auto after = std::find_if(windows.begin(), windows.end(),
                                  [&](const auto& cut) { return static_cast<double>(cut.begin) >= end; });
  return first_windows(static_cast<double>(after - windows.begin()));
}

StreamOutline read_outline(const std::string& input, const Settings& settings, const std::filesystem::path& kept,
                           const std::function<bool()>& stop) {
  Rejects rejects(input, settings.stream.max_reject_fraction, kept);
  RecordReader reader(open_source(input, {.stop = stop}), settings.stream, settings.attributes, rejects);
  WindowCutter cutter(settings.stream.window, settings.stream.late);
  StreamOutline outline;
  TextRecord record;
  while (reader.next(record)) {
    const Placement placement = cutter.place(record.time);
    if (placement == Placement::dropped) continue;
    if (placement == Placement::next) outline.windows.push_back({cutter.begin(), 0});
    if (record.units.size() >= 2) ++outline.windows.back().records;
  }
  const StreamPosition end = reader.position();
  outline.text = {end.offset, end.text_sha256};
  outline.stopped = reader.stopped();
  if (outline.windows.empty() && !outline.stopped) throw InputError(input + " holds no records");
  return outline;
}

/// What `use` makes of the outline. Where that or reading ends with InputError, nobody will read the input after this:
/// it is then read once more for its rejects. Those of a good input are written once, by the run that learns it,
/// whatever they are written to.
template <class Use>
auto with_outline(const std::string& input, const Settings& settings, const std::filesystem::path& rejects,
                  const std::function<bool()>& stop, Use use) {
  try {
    return use(read_outline(input, settings, {}, stop));
  } catch (const InputError&) {
    try {
      if (!rejects.empty()) read_outline(input, settings, rejects, stop);
    } catch (const InputError&) {  // the same again
    }
    throw;
  }
}

}  // namespace

StreamOutline outline_stream(const std::string& input, const Settings& settings, const std::filesystem::path& rejects,
                             const std::function<bool()>& stop) {
  return with_outline(input, settings, rejects, stop, [](StreamOutline outline) { return outline; });
}

PretrainingEnd pretraining_end(const Settings& settings, const StreamOutline* outline) {
  const PretrainingSpan& span = settings.evaluation.pretrain;
  if (const auto* share = std::get_if<double>(&span)) return share_of_period(*share, settings.stream.window, *outline);
  if (const auto* windows = std::get_if<WindowCount>(&span)) return {windows->windows, {}};
  return {0, std::get<Duration>(span)};
}

std::set<std::uint64_t> choose_query_windows(const StreamOutline& outline, const PretrainingEnd& end, std::size_t count,
                                             std::uint64_t seed) {
  std::vector<std::uint64_t> eligible;
  for (std::uint64_t number = 0; number < outline.windows.size(); ++number) {
    const auto& cut = outline.windows[number];
    if (!end.includes(number, cut.begin, outline.windows.front().begin) && cut.records > 0) eligible.push_back(number);
  }
  Random random{seed, kQueryWindows};
  for (std::size_t i = eligible.size(); i > 1; --i) {  // Fisher-Yates
    std::swap(eligible[i - 1], eligible[random.below(static_cast<std::uint32_t>(i))]);
  }
  eligible.resize(std::min(count, eligible.size()));
  return {eligible.begin(), eligible.end()};
}

QueryPlan plan_queries(const std::string& input, const Settings& settings, const std::filesystem::path& rejects) {
  return with_outline(input, settings, rejects, {}, [&](const StreamOutline& outline) {
    QueryPlan plan{outline.windows.size(), pretraining_end(settings, &outline), outline.text, {}};
    plan.queries =
        choose_query_windows(outline, plan.pretraining, settings.evaluation.query_windows, settings.learning.seed);
    if (plan.queries.empty()) {
      throw InputError(fmt::format("{} has no window after pretraining to ask about: {} windows in all", input,
                                   outline.windows.size()));
    }
    return plan;
  });
}

}  // namespace meteor
