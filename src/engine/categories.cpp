#include "engine/categories.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "stream/csv_rows.h"
#include "stream/text.h"
#include "support/error.h"
#include "support/hash.h"
#include "support/log.h"

namespace meteor {
namespace {

constexpr std::uint64_t kMaxRowBytes = 1 << 20;

/// The same number for the same attribute and category in every run (FNV-1a), never 0.
CategoryKey category_key(std::string_view attribute, std::string_view category) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  };
  mix(attribute);
  mix(":");
  mix(category);
  return static_cast<CategoryKey>(hash | 1);
}

}  // namespace

Categories::Categories(const std::vector<AttributeSettings>& attributes) : by_attribute_(attributes.size()) {
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (attributes[a].clusters != ClusterSource::categories) continue;
    const std::string path = attributes[a].categories.string();
    Rejects rejects(path, 0);
    CsvRows rows(open_source(path), 2, kMaxRowBytes, rejects);
    Row row;
    Sha256 hash;
    std::unordered_set<std::string> ambiguous;
    while (rows.next(row)) {
      const std::string unit(trimmed(row.columns[0][0]));
      const std::string_view category = trimmed(row.columns[1][0]);
      if (category.empty()) continue;
      const CategoryKey key = category_key(attributes[a].name, category);
      const auto [found, added] = by_attribute_[a].try_emplace(unit, key);
      if (!added && std::exchange(found->second, key) != key) ambiguous.insert(unit);
      hash.update(unit.c_str(), unit.size() + 1);
      hash.update(&key, sizeof key);
    }
    hashes_[attributes[a].name] = hash.hex();
    if (!ambiguous.empty()) {
      log_warning("{}: {} units are listed with several categories, as {} is; their last one counts", path,
                  ambiguous.size(), *std::min_element(ambiguous.begin(), ambiguous.end()));
    }
  }
}

CategoryKey Categories::of(AttributeId attribute, std::string_view unit) const {
  if (index(attribute) >= by_attribute_.size()) return CategoryKey::none;
  const auto& categories = by_attribute_[index(attribute)];
  const auto found = categories.find(unit);
  return found == categories.end() ? CategoryKey::none : found->second;
}

void Categories::tell_coverage(const std::vector<AttributeSettings>& attributes, const Vocabulary& vocabulary,
                               std::size_t units) const {
  std::vector<std::size_t> all(attributes.size()), categorised(attributes.size());
  for (std::size_t i = 0; i < units; ++i) {
    const UnitId unit{static_cast<std::uint32_t>(i)};
    const AttributeId attribute = vocabulary.attribute(unit);
    ++all[index(attribute)];
    if (of(attribute, vocabulary.name(unit)) != CategoryKey::none) ++categorised[index(attribute)];
  }
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (attributes[a].clusters != ClusterSource::categories) continue;
    const std::string sentence = fmt::format("{} of {} units of {} have a category from {}", categorised[a], all[a],
                                             attributes[a].name, attributes[a].categories.string());
    write_log(categorised[a] > 0 ? LogLevel::info : LogLevel::warning, sentence);
  }
}

std::vector<CategoryKey> Categories::of_all(const Vocabulary& vocabulary) const {
  std::vector<CategoryKey> categories;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const UnitId unit{static_cast<std::uint32_t>(i)};
    categories.push_back(of(vocabulary.attribute(unit), vocabulary.name(unit)));
  }
  return categories;
}

}  // namespace meteor
