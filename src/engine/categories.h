#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/settings.h"
#include "model/vocabulary.h"
#include "support/ids.h"

namespace meteor {

/// The categories that the user gave units, for the attributes with clusters = "explicit".
class Categories {
 public:
  Categories() = default;
  /// Reads the category file of each such attribute: CSV with a header, the first column the unit, the second its
  /// category, without the spaces around them. Throws InputError.
  explicit Categories(const std::vector<AttributeSettings>& attributes);

  CategoryKey of(AttributeId attribute, std::string_view unit) const;
  /// Of every unit.
  std::vector<CategoryKey> of_all(const Vocabulary& vocabulary) const;
  /// Says how many of the first `units` units have a category, for each such attribute; a warning where none has.
  void tell_coverage(const std::vector<AttributeSettings>& attributes, const Vocabulary& vocabulary,
                     std::size_t units) const;
  /// Identifies what was read for each such attribute, by its name.
  const std::map<std::string, std::string>& hashes() const { return hashes_; }

 private:
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<std::unordered_map<std::string, CategoryKey, TextHash, std::equal_to<>>> by_attribute_;
  std::map<std::string, std::string> hashes_;
};

}  // namespace meteor
