#include "engine/replay_buffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"

namespace meteor {
namespace {

using testing::empty_model;
using testing::plain_update;

constexpr std::uint64_t kRecords = 200;  // in a window

/// Records of two units, numbered so that the window shows.
Window window_of(std::uint64_t number, UnitId first = UnitId{0}, UnitId second = UnitId{1}) {
  Window window;
  window.number = number;
  for (std::uint64_t r = 0; r < kRecords; ++r) {
    window.units.insert(window.units.end(), {first, second});
    window.ends.push_back(window.units.size());
    window.record_numbers.push_back(number * kRecords + r);
  }
  return window;
}

LearningSettings settings_of(ReplayKind kind) {
  LearningSettings settings;
  settings.replay = kind;
  return settings;
}

/// The kept records of each age, in windows, when a window is about to be learnt.
std::map<std::uint64_t, double> by_age(const ReplayBuffer& buffer, std::uint64_t now) {
  std::map<std::uint64_t, double> ages;
  Window none;
  const Window kept = buffer.with_past(none);
  for (const std::uint64_t number : kept.record_numbers) ages[now - number / kRecords] += 1;
  return ages;
}

TEST(ReplayBuffer, KeepsARecordOfAgeKWithProbabilityExpMinusTauK) {
  const LearningSettings settings = settings_of(ReplayKind::decay);
  const Model model = empty_model(4);
  ReplayBuffer buffer(settings);
  constexpr std::uint64_t kWindows = 15;
  for (std::uint64_t window = 0; window < kWindows; ++window) {
    buffer.forget(window, model);
    buffer.keep(window_of(window));
  }
  buffer.forget(kWindows, model);
  double chi_square = 0;
  std::map<std::uint64_t, double> found = by_age(buffer, kWindows);
  for (std::uint64_t age = 1; age <= kWindows; ++age) {
    const double p = std::exp(-0.1 * static_cast<double>(age));
    const double difference = found[age] - kRecords * p;
    chi_square += difference * difference / (kRecords * p * (1 - p));
  }
  EXPECT_LT(chi_square, 30.6);  // 15 degrees of freedom: exceeded once in a hundred
  EXPECT_GT(chi_square, 5.2);   // and fallen short of as often: it is a random choice
}

TEST(ReplayBuffer, HoldsAboutAsManyWindowsAsItsDecaySays) {
  const LearningSettings settings = settings_of(ReplayKind::decay);
  const Model model = empty_model(4);
  ReplayBuffer buffer(settings);
  for (std::uint64_t window = 0; window < 100; ++window) {
    buffer.forget(window, model);
    buffer.keep(window_of(window));
  }
  EXPECT_NEAR(static_cast<double>(buffer.records()) / kRecords, 1 / (1 - std::exp(-0.1)), 0.7);
  EXPECT_EQ(buffer.bytes(), buffer.records() * (2 * sizeof(UnitId) + 8 + 8));
}

TEST(ReplayBuffer, GivesThePastInItsOrderAndThenTheWindow) {
  const LearningSettings settings = settings_of(ReplayKind::decay);
  ReplayBuffer buffer(settings);
  buffer.keep(window_of(3));
  buffer.forget(4, empty_model(4));
  const std::size_t past = buffer.records();
  EXPECT_LT(past, kRecords);
  EXPECT_GT(past, 0.8 * kRecords);
  const Window all = buffer.with_past(window_of(4, UnitId{5}, UnitId{6}));
  EXPECT_EQ(all.number, 4u);
  EXPECT_EQ(all.records(), past + kRecords);
  EXPECT_TRUE(std::is_sorted(all.record_numbers.begin(), all.record_numbers.end()));
  EXPECT_EQ(all.record(past - 1)[0], UnitId{0});
  EXPECT_EQ(all.record(past)[0], UnitId{5});
}

/// Units 0 and 1 agree, units 2 and 3 oppose each other.
Model agreeing_and_not() {
  Model model = empty_model(2);
  AlignedRows rows(4, 2);
  rows.row(0)[0] = rows.row(1)[0] = 3;
  rows.row(2)[1] = 2;
  rows.row(3)[1] = -2;
  model.absorb(plain_update({UnitId{0}, UnitId{1}, UnitId{2}, UnitId{3}}, std::move(rows)), this_thread());
  return model;
}

TEST(ReplayBuffer, KnowsTheAgreementOfRecords) {
  Window window = window_of(0);
  window.units[2] = UnitId{2};
  window.units[3] = UnitId{3};
  window.units[4] = UnitId{99};  // not known: zero
  const std::vector<double> psi = agreements(window, agreeing_and_not());
  EXPECT_NEAR(psi[0], 1 / (1 + std::exp(-9.0)), 1e-6);
  EXPECT_NEAR(psi[1], 1 / (1 + std::exp(4.0)), 1e-6);
  EXPECT_NEAR(psi[2], 0.5, 1e-6);
}

TEST(ReplayBuffer, ByInformationForgetsWhatTheModelExplainsFirst) {
  const LearningSettings settings = settings_of(ReplayKind::info);
  const Model model = agreeing_and_not();
  ReplayBuffer buffer(settings);
  buffer.keep(window_of(0));
  buffer.keep(window_of(1, UnitId{2}, UnitId{3}));
  for (std::uint64_t window = 2; window < 5; ++window) buffer.forget(window, model);
  std::map<std::uint64_t, double> left = by_age(buffer, 5);
  EXPECT_LT(left[5], 0.7 * kRecords);   // explained: forgotten nearly twice as fast as on average
  EXPECT_GT(left[4], 0.95 * kRecords);  // not explained
}

}  // namespace
}  // namespace meteor
