#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "stream/generator_scene.h"

namespace meteor {
namespace {

constexpr std::uint32_t largest_basket = 60;
constexpr std::uint32_t habits_per_interest = 6;
// What an item in a basket comes from, in per cent; the rest is what everybody buys.
constexpr std::uint32_t share_of_topic = 48;
constexpr std::uint32_t share_of_habits = 22;

/// 1 to 60 items, 8 on average, small baskets most often.
AliasTable basket_sizes() {
  std::vector<std::uint32_t> weights;
  for (std::uint32_t size = 1; size <= largest_basket; ++size)
    weights.push_back(1000000000u / ((size + 3) * (size + 3)));
  return AliasTable(weights);
}

class ShoppingScene : public GeneratedScene {
 public:
  explicit ShoppingScene(const GeneratorSettings& settings)
      : seed_(settings.seed),
        users_(settings.seed, settings.users),
        items_(settings.seed, DrawPurpose::vocabulary, settings.items, settings.topics, moment_of_change(settings)),
        interests_(settings.seed, settings.topics),
        sizes_(basket_sizes()) {}

  void fill(GeneratedRecord& record, Random& random, Moment now) const override {
    record.user = users_.draw(random, now);
    const auto interest = interests_.draw(record.user, random, now);
    const std::uint32_t size = sizes_.draw(random) + 1;
    record.items.clear();
    // A small catalogue may not have enough different items for a large basket: then it stays smaller.
    for (std::uint32_t tries = 0; record.items.size() < size && tries < 4 * size; ++tries) {
      const std::uint32_t item = draw_item(interest, random, now);
      if (std::find(record.items.begin(), record.items.end(), item) == record.items.end()) record.items.push_back(item);
    }
  }

  const PlantedUnits& items() const override { return items_; }
  std::string item_name(std::uint32_t item) const override { return fmt::format("i{}", item); }

 private:
  std::uint32_t draw_item(const DriftingInterests::Interest& interest, Random& random, Moment now) const {
    const std::uint32_t cause = random.below(100);
    if (cause < share_of_topic) return items_.draw(interest.topic, random, now);
    if (cause < share_of_topic + share_of_habits) {
      Random habit{seed_, static_cast<std::uint64_t>(DrawPurpose::habit), interest.key,
                   random.below(habits_per_interest)};
      return items_.draw(interest.topic, habit, now);
    }
    return items_.draw(random, now);
  }

  std::uint64_t seed_;
  GeneratedUsers users_;
  PlantedUnits items_;
  DriftingInterests interests_;
  AliasTable sizes_;
};

}  // namespace

std::unique_ptr<GeneratedScene> make_shopping_scene(const GeneratorSettings& settings) {
  return std::make_unique<ShoppingScene>(settings);
}

}  // namespace meteor
