#include "commands/named_units.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/small_models.h"
#include "storage/model_content.h"

namespace meteor {
namespace {

TEST(NamedUnits, ASuggestionStaysOnItsLine) {
  const StoredModel saved = small_model(CompressionScheme::none, 20, 4);
  FileContent content = file_content(saved.settings, saved.vocabulary, saved.model);
  for (Array& array : content.arrays) {
    if (array.name != "units/name_bytes") continue;
    const auto before = array.as<std::uint8_t>();
    std::vector<std::uint8_t> names(before.begin(), before.end());
    std::replace(names.begin(), names.end(), std::uint8_t{' '}, std::uint8_t{'\n'});
    array = own_array(array.name, std::move(names));
  }
  EXPECT_EQ(suggest_unit(rebuild_model(std::move(content)), AttributeId{1}, "item 7"), " (did you mean item\\x0a7?)");
}

}  // namespace
}  // namespace meteor
