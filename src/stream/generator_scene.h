#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "stream/generator.h"
#include "stream/planted_topics.h"

namespace meteor {

/// Fills what happens in a record once its time is known. Settings are complete and valid here.
class GeneratedScene {
 public:
  GeneratedScene() = default;
  GeneratedScene(const GeneratedScene&) = delete;
  GeneratedScene& operator=(const GeneratedScene&) = delete;
  virtual ~GeneratedScene() = default;
  virtual void fill(GeneratedRecord& record, Random& random, Moment now) const = 0;
  virtual const PlantedUnits& items() const = 0;
  virtual std::string item_name(std::uint32_t item) const = 0;
};

/// Baskets: mostly from one of the user's topics, partly the user's habits, partly what everybody buys.
std::unique_ptr<GeneratedScene> make_shopping_scene(const GeneratorSettings& settings);

/// Short messages in a city of about 30 by 30 km with hot spots; words follow the topic, the place and everyday
/// language.
std::unique_ptr<GeneratedScene> make_city_scene(const GeneratorSettings& settings);

/// Users of unequal activity who arrive over time.
class GeneratedUsers {
 public:
  GeneratedUsers(std::uint64_t seed, std::uint32_t users);
  std::uint32_t draw(Random& random, Moment now) const;

 private:
  std::uint64_t seed_;
  AliasTable activity_;
};

std::optional<Moment> moment_of_change(const GeneratorSettings& settings);

}  // namespace meteor
