#include "model/vocabulary.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "model/drop_units.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr std::size_t kFewestPlaces = 1024;

std::uint64_t hash_of(AttributeId attribute, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ (index(attribute) * 0x9e3779b97f4a7c15u);
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;  // FNV-1a
  return hash ^ (hash >> 29);
}

std::string waiting_key(AttributeId attribute, std::string_view name) {
  return fmt::format("{}:{}", index(attribute), name);
}

std::vector<std::uint32_t> min_counts_of(std::span<const AttributeSettings> attributes) {
  std::vector<std::uint32_t> min_counts;
  min_counts.reserve(attributes.size());
  for (const AttributeSettings& attribute : attributes) min_counts.push_back(attribute.min_count);
  return min_counts;
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::uint32_t> min_counts)
    : min_counts_(std::move(min_counts)), table_(kFewestPlaces) {}

void Vocabulary::admit_as(std::span<const AttributeSettings> attributes) { min_counts_ = min_counts_of(attributes); }

std::string_view Vocabulary::name(UnitId unit) const {
  const std::size_t i = index(unit);
  const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(bytes_).substr(begin, ends_[i] - begin);
}

std::size_t Vocabulary::slot_of(AttributeId attribute, std::string_view name) const {
  std::size_t slot = hash_of(attribute, name) & (table_.size() - 1);
  while (table_[slot] != 0) {
    const UnitId unit{table_[slot] - 1};
    if (attributes_[index(unit)] == attribute && this->name(unit) == name) break;
    slot = (slot + 1) & (table_.size() - 1);
  }
  return slot;
}

std::optional<UnitId> Vocabulary::find(AttributeId attribute, std::string_view name) const {
  const std::uint32_t entry = table_[slot_of(attribute, name)];
  if (entry == 0) return std::nullopt;
  return UnitId{entry - 1};
}

bool Vocabulary::sight(AttributeId attribute, std::string_view name, std::uint64_t window) {
  const std::uint32_t needed = min_counts_[index(attribute)];
  if (needed <= 1) return true;
  std::string key = waiting_key(attribute, name);
  Sighted& sighted = waiting_[key];
  ++sighted.count;
  sighted.window = static_cast<std::uint32_t>(window);
  sightings_.push_back({std::move(key), sighted});
  return sighted.count >= needed;
}

std::optional<Vocabulary::NamedUnit> Vocabulary::unit_of_key(std::string_view key) const {
  const std::size_t colon = key.find(':');
  std::size_t attribute = 0;
  if (colon == std::string_view::npos) return std::nullopt;
  const auto [end, problem] = std::from_chars(key.data(), key.data() + colon, attribute);
  if (problem != std::errc() || attribute >= min_counts_.size()) return std::nullopt;
  const NamedUnit unit{static_cast<AttributeId>(attribute), key.substr(colon + 1)};
  if (key != waiting_key(unit.attribute, unit.name)) return std::nullopt;
  return unit;
}

void Vocabulary::restore_sighting(const Sighting& sighting) { waiting_[sighting.key] = sighting.sighted; }

UnitId Vocabulary::admit(AttributeId attribute, std::string_view name) {
  if (size() >= std::numeric_limits<std::uint32_t>::max() - 1)
    throw InputError("the stream has more than 2^32 - 2 units");
  const std::size_t slot = slot_of(attribute, name);
  const UnitId unit{static_cast<std::uint32_t>(size())};
  table_[slot] = static_cast<std::uint32_t>(unit) + 1;
  bytes_.append(name);
  ends_.push_back(bytes_.size());
  attributes_.push_back(attribute);
  if (min_counts_[index(attribute)] > 1) {
    std::string key = waiting_key(attribute, name);
    if (waiting_.erase(key) > 0) sightings_.push_back({std::move(key), {}});
  }
  if (size() * 4 > table_.size() * 3) index_names(table_.size() * 2);
  return unit;
}

void Vocabulary::forget(std::span<const UnitId> units, std::uint64_t first_window) {
  std::erase_if(waiting_, [&](const auto& entry) { return entry.second.window < first_window; });
  if (units.empty()) return;
  std::string bytes;
  std::vector<std::uint64_t> ends;
  auto next = units.begin();
  for (std::size_t i = 0; i < size(); ++i) {
    const UnitId unit{static_cast<std::uint32_t>(i)};
    if (next != units.end() && *next == unit) {
      ++next;
      continue;
    }
    bytes.append(name(unit));
    ends.push_back(bytes.size());
  }
  bytes_ = std::move(bytes);
  ends_ = std::move(ends);
  drop_units(attributes_, units);
  std::size_t places = kFewestPlaces;
  while (size() * 4 > places * 3) places *= 2;
  index_names(places);
}

void Vocabulary::index_names(std::size_t places) {
  table_.assign(places, 0);
  for (std::size_t i = 0; i < size(); ++i) {
    const UnitId unit{static_cast<std::uint32_t>(i)};
    std::size_t slot = hash_of(attributes_[i], name(unit)) & (table_.size() - 1);
    while (table_[slot] != 0) slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = static_cast<std::uint32_t>(i) + 1;
  }
}

Vocabulary empty_vocabulary(std::span<const AttributeSettings> attributes) {
  return Vocabulary(min_counts_of(attributes));
}

}  // namespace meteor
