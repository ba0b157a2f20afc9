#include "stream/planted_topics.h"

#include <cassert>
#include <utility>

namespace meteor {
namespace {

constexpr int draws_before_giving_up = 32;

AliasTable long_tail(std::uint32_t count, std::uint32_t flat) {
  std::vector<std::uint32_t> weights(count);
  for (std::uint32_t rank = 0; rank < count; ++rank) weights[rank] = long_tail_weight(rank, flat);
  return AliasTable(weights);
}

std::uint64_t key(DrawPurpose purpose) { return static_cast<std::uint64_t>(purpose); }

}  // namespace

Moment arrival(std::uint64_t seed, DrawPurpose kind, std::uint32_t unit) {
  Random random{seed, key(DrawPurpose::arrival), key(kind), unit};
  return random.below(100) < 55 ? 0 : static_cast<Moment>(random.next());
}

TopicChoice::TopicChoice(std::uint32_t topics) : table_(long_tail(topics, 1 + topics / 3)) {}

PlantedUnits::PlantedUnits(std::uint64_t seed, DrawPurpose kind, std::uint32_t units, std::uint32_t topics,
                           std::optional<Moment> change)
    : flat_(4 + units / 100), arrivals_(units), popularity_(long_tail(units, flat_)), change_(change) {
  assert(units >= topics);
  const TopicChoice choice(topics);
  std::vector<std::uint32_t> topic_of(units);
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    const bool first_of_topic = unit < topics;
    arrivals_[unit] = first_of_topic ? 0 : arrival(seed, kind, unit);
    Random random{seed, key(DrawPurpose::topic), key(kind), unit};
    topic_of[unit] = first_of_topic ? unit : choice.draw(random);
  }
  assignments_.push_back(assign(topic_of, topics));
  if (!change_) return;
  for (std::uint32_t unit = topics; unit < units; ++unit) {
    Random random{seed, key(DrawPurpose::later_topic), key(kind), unit};
    if (random.below(2) == 0) topic_of[unit] = choice.draw(random);
  }
  assignments_.push_back(assign(std::move(topic_of), topics));
}

PlantedUnits::Assignment PlantedUnits::assign(std::vector<std::uint32_t> topic_of, std::uint32_t topics) const {
  std::vector<std::vector<std::uint32_t>> units(topics), weights(topics);
  for (std::uint32_t unit = 0; unit < topic_of.size(); ++unit) {
    units[topic_of[unit]].push_back(unit);
    weights[topic_of[unit]].push_back(long_tail_weight(unit, flat_));
  }
  Assignment assignment{std::move(topic_of), {}};
  for (std::uint32_t topic = 0; topic < topics; ++topic) {
    assignment.members.push_back({std::move(units[topic]), AliasTable(weights[topic])});
  }
  return assignment;
}

std::uint32_t PlantedUnits::draw(Random& random, Moment now) const {
  for (int i = 0; i < draws_before_giving_up; ++i) {
    const std::uint32_t unit = popularity_.draw(random);
    if (exists(unit, now)) return unit;
  }
  return 0;
}

std::uint32_t PlantedUnits::draw(std::uint32_t topic, Random& random, Moment now) const {
  const Members& members = at(now).members[topic];
  for (int i = 0; i < draws_before_giving_up; ++i) {
    const std::uint32_t unit = members.units[members.choice.draw(random)];
    if (exists(unit, now)) return unit;
  }
  return members.units.front();
}

DriftingInterests::Interest DriftingInterests::draw(std::uint32_t user, Random& random, Moment now) const {
  constexpr std::uint32_t shares[] = {50, 33, 17};
  constexpr std::uint64_t period = std::uint64_t{1} << 32;
  std::uint32_t slot = 0;
  for (std::uint32_t rest = random.below(100); rest >= shares[slot]; ++slot) rest -= shares[slot];

  // An interest lasts half, a third or a quarter of the period; where in it a user starts differs.
  const std::uint64_t lifetime = period / (slot + 2);
  const std::uint64_t phase = Random{seed_, key(DrawPurpose::interest), user}.next() % lifetime;
  const std::uint64_t turn = (now + phase) / lifetime;
  Random interest{seed_, key(DrawPurpose::interest), user, slot, turn};
  const std::uint32_t topic = topics_.draw(interest);
  return {topic, interest.next()};
}

}  // namespace meteor
