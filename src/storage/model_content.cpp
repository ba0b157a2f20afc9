#include "storage/model_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "compression/schemes.h"
#include "model/accumulators.h"
#include "model/unit_blocks.h"
#include "model/valid_numbers.h"

namespace meteor {
namespace {

/// Removes the array of that name from the list.
Array take(std::vector<Array>& arrays, std::string_view name) {
  const auto place = arrays.begin() + (&find_array(arrays, name) - arrays.data());
  Array array = std::move(*place);
  arrays.erase(place);
  return array;
}

/// The values of the array, one for each unit.
template <class T>
std::vector<T> take_for_units(std::vector<Array>& arrays, std::string_view name, std::size_t units) {
  const Array array = take(arrays, name);
  const auto values = array.as<T>();
  if (values.size() != units) throw StorageError(fmt::format("array {} has not one value for every unit", name));
  return {values.begin(), values.end()};
}

/// A byte for each unit; up to version 2 it was a float.
std::vector<std::uint8_t> take_accumulators(std::vector<Array>& arrays, std::size_t units) {
  constexpr std::string_view kName = "units/accumulator";
  if (find_array(arrays, kName).type != ElementType::f32) return take_for_units<std::uint8_t>(arrays, kName, units);
  std::vector<std::uint8_t> bytes;
  for (const float value : take_for_units<float>(arrays, kName, units)) bytes.push_back(accumulator_byte(value, 0.5));
  return bytes;
}

Vocabulary rebuild_vocabulary(const Settings& settings, std::span<const AttributeId> attributes,
                              std::vector<Array>& arrays) {
  Vocabulary vocabulary = empty_vocabulary(settings.attributes);
  const Array byte_array = take(arrays, "units/name_bytes");
  const Array end_array = take(arrays, "units/name_end");
  const auto bytes = byte_array.as<std::uint8_t>();
  const auto ends = end_array.as<std::uint64_t>();
  require_valid(ends.size() == attributes.size(), "there is not one name for every unit");
  require_valid((ends.empty() ? 0 : ends.back()) == bytes.size(), "the names do not end where they should");
  const std::string_view text(static_cast<const char*>(byte_array.data), bytes.size());
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    require_valid(begin < ends[i] && ends[i] <= text.size(), "the ends of the names do not ascend");
    const std::string_view name = text.substr(begin, ends[i] - begin);
    require_valid(!vocabulary.find(attributes[i], name), "a name occurs twice in one attribute");
    vocabulary.admit(attributes[i], name);
    begin = ends[i];
  }
  return vocabulary;
}

/// A model of which all but the embeddings, and what replicas do without, is rebuilt.
Model rebuild_units(const Settings& settings, const ModelHead& head, std::vector<Array>& arrays) {
  require_valid(head.dimension >= 1 && head.dimension <= 65536, "its dimension is not between 1 and 65536");
  require_valid(head.dimension == settings.learning.dimension, "its dimension is not that of its settings");
  Model model;
  model.dimension = static_cast<std::uint32_t>(head.dimension);
  const std::size_t units = find_array(arrays, "units/attribute").elements();
  require_valid(units < std::numeric_limits<std::uint32_t>::max() - 1, "there are more units than ids");
  for (const std::uint16_t attribute : take_for_units<std::uint16_t>(arrays, "units/attribute", units)) {
    require_valid(attribute < settings.attributes.size(), "a unit belongs to an attribute that does not exist");
    model.attributes.push_back(AttributeId{attribute});
  }
  model.accumulators = take_accumulators(arrays, units);
  return model;
}

/// No unit has a code that only units of another attribute can have.
void require_own_codes(const Embeddings& embeddings, std::span<const AttributeId> attributes,
                       std::span<const UnitId> units) {
  for (const UnitId unit : units) {
    const std::optional<AttributeId> coded_as = embeddings.coded_as(unit);
    require_valid(!coded_as || *coded_as == attributes[index(unit)], "a unit is coded as one of another attribute");
  }
}

}  // namespace

std::unique_ptr<Embeddings> rebuild_embeddings(const Settings& settings, const ModelHead& head,
                                               std::span<const AttributeId> attributes, std::span<const Array> arrays) {
  const Scheme* const scheme = scheme_named(head.scheme);
  if (scheme == nullptr) throw StorageError(fmt::format("its compression scheme \"{}\" is not known", head.scheme));
  std::unique_ptr<Embeddings> embeddings = scheme->rebuild({settings, head.dimension, attributes, arrays});
  require_valid(embeddings->units() == attributes.size(), "there is not one embedding for every unit");
  require_own_codes(*embeddings, attributes, first_units(attributes.size()));
  return embeddings;
}

void follow_changes(Model& replica, const Settings& settings, std::span<const UnitId> units,
                    std::span<const Array> changes) {
  for (const std::uint16_t attribute : find_array(changes, "changed/new_attribute").as<std::uint16_t>()) {
    require_valid(attribute < settings.attributes.size(), "a new unit belongs to an attribute that does not exist");
  }
  replica.follow(units, changes);
  require_valid(replica.embeddings->units() == replica.units(), "there is not one embedding for every unit");
  const bool anew = std::any_of(changes.begin(), changes.end(),
                                [](const Array& array) { return array.name.starts_with("embeddings/"); });
  if (anew) {
    require_own_codes(*replica.embeddings, replica.attributes, first_units(replica.units()));
  } else {
    require_own_codes(*replica.embeddings, replica.attributes, units);
  }
}

std::vector<Array> model_content(const Vocabulary& vocabulary, const Model& model) {
  std::vector<Array> arrays = model.arrays();
  // The vocabulary may be ahead of the model: what is being read is not yet learnt.
  const auto ends = vocabulary.name_ends().first(model.units());
  const std::string_view bytes = vocabulary.name_bytes().substr(0, ends.empty() ? 0 : ends.back());
  arrays.push_back({"units/name_bytes", ElementType::u8, {bytes.size()}, bytes.data(), Purpose::description});
  arrays.push_back(view_array("units/name_end", ends, Purpose::description));
  std::sort(arrays.begin(), arrays.end(), [](const Array& a, const Array& b) { return a.name < b.name; });
  return arrays;
}

std::string model_sha256(const Vocabulary& vocabulary, const Model& model) {
  return content_hash(model_content(vocabulary, model));
}

FileContent file_content(const Settings& settings, const Vocabulary& vocabulary, const Model& model) {
  return {std::string(kModelFormat),
          settings,
          {std::string(model.embeddings->scheme()), model.dimension, model.windows},
          model_content(vocabulary, model)};
}

StoredModel rebuild_model(FileContent content) {
  Settings& settings = content.settings;
  const ModelHead& head = content.head;
  std::vector<Array>& arrays = content.arrays;
  require_valid(head.windows <= std::numeric_limits<std::uint32_t>::max(),
                "it has learnt more windows than there can be");
  Model model = rebuild_units(settings, head, arrays);
  const std::size_t units = model.units();
  model.windows = head.windows;
  Vocabulary vocabulary = rebuild_vocabulary(settings, model.attributes, arrays);
  model.counts = take_for_units<std::uint32_t>(arrays, "units/count", units);
  model.last_windows = take_for_units<std::uint32_t>(arrays, "units/last_window", units);
  for (const std::uint32_t window : model.last_windows) {
    require_valid(window < head.windows, "a unit was last seen in a window that has not been");
  }
  model.embeddings = rebuild_embeddings(settings, head, model.attributes, arrays);
  require_valid(model.embeddings->fitted_after() <= head.windows,
                "its codes were planned after windows that have not been");
  return {std::move(settings), std::move(vocabulary), std::move(model)};
}

Model rebuild_replica(const Settings& settings, const ModelHead& head, std::vector<Array> arrays) {
  Model model = rebuild_units(settings, head, arrays);
  model.embeddings = rebuild_embeddings(settings, head, model.attributes, arrays);
  require_valid(model.embeddings->compressed(), "only compressed embeddings have replicas");
  return model;
}

}  // namespace meteor
