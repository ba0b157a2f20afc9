#include "engine/online_embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compression/principal_axes.h"
#include "compression/schemes.h"
#include "compression/uncompressed/uncompressed.h"
#include "engine/window_steps.h"
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

/// Of each slot, how many records held its unit before.
std::vector<std::uint32_t> seen_before(const WindowUnits& units, const Model& model) {
  std::vector<std::uint32_t> seen;
  for (const UnitId unit : units.units) seen.push_back(index(unit) < model.units() ? model.counts[index(unit)] : 0);
  return seen;
}

constexpr std::size_t kDecodedBytes = std::size_t{4} << 20;  // of a window's rows that are kept while it is learnt

/// Rows for those who work on a window, if there are any.
const SlotRows* given(const SlotRows& rows) { return rows.slots.empty() ? nullptr : &rows; }

/// What was chosen for the embeddings, in words.
void tell_plan(const Embeddings& embeddings, const Settings& settings, std::string_view why) {
  std::vector<std::string> names;
  for (const AttributeSettings& attribute : settings.attributes) names.push_back(attribute.name);
  if (const std::string plan = embeddings.describe(names); !plan.empty()) log_info("{}: {}", why, plan);
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
  std::optional<ReplayBuffer::Joined> joined;
  if (past_) {
    if (asks) test(read, abandonment, report);  // its own records only, so before those of the past join them
    past_->forget(read.window.number, model_);
    joined = past_->joined(read.window, read.units, model_);
  }
  LearntWindow learnt{joined ? joined->units : read.units, {}};
  const SlotRows rows = start_rows(learnt.units, report.seconds.reconstruct);
  learn_rounds(joined ? joined->window : read.window, rows, asks && !past_, learnt, abandonment, report);
  if (past_) {
    past_->keep(read.window);
    count_once(learnt.units, read.units);
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

std::vector<Shard> OnlineEmbedding::shards_of(const Window& window, const WindowUnits& units) const {
  return cut_shards(window, units, std::max(1U, settings_.parallel.shards));
}

WindowTest OnlineEmbedding::test_of(const WindowUnits& units) const {
  WindowTest test{seen_before(units, model_), {}};
  if (settings_.evaluation.negatives == CandidateSource::window) test.newcomers = newcomers_to(model_, settings_);
  return test;
}

void OnlineEmbedding::test(const ReadWindow& read, Abandonment& abandonment, WindowReport& report) {
  const std::vector<Shard> shards = shards_of(read.window, read.units);
  const WindowTest test = test_of(read.units);
  const SlotRows inherited = inherited_by(read.units);
  ShardMerge nothing_learnt(read.units.size(), model_.dimension, shards.size(), settings_.parallel.merge_exponent);
  const WindowTask task{.units = read.units,
                        .shards = shards,
                        .epochs = {},
                        .start = given(inherited),
                        .test = &test,
                        .abandonment = &abandonment};
  const TaskReport done = crew_.begin(task, model_, nothing_learnt)->finish();
  report.score += done.score;
  report.seconds += done.seconds;
}

void OnlineEmbedding::learn_rounds(const Window& window, const SlotRows& rows, bool asks, LearntWindow& learnt,
                                   Abandonment& abandonment, WindowReport& report) {
  const WindowUnits& units = learnt.units;
  const std::vector<Shard> shards = shards_of(window, units);
  report.shards = static_cast<std::uint32_t>(shards.size());
  std::optional<WindowTest> test;
  if (asks) test = test_of(units);

  AlignedRows turn;  // of the axes, while the window is learnt in those from before
  SlotRows reached;  // by the rounds so far
  const std::uint32_t rounds = std::min(settings_.parallel.rounds, settings_.learning.epochs);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const bool last = round + 1 == rounds;
    ShardMerge merge(units.size(), model_.dimension, shards.size(), settings_.parallel.merge_exponent);
    const WindowTask task{.units = units,
                          .shards = shards,
                          .epochs = round_epochs(settings_.learning.epochs, round, rounds),
                          .start = given(round == 0 ? rows : reached),
                          .test = round == 0 && test ? &*test : nullptr,
                          .abandonment = &abandonment};
    const auto in_progress = crew_.begin(task, model_, merge);
    if (last && waiting_ && abandonment.see_through()) turn = absorb_waiting(report);
    const TaskReport done = in_progress->finish();
    report.score += done.score;
    report.seconds += done.seconds;
    report.imbalance = done.imbalance;
    const PhaseTimer timer(report.seconds.merge);
    add_round(learnt.steps, merge.take());
    if (!last) reached = advanced(units, window_start(units, rows), crew_.threads(), learnt.steps);
  }
  if (turn.rows() > 0) turn_rows(learnt.steps.steps, turn);
}

SlotRows OnlineEmbedding::inherited_by(const WindowUnits& units) const {
  return categorised_ ? inherited_rows(units, model_, categories_, settings_.learning.seed) : SlotRows();
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

AlignedRows OnlineEmbedding::absorb_waiting(WindowReport& report) {
  AlignedRows turn = absorb(*waiting_, start_rows(waiting_->units, report.seconds.merge), report);
  waiting_.reset();
  return turn;
}

AlignedRows OnlineEmbedding::absorb(LearntWindow& learnt, const SlotRows& rows, WindowReport& report) {
  // With staleness the rest of the crew is learning the next window.
  LocalBlockWorkers here(settings_.parallel.threads);
  BlockWorkers& workers = settings_.parallel.staleness == 0 ? static_cast<BlockWorkers&>(crew_) : here;
  WindowUpdate update;
  {
    const PhaseTimer timer(report.seconds.merge);
    update = update_of(learnt, rows, workers.threads());
  }
  CompressionOutcome outcome;
  {
    const PhaseTimer timer(report.seconds.compress);
    outcome = compress_window(update, workers);
  }
  report.compression_error = outcome.relative_error();
  report.refitted = outcome.refitted;
  if (outcome.refitted) {
    tell_plan(*model_.embeddings, settings_, fmt::format("window {}: fitted anew", learnt.units.window));
  }
  if (model_.embeddings->compressed()) {
    const PhaseTimer timer(report.seconds.broadcast);
    crew_.follow(learnt.units, outcome.changes);
  }
  return std::move(outcome.turn);
}

WindowUpdate OnlineEmbedding::update_of(LearntWindow& learnt, const SlotRows& rows, std::size_t threads) const {
  const WindowUnits& units = learnt.units;
  const GivenStart start = window_start(units, rows);
  const auto fade = static_cast<float>(settings_.learning.fade);
  WindowUpdate update;
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
  add_starts(units, start, threads, update.rows);
  return update;
}

CompressionOutcome OnlineEmbedding::compress_window(const WindowUpdate& update, BlockWorkers& workers) {
  const std::uint64_t windows = model_.windows;
  CompressionOutcome outcome = model_.absorb(update, workers);
  if (settings_.learning.axes == Axes::principal && !model_.embeddings->compressed() &&
      std::bit_width(model_.windows) > std::bit_width(windows)) {
    outcome.turn = model_.embeddings->turn_axes(model_.facts(), workers);
  }
  return outcome;
}

void OnlineEmbedding::catch_up() {
  if (!waiting_) return;
  WindowReport nobody_asks;
  absorb_waiting(nobody_asks);
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
