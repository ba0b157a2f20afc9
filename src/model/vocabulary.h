#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "support/ids.h"

namespace meteor {

/// Names of units and their ids. Names lie end to end in one block and the index holds ids only, so that a name costs
/// its bytes and about 18 more.
class Vocabulary {
 public:
  /// Units of attribute a are admitted at their min_counts[a]-th sighting.
  explicit Vocabulary(std::vector<std::uint32_t> min_counts);

  /// From here on admits units as the minimum counts of these attributes say, which are as many as before.
  void admit_as(std::span<const AttributeSettings> attributes);

  /// The unit, if it has been admitted.
  std::optional<UnitId> find(AttributeId attribute, std::string_view name) const;

  /// Counts a sighting, in this window, of a unit that is not admitted; true if it is now seen often enough.
  bool sight(AttributeId attribute, std::string_view name, std::uint64_t window = 0);

  /// Gives the unit an id, the next one.
  UnitId admit(AttributeId attribute, std::string_view name);

  /// How often a unit was seen that is not yet admitted, and the last window that held it.
  struct Sighted {
    std::uint32_t count = 0;
    std::uint32_t window = 0;
  };
  /// A unit that is not yet admitted, under a key of its attribute and name; its count is 0 if it no longer waits.
  struct Sighting {
    std::string key;
    Sighted sighted;
  };
  /// The sightings since the last call.
  std::vector<Sighting> take_sightings() { return std::exchange(sightings_, {}); }
  struct NamedUnit {
    AttributeId attribute;
    std::string_view name;
  };
  /// The unit that a key of take_sightings() stands for; none if no unit has that key.
  std::optional<NamedUnit> unit_of_key(std::string_view key) const;
  /// As if the unit, which waits, had been seen so often.
  void restore_sighting(const Sighting& sighting);

  /// Forgets these units, ascending: the others move up to take their ids. Forgets sightings before this window, too.
  void forget(std::span<const UnitId> units, std::uint64_t first_window);

  std::size_t size() const { return attributes_.size(); }
  std::string_view name(UnitId unit) const;
  AttributeId attribute(UnitId unit) const { return attributes_[index(unit)]; }
  std::span<const AttributeId> attributes() const { return attributes_; }
  std::size_t attribute_count() const { return min_counts_.size(); }
  /// The sighting at which units of the attribute are admitted.
  std::uint32_t min_count(AttributeId attribute) const { return min_counts_[index(attribute)]; }

  /// The names end to end, and where each ends: what a file stores.
  std::string_view name_bytes() const { return bytes_; }
  std::span<const std::uint64_t> name_ends() const { return ends_; }

 private:
  std::size_t slot_of(AttributeId attribute, std::string_view name) const;
  /// Makes a new index that has so many places.
  void index_names(std::size_t places);

  std::vector<std::uint32_t> min_counts_;
  std::string bytes_;
  std::vector<std::uint64_t> ends_;
  std::vector<AttributeId> attributes_;
  std::vector<std::uint32_t> table_;                  // open addressing, id + 1 or 0
  std::unordered_map<std::string, Sighted> waiting_;  // units not yet admitted
  std::vector<Sighting> sightings_;
};

/// A vocabulary that admits units as the attributes' minimum counts say.
Vocabulary empty_vocabulary(std::span<const AttributeSettings> attributes);

}  // namespace meteor
