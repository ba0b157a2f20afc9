#include "methods/categories.h"

#include <fmt/format.h>

#include <fstream>

#include "stream/csv_rows.h"
#include "support/error.h"
#include "support/hash.h"

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

std::vector<std::string> first_two_columns(const std::string& path) {
  std::ifstream file(path);
  std::string header;
  if (!std::getline(file, header)) throw InputError(path + " is empty or cannot be read");
  if (header.starts_with("\xef\xbb\xbf")) header.erase(0, 3);
  if (header.ends_with('\r')) header.pop_back();
  const std::size_t comma = header.find(',');
  if (comma == std::string::npos) throw InputError(path + " needs a header with two columns, unit and category");
  return {header.substr(0, comma), header.substr(comma + 1, header.find(',', comma + 1) - comma - 1)};
}

}  // namespace

Categories::Categories(const std::vector<AttributeSettings>& attributes) : by_attribute_(attributes.size()) {
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (attributes[a].clusters != ClusterSource::categories) continue;
    const std::string path = attributes[a].categories.string();
    const auto columns = first_two_columns(path);
    Rejects rejects(path, 0);
    CsvRows rows(open_source(path), columns, kMaxRowBytes, rejects);
    Row row;
    Sha256 hash;
    while (rows.next(row)) {
      if (row.columns[0].empty() || row.columns[1].empty() || row.columns[1][0].empty()) continue;
      const std::string unit(row.columns[0][0]);
      const CategoryKey key = category_key(attributes[a].name, row.columns[1][0]);
      by_attribute_[a][unit] = key;
      hash.update(unit.c_str(), unit.size() + 1);
      hash.update(&key, sizeof key);
    }
    hashes_[attributes[a].name] = hash.hex();
  }
}

CategoryKey Categories::of(AttributeId attribute, std::string_view unit) const {
  if (index(attribute) >= by_attribute_.size()) return CategoryKey::none;
  const auto& categories = by_attribute_[index(attribute)];
  const auto found = categories.find(unit);
  return found == categories.end() ? CategoryKey::none : found->second;
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
