#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "stream/generator_scene.h"

namespace meteor {
namespace {

// The city's southern and western edge and its extent, in 1e-5 degrees: 30 by 30 km at this latitude.
constexpr std::int32_t south = 4070000, west = -7410000;
constexpr std::uint32_t height = 26950, width = 35600;
constexpr std::uint32_t most_hot_spots = 24;
constexpr std::uint32_t longest_text = 14;
constexpr std::uint32_t habits_per_user = 5;
constexpr std::uint32_t words_per_place = 4;
constexpr std::uint32_t words_per_area = 12;

constexpr std::array<std::string_view, 40> everyday_words = {
    "the", "a",    "and",  "to",   "of", "in",   "is", "it",        "at",  "on",   "for",  "with", "this", "that",
    "i",   "you",  "we",   "my",   "me", "so",   "be", "are",       "was", "have", "just", "not",  "but",  "all",
    "now", "what", "like", "good", "up", "from", "an", "caf\u00e9", "out", "am",   "do",   "can"};

/// Pronounceable, different for every index, and never an everyday word: at least two syllables.
void append_word(std::string& out, std::uint32_t index) {
  constexpr std::string_view consonants = "bdfgklmnprstvz", vowels = "aeiou";
  const auto syllables = static_cast<std::uint32_t>(consonants.size() * vowels.size());
  for (std::uint32_t rest = index + syllables; rest > 0; rest /= syllables) {
    out += consonants[rest % syllables / vowels.size()];
    out += vowels[rest % vowels.size()];
  }
}

struct Position {
  std::int32_t latitude, longitude;
};

/// Around `centre`, denser towards it, within the city.
Position scatter(Position centre, std::uint32_t reach, Random& random) {
  const auto offset = [&] {
    return static_cast<std::int32_t>(random.below(reach) + random.below(reach)) - static_cast<std::int32_t>(reach);
  };
  const std::int32_t latitude = centre.latitude + offset(), longitude = centre.longitude + offset();
  return {std::clamp(latitude, south, south + static_cast<std::int32_t>(height)),
          std::clamp(longitude, west, west + static_cast<std::int32_t>(width))};
}

Position anywhere(Random& random) {
  return {south + static_cast<std::int32_t>(random.below(height)),
          west + static_cast<std::int32_t>(random.below(width))};
}

class CityScene : public GeneratedScene {
 public:
  explicit CityScene(const GeneratorSettings& settings)
      : seed_(settings.seed),
        areas_(std::min(most_hot_spots, settings.places)),
        users_(settings.seed, settings.users),
        words_(settings.seed, DrawPurpose::vocabulary, settings.items, settings.topics, moment_of_change(settings)),
        places_(settings.seed, DrawPurpose::place, settings.places, areas_, std::nullopt),
        interests_(settings.seed, settings.topics) {
    std::vector<Position> hot_spots;
    Random random{seed_, key(DrawPurpose::place)};
    for (std::uint32_t area = 0; area < areas_; ++area) hot_spots.push_back(anywhere(random));
    for (std::uint32_t place = 0; place < settings.places; ++place) {
      const bool remote = random.below(100) < 15;
      positions_.push_back(remote ? anywhere(random) : scatter(hot_spots[places_.topic(place, 0)], 1500, random));
    }
  }

  void fill(GeneratedRecord& record, Random& random, Moment now) const override {
    record.user = users_.draw(random, now);
    const auto interest = interests_.draw(record.user, random, now);
    const std::uint32_t place = draw_place(record.user, interest, random, now);
    const Position position = scatter(positions_[place], 60, random);
    record.latitude = position.latitude;
    record.longitude = position.longitude;
    record.text.clear();
    const std::uint32_t tokens = 3 + random.below(longest_text - 2);
    const bool quoting = random.below(100) < 4;
    if (quoting) record.text += '"';
    for (std::uint32_t i = 0; i < tokens; ++i) {
      if (i > 0) record.text += random.below(100) < 3 ? ", " : " ";
      append_token(record.text, interest.topic, place, random, now);
    }
    if (quoting) record.text += '"';
  }

  const PlantedUnits& items() const override { return words_; }
  std::string item_name(std::uint32_t item) const override {
    std::string name;
    append_word(name, item);
    return name;
  }

 private:
  static std::uint64_t key(DrawPurpose purpose) { return static_cast<std::uint64_t>(purpose); }

  /// Habitual places around home, places where the user's interest is at home, or where everybody goes.
  std::uint32_t draw_place(std::uint32_t user, const DriftingInterests::Interest& interest, Random& random,
                           Moment now) const {
    const std::uint32_t home = Random{seed_, key(DrawPurpose::user), user}.below(areas_);
    const std::uint32_t cause = random.below(100);
    if (cause < 40) {
      Random habit{seed_, key(DrawPurpose::habit), user, random.below(habits_per_user)};
      return places_.draw(home, habit, now);
    }
    if (cause < 55) return places_.draw(home, random, now);
    if (cause < 80) return places_.draw(interest.topic % areas_, random, now);
    return places_.draw(random, now);
  }

  void append_token(std::string& text, std::uint32_t topic, std::uint32_t place, Random& random, Moment now) const {
    const std::uint32_t cause = random.below(100);
    if (cause < 2) {
      text += "https://t.example/";
      for (int i = 0; i < 8; ++i) text += static_cast<char>('a' + random.below(26));
    } else if (cause < 4) {
      text += "@u";
      text += std::to_string(users_.draw(random, now));
    } else if (cause < 30) {
      text += everyday_words[random.below(everyday_words.size())];
    } else {
      if (random.below(100) < 3) text += '#';
      append_word(text, draw_word(topic, place, random, now));
    }
  }

  std::uint32_t draw_word(std::uint32_t topic, std::uint32_t place, Random& random, Moment now) const {
    const std::uint32_t cause = random.below(100);
    if (cause < 46) return words_.draw(topic, random, now);
    if (cause < 62) {
      Random word{seed_, key(DrawPurpose::place), place, random.below(words_per_place), 1};
      return words_.draw(word, now);
    }
    if (cause < 76) {
      Random word{seed_, key(DrawPurpose::place), places_.topic(place, now), random.below(words_per_area), 2};
      return words_.draw(word, now);
    }
    return words_.draw(random, now);
  }

  std::uint64_t seed_;
  std::uint32_t areas_;
  GeneratedUsers users_;
  PlantedUnits words_;
  PlantedUnits places_;  ///< their planted topic is the area
  std::vector<Position> positions_;
  DriftingInterests interests_;
};

}  // namespace

std::unique_ptr<GeneratedScene> make_city_scene(const GeneratorSettings& settings) {
  return std::make_unique<CityScene>(settings);
}

}  // namespace meteor
