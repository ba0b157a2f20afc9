#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "support/alias_table.h"
#include "support/random.h"

namespace meteor {

/// How much of a generated stream's period has passed, in 2⁻³².
using Moment = std::uint32_t;

/// What a random stream of the generator is for; the second key after the seed.
enum class DrawPurpose : std::uint64_t {
  record,
  arrival,
  topic,
  later_topic,
  interest,
  habit,
  day,
  user,
  place,
  vocabulary
};

/// The weight of the unit at `rank` in a long tail: 1/(rank + flat), in fixed point.
constexpr std::uint32_t long_tail_weight(std::uint32_t rank, std::uint32_t flat) { return 0xffffffffu / (rank + flat); }

/// The moment a user, item, word or place first exists: for a good half of them the beginning, for the others any time.
Moment arrival(std::uint64_t seed, DrawPurpose kind, std::uint32_t unit);

/// Topics with a long tail of popularity.
class TopicChoice {
 public:
  explicit TopicChoice(std::uint32_t topics);
  std::uint32_t draw(Random& random) const { return table_.draw(random); }

 private:
  AliasTable table_;
};

/// Items, words or places that each belong to one planted topic. Popularity has a long tail, in each topic and overall.
/// At the moment of `change`, half of the units move to a topic drawn anew. The first unit of each topic exists from
/// the beginning and never moves, so that every draw ends.
class PlantedUnits {
 public:
  /// There are at least as many units as topics.
  PlantedUnits(std::uint64_t seed, DrawPurpose kind, std::uint32_t units, std::uint32_t topics,
               std::optional<Moment> change);

  std::uint32_t size() const { return static_cast<std::uint32_t>(arrivals_.size()); }
  std::uint32_t topic(std::uint32_t unit, Moment now) const { return at(now).topic_of[unit]; }
  bool exists(std::uint32_t unit, Moment now) const { return arrivals_[unit] <= now; }

  /// A unit that exists now, by its popularity among all.
  std::uint32_t draw(Random& random, Moment now) const;
  /// A unit of the topic that exists now, by its popularity there.
  std::uint32_t draw(std::uint32_t topic, Random& random, Moment now) const;

 private:
  struct Members {
    std::vector<std::uint32_t> units;
    AliasTable choice;
  };
  struct Assignment {
    std::vector<std::uint32_t> topic_of;
    std::vector<Members> members;
  };
  Assignment assign(std::vector<std::uint32_t> topic_of, std::uint32_t topics) const;
  const Assignment& at(Moment now) const { return assignments_[change_ && now >= *change_ ? 1 : 0]; }

  std::uint32_t flat_;  ///< how many of the first ranks are about equally popular
  std::vector<Moment> arrivals_;
  AliasTable popularity_;
  std::optional<Moment> change_;
  std::vector<Assignment> assignments_;  ///< before and, where there is one, after the change
};

/// Each user likes three topics, unequally; one by one they are replaced while time goes on.
class DriftingInterests {
 public:
  DriftingInterests(std::uint64_t seed, std::uint32_t topics) : seed_(seed), topics_(topics) {}

  struct Interest {
    std::uint32_t topic;
    std::uint64_t key;  ///< names this interest of this user, for what else depends on it
  };
  Interest draw(std::uint32_t user, Random& random, Moment now) const;

 private:
  std::uint64_t seed_;
  TopicChoice topics_;
};

}  // namespace meteor
