#include "methods/online_embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compression/principal_axes.h"
#include "compression/schemes.h"
#include "compression/uncompressed/uncompressed.h"
#include "learning/inheritance.h"
#include "model/local_block_workers.h"
#include "model/unit_blocks.h"
#include "support/log.h"

namespace meteor {
namespace {

Model empty_model(const Settings& settings) {
  Model model;
  model.dimension = settings.learning.dimension;
  model.embeddings = std::make_unique<Uncompressed>(model.dimension);
  return model;
}

/// The epochs of one of several rounds.
EpochRange round_epochs(std::uint32_t epochs, std::uint32_t round, std::uint32_t rounds) {
  const auto share = [&](std::uint32_t r) { return static_cast<std::uint32_t>(std::uint64_t{epochs} * r / rounds); };
  return {share(round), share(round + 1)};
}

/// Of each slot, how many records held its unit before.
std::vector<std::uint32_t> seen_before(const WindowUnits& units, const Model& model) {
  std::vector<std::uint32_t> seen;
  for (const UnitId unit : units.units) seen.push_back(index(unit) < model.units() ? model.counts[index(unit)] : 0);
  return seen;
}

constexpr std::size_t kDecodedBytes = std::size_t{4} << 20;  // of a window's rows that are kept while it is learnt

/// Rows for those who work on a window, if there are any.
const SlotRows* given(const SlotRows& rows) { return rows.slots.empty() ? nullptr : &rows; }

/// Adds the rows where a window starts to its steps.
void add_starts(const WindowUnits& units, const WindowStart& start, std::size_t threads, AlignedRows& steps) {
  for_each_start(units, start, threads, [&](std::span<const std::uint32_t> slots, const AlignedRows& starts) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto row = steps.row(slots[i]);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] += starts.row(i)[k];
    }
  });
}

/// Where the next round starts: at the window's start and the steps since.
SlotRows advanced(const WindowUnits& units, const WindowStart& start, std::size_t threads, const WindowSteps& steps) {
  SlotRows rows;
  rows.slots.resize(units.size());
  rows.accumulators.resize(units.size());
  rows.rows = AlignedRows(units.size(), start.dimension());
  for_each_start(units, start, threads, [&](std::span<const std::uint32_t> slots, const AlignedRows& starts) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::uint32_t slot = slots[i];
      rows.slots[slot] = slot;
      rows.accumulators[slot] = start.accumulator(slot) + steps.growths[slot];
      const auto step = steps.steps.row(slot);
      for (std::size_t k = 0; k < step.size(); ++k) rows.rows.row(slot)[k] = starts.row(i)[k] + step[k];
    }
  });
  return rows;
}

/// What was chosen for the embeddings, in words.
void tell_plan(const Embeddings& embeddings, const Settings& settings, std::string_view why) {
  std::vector<std::string> names;
  for (const AttributeSettings& attribute : settings.attributes) names.push_back(attribute.name);
  if (const std::string plan = embeddings.describe(names); !plan.empty()) log_info("{}: {}", why, plan);
}

void add_round(WindowSteps& total, WindowSteps round) {
  if (total.growths.empty()) {
    total = std::move(round);
    return;
  }
  for (std::size_t slot = 0; slot < total.growths.size(); ++slot) {
    total.growths[slot] += round.growths[slot];
    const auto to = total.steps.row(slot);
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += round.steps.row(slot)[k];
  }
  total.loss = round.loss;
  total.losses = round.losses;
  total.unit_steps += round.unit_steps;
}

}  // namespace

OnlineEmbedding::OnlineEmbedding(const Settings& settings, Crew& crew)
    : OnlineEmbedding(settings, crew, empty_model(settings), {}) {}

OnlineEmbedding::OnlineEmbedding(const Settings& settings, Crew& crew, Model model,
                                 std::span<const CategoryKey> categories, std::optional<LearntWindow> waiting)
    : settings_(settings),
      crew_(crew),
      model_(std::move(model)),
      categorised_(std::any_of(settings.attributes.begin(), settings.attributes.end(),
                               [](const auto& attribute) { return attribute.clusters == ClusterSource::categories; })),
      categories_(categorised_ ? UnitCategories(categories) : UnitCategories()),
      waiting_(std::move(waiting)) {
  if (settings.learning.replay != ReplayKind::none) past_.emplace(settings.learning);
  if (model_.embeddings->compressed()) crew_.replicate(model_);
}

ModelSize OnlineEmbedding::size() const {
  return {model_.bytes() + (past_ ? past_->bytes() : 0), model_.full_bytes(), model_.bytes_per_new_unit()};
}

WindowReport OnlineEmbedding::learn(const ReadWindow& read, bool asks, const std::function<bool()>& abandon) {
  WindowReport report = report_of(read);
  if (categorised_) categories_.add(read.new_categories);

  const Traffic before = crew_.traffic();
  Abandonment abandonment(abandon);
  SlotRows rows;
  LearntWindow learnt;
  if (past_) {
    learnt = learn_with_past(read, rows, asks, abandonment, report);
  } else {
    rows = start_rows(read.units, report.seconds.reconstruct);
    learnt = {read.units, learn_rounds(read.window, read.units, rows, asks, abandonment, report)};
  }
  report.unit_steps = learnt.steps.unit_steps;
  report.loss = learnt.steps.losses > 0 ? learnt.steps.loss / static_cast<double>(learnt.steps.losses) : 0;
  if (settings_.parallel.staleness == 0) {
    absorb(learnt, rows, report);
  } else {
    waiting_ = std::move(learnt);
  }
  report.traffic = crew_.traffic() - before;
  return report;
}

SlotRows OnlineEmbedding::inherited_by(const WindowUnits& units) const {
  return categorised_ ? inherited_rows(units, model_, categories_, settings_.learning.seed) : SlotRows();
}

std::optional<Newcomers> OnlineEmbedding::newcomers_now() const {
  if (settings_.evaluation.negatives != CandidateSource::window) return std::nullopt;
  return newcomers_to(model_, settings_);
}

SlotRows OnlineEmbedding::start_rows(const WindowUnits& units, double& seconds) const {
  const PhaseTimer timer(seconds);
  SlotRows inherited = inherited_by(units);
  const bool small = units.size() * model_.dimension * sizeof(float) <= kDecodedBytes;
  if (crew_.ranks() > 1 || !model_.embeddings->compressed() || !small) return inherited;
  return known_rows(units, model_, given(inherited));
}

GivenStart OnlineEmbedding::window_start(const WindowUnits& units, const SlotRows& rows) const {
  return {units, rows, model_.dimension, settings_.learning.seed, &model_};
}

std::vector<Shard> OnlineEmbedding::shards_of(const Window& window, const WindowUnits& units) const {
  return cut_shards(window, units, settings_.parallel.shards > 0 ? settings_.parallel.shards : crew_.hands());
}

LearntWindow OnlineEmbedding::learn_with_past(const ReadWindow& read, SlotRows& rows, bool asks,
                                              Abandonment& abandonment, WindowReport& report) {
  if (asks) {  // the window's own records only, so before the others join them
    const std::vector<Shard> shards = shards_of(read.window, read.units);
    const std::vector<std::uint32_t> seen = seen_before(read.units, model_);
    const std::optional<Newcomers> newcomers = newcomers_now();
    const SlotRows inherited = inherited_by(read.units);
    ShardMerge nothing_learnt(read.units.size(), model_.dimension, shards.size(), settings_.parallel.merge_exponent);
    const WindowTask test{.units = read.units,
                          .shards = shards,
                          .epochs = {},
                          .start = given(inherited),
                          .asks = true,
                          .seen = seen,
                          .newcomers = newcomers ? &*newcomers : nullptr,
                          .abandonment = &abandonment};
    const TaskReport done = crew_.learn(test, model_, nothing_learnt, [] {});
    report.score += done.score;
    report.seconds += done.seconds;
  }
  past_->forget(read.window.number, model_);
  const Window window = past_->with_past(read.window);
  std::vector<AttributeId> attributes = model_.attributes;
  attributes.resize(attributes.size() + read.new_categories.size());
  for (std::uint32_t slot = 0; slot < read.units.size(); ++slot) {
    attributes[index(read.units.units[slot])] = read.units.attribute_of(slot);
  }
  LearntWindow learnt{count_units(window, attributes, read.units.attribute_ends.size()), {}};
  rows = start_rows(learnt.units, report.seconds.reconstruct);
  learnt.steps = learn_rounds(window, learnt.units, rows, false, abandonment, report);
  past_->keep(read.window);
  std::vector<std::uint32_t> seen(attributes.size());  // what is learnt again is not seen again
  for (std::uint32_t slot = 0; slot < read.units.size(); ++slot) {
    seen[index(read.units.units[slot])] = read.units.counts[slot];
  }
  for (std::uint32_t slot = 0; slot < learnt.units.size(); ++slot) {
    learnt.units.counts[slot] = seen[index(learnt.units.units[slot])];
  }
  return learnt;
}

WindowSteps OnlineEmbedding::learn_rounds(const Window& window, const WindowUnits& units, const SlotRows& rows,
                                          bool asks, Abandonment& abandonment, WindowReport& report) {
  const ParallelSettings& parallel = settings_.parallel;
  const std::vector<Shard> shards = shards_of(window, units);
  report.shards = static_cast<std::uint32_t>(shards.size());

  WindowSteps total;
  AlignedRows turn;  // of the axes, while the window is learnt in those from before
  const SlotRows* start = given(rows);
  SlotRows reached;
  const std::vector<std::uint32_t> seen = asks ? seen_before(units, model_) : std::vector<std::uint32_t>();
  const std::optional<Newcomers> newcomers = asks ? newcomers_now() : std::nullopt;
  const std::uint32_t rounds = std::min(parallel.rounds, settings_.learning.epochs);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const bool last = round + 1 == rounds;
    const auto meanwhile = [&] {
      if (!last || !waiting_ || !abandonment.see_through()) return;
      turn = absorb(*waiting_, start_rows(waiting_->units, report.seconds.merge), report);
      waiting_.reset();
    };
    ShardMerge merge(units.size(), model_.dimension, shards.size(), parallel.merge_exponent);
    const WindowTask task{.units = units,
                          .shards = shards,
                          .epochs = round_epochs(settings_.learning.epochs, round, rounds),
                          .start = start,
                          .asks = asks && round == 0,
                          .seen = seen,
                          .newcomers = newcomers ? &*newcomers : nullptr,
                          .abandonment = &abandonment};
    const TaskReport done = crew_.learn(task, model_, merge, meanwhile);
    report.score += done.score;
    report.seconds += done.seconds;
    report.imbalance = done.imbalance;
    const PhaseTimer timer(report.seconds.merge);
    add_round(total, merge.take());
    if (last) continue;
    reached = advanced(units, window_start(units, rows), crew_.threads(), total);
    start = &reached;
  }
  if (turn.rows() > 0) turn_rows(total.steps, turn);
  return total;
}

AlignedRows OnlineEmbedding::absorb(LearntWindow& learnt, const SlotRows& rows, WindowReport& report) {
  const WindowUnits& units = learnt.units;
  // With staleness the rest of the crew is learning the next window.
  LocalBlockWorkers here(settings_.parallel.threads);
  BlockWorkers& workers = settings_.parallel.staleness == 0 ? static_cast<BlockWorkers&>(crew_) : here;
  WindowUpdate update;
  {
    const PhaseTimer timer(report.seconds.merge);
    const GivenStart start = window_start(units, rows);
    const auto fade = static_cast<float>(settings_.learning.fade);
    update.followed = crew_.ranks() > 1;
    update.window = units.window;
    update.units = units.units;
    update.counts = units.counts;
    for (std::uint32_t slot = 0; slot < units.size(); ++slot) {
      update.attributes.push_back(units.attribute_of(slot));
      update.categories.push_back(categorised_ ? categories_.of(units.units[slot]) : CategoryKey::none);
      update.accumulators.push_back(fade * (start.accumulator(slot) + learnt.steps.growths[slot]));
    }
    update.rows = std::move(learnt.steps.steps);
    add_starts(units, start, workers.threads(), update.rows);
  }
  CompressionOutcome outcome;
  {
    const PhaseTimer timer(report.seconds.compress);
    const std::uint64_t windows = model_.windows;
    outcome = model_.absorb(update, workers);
    if (settings_.learning.axes == Axes::principal && std::bit_width(model_.windows) > std::bit_width(windows) &&
        !model_.embeddings->compressed()) {
      outcome.turn = model_.embeddings->turn_axes(model_.facts(), workers);
    }
  }
  report.compression_error = outcome.relative_error();
  report.refitted = outcome.refitted;
  if (outcome.refitted) {
    tell_plan(*model_.embeddings, settings_, fmt::format("window {}: fitted anew", units.window));
  }
  if (model_.embeddings->compressed()) {
    const PhaseTimer timer(report.seconds.broadcast);
    crew_.follow(units, outcome.changes);
  }
  return std::move(outcome.turn);
}

void OnlineEmbedding::catch_up() {
  if (!waiting_) return;
  WindowReport nobody_asks;
  absorb(*waiting_, start_rows(waiting_->units, nobody_asks.seconds.merge), nobody_asks);
  waiting_.reset();
}

std::vector<UnitId> OnlineEmbedding::forget_unseen(std::uint64_t first_window, WindowReport& report) {
  const PhaseTimer timer(report.seconds.compress);
  const Traffic before = crew_.traffic();
  catch_up();
  std::vector<UnitId> unseen = first_units(model_.units());
  std::erase_if(unseen, [&](UnitId unit) { return model_.last_windows[index(unit)] >= first_window; });
  if (unseen.empty()) return unseen;
  report.expired = unseen.size();
  if (model_.forget(unseen, crew_)) {
    report.refitted = true;
    tell_plan(*model_.embeddings, settings_, fmt::format("window {}: fitted anew to fewer units", report.window));
  }
  if (categorised_) categories_.forget(unseen);
  if (model_.embeddings->compressed()) crew_.replicate(model_);
  report.traffic += crew_.traffic() - before;
  return unseen;
}

void OnlineEmbedding::compress() {
  if (settings_.compression.scheme == CompressionScheme::none || model_.embeddings->compressed()) return;
  catch_up();
  const std::vector<CategoryKey> none(categorised_ ? 0 : model_.units(), CategoryKey::none);
  model_.embeddings = fit_scheme({model_, categorised_ ? categories_.of_all() : none, settings_, crew_});
  tell_plan(*model_.embeddings, settings_, "compressed");
  crew_.replicate(model_);
}

}  // namespace meteor
