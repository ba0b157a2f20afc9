#pragma once

#include "config/setting_values.h"
#include "config/settings.h"
#include "support/printable.h"

namespace meteor {

// The one description of all settings: loading, the refusal of unknown keys and the output of settings walk through it.
// `visit` is called as visit(key, member), or as visit(key, member, what is expected in words, check) where the type of
// the member allows too much.

namespace checks {

inline bool positive(double value) { return value > 0; }
inline bool not_negative(double value) { return value >= 0; }
inline bool share(double value) { return value > 0 && value <= 1; }
inline bool fraction(double value) { return value >= 0 && value <= 1; }
inline bool at_least_one(std::uint64_t value) { return value >= 1; }
inline bool zero_or_one(std::uint64_t value) { return value <= 1; }
inline bool thread_count(std::uint64_t value) { return value >= 1 && value <= 1024; }
inline bool bit_count(std::uint64_t value) { return value >= 1 && value <= 16; }
inline bool dimension(std::uint64_t value) { return value >= 1 && value <= 65536; }
/// Units are written attribute:name or attribute=name, and files use a folder an attribute.
inline bool attribute_name(const std::string& name) {
  return !name.empty() && name.find_first_of(":=/") == std::string::npos && printable(name) == name;
}
inline bool some_text(const std::string& text) { return !text.empty(); }

}  // namespace checks

/// `S` is Settings or const Settings.
template <class S, class Visit>
void for_each_setting(S& settings, Visit& visit) {
  constexpr const char* count = "a whole number from 1 to 4294967295";
  constexpr const char* share = "a number above 0 and at most 1";

  auto& stream = settings.stream;
  visit("stream.format", stream.format);
  visit("stream.time", stream.time, "the name of a column", checks::some_text);
  visit("stream.window", stream.window);
  visit("stream.late", stream.late);
  visit("stream.max_reject_fraction", stream.max_reject_fraction, "a number from 0 to 1", checks::fraction);
  visit("stream.max_line_bytes", stream.max_line_bytes, "a whole number from 1 on", checks::at_least_one);

  auto& learning = settings.learning;
  visit("learning.dimension", learning.dimension, "a whole number from 1 to 65536", checks::dimension);
  visit("learning.rate", learning.rate, "a number above 0", checks::positive);
  visit("learning.negatives", learning.negatives);
  visit("learning.epochs", learning.epochs, count, checks::at_least_one);
  visit("learning.tau", learning.tau, "a number from 0 on", checks::not_negative);
  visit("learning.shift", learning.shift);
  visit("learning.fade", learning.fade, share, checks::share);
  visit("learning.context", learning.context);
  visit("learning.axes", learning.axes);
  visit("learning.optimiser", learning.optimiser);
  visit("learning.sgd_rate", learning.sgd_rate, "a number above 0", checks::positive);
  visit("learning.arithmetic", learning.arithmetic);
  visit("learning.hold", learning.hold, "a number from 0 on", checks::not_negative);
  visit("learning.replay", learning.replay);
  visit("learning.replay_decay", learning.replay_decay, "a number above 0", checks::positive);
  visit("learning.seed", learning.seed);

  visit("model.expire", settings.model.expire);

  auto& compression = settings.compression;
  visit("compression.scheme", compression.scheme);
  visit("compression.budget", compression.budget);
  visit("compression.refit", compression.refit, "a number from 0 on", checks::not_negative);
  visit("compression.clusters", compression.clusters);
  visit("compression.cluster_fraction", compression.cluster_fraction, share, checks::share);
  visit("compression.basis_fraction", compression.basis_fraction, share, checks::share);
  visit("compression.lambda", compression.lambda, "a number from 0 on", checks::not_negative);
  visit("compression.allocation", compression.allocation);
  visit("compression.precision", compression.precision);
  visit("compression.bits", compression.bits, "a whole number from 1 to 16", checks::bit_count);
  visit("compression.pull", compression.pull, "a number from 0 on", checks::not_negative);
  visit("compression.vector_share", compression.vector_share, share, checks::share);

  auto& parallel = settings.parallel;
  visit("parallel.shards", parallel.shards);
  visit("parallel.threads", parallel.threads, "a whole number from 1 to 1024", checks::thread_count);
  visit("parallel.rounds", parallel.rounds, count, checks::at_least_one);
  visit("parallel.merge_exponent", parallel.merge_exponent, "a number from 0 to 1", checks::fraction);
  visit("parallel.staleness", parallel.staleness, "0 or 1", checks::zero_or_one);
  visit("parallel.root_trains", parallel.root_trains);
  visit("parallel.wire", parallel.wire);
  visit("parallel.patience", parallel.patience, "a number of seconds above 0", checks::positive);

  auto& evaluation = settings.evaluation;
  visit("evaluation.pretrain", evaluation.pretrain);
  visit("evaluation.query_windows", evaluation.query_windows, count, checks::at_least_one);
  visit("evaluation.candidates", evaluation.candidates, count, checks::at_least_one);
  visit("evaluation.negatives", evaluation.negatives);
  visit("evaluation.scoring", evaluation.scoring);

  auto& checkpoint = settings.checkpoint;
  visit("checkpoint.every_windows", checkpoint.every_windows);
  visit("checkpoint.every_minutes", checkpoint.every_minutes, "a number from 0 on", checks::not_negative);
  visit("checkpoint.keep", checkpoint.keep, count, checks::at_least_one);
  visit("checkpoint.keep_every", checkpoint.keep_every);
  visit("checkpoint.required", checkpoint.required);
}

/// `A` is AttributeSettings or const AttributeSettings.
template <class A, class Visit>
void for_each_attribute_setting(A& attribute, Visit& visit) {
  visit("name", attribute.name, "a name without : = / and control characters", checks::attribute_name);
  visit("column", attribute.column);
  visit("separator", attribute.separator);
  visit("tokens", attribute.tokens);
  visit("latitude", attribute.latitude);
  visit("longitude", attribute.longitude);
  visit("grid", as_grid_length(attribute.grid_metres));
  visit("time", attribute.time);
  visit("target", attribute.target);
  visit("min_count", attribute.min_count, "a whole number from 1 to 4294967295", checks::at_least_one);
  visit("clusters", attribute.clusters);
  visit("categories", attribute.categories);
}

}  // namespace meteor
