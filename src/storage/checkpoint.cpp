#include "storage/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "storage/run_state_json.h"
#include "storage/valid_checkpoint.h"

namespace meteor {
namespace {

void require(bool holds, const char* fault) {
  if (!holds) throw StorageError(fault);
}

Array text_array(std::string name, const std::string& text) {
  return own_array(std::move(name), std::vector<std::uint8_t>(text.begin(), text.end()), Purpose::description);
}

std::string text_of(const Array& array) {
  const auto bytes = array.as<std::uint8_t>();
  return {bytes.begin(), bytes.end()};
}

/// A list of texts, as `name` (end to end) and `name`_ends.
void add_texts(std::vector<Array>& arrays, const std::string& name, std::span<const std::string_view> texts) {
  std::string all;
  std::vector<std::uint64_t> ends;
  for (const std::string_view text : texts) {
    all += text;
    ends.push_back(all.size());
  }
  arrays.push_back(text_array(name, all));
  arrays.push_back(own_array(name + "_ends", std::move(ends), Purpose::description));
}

std::vector<std::string> read_texts(std::span<const Array> arrays, const std::string& name) {
  const std::string all = text_of(find_array(arrays, name));
  std::vector<std::string> texts;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : find_array(arrays, name + "_ends").as<std::uint64_t>()) {
    if (end <= begin || end > all.size()) throw StorageError(fmt::format("the ends of {} do not ascend", name));
    texts.push_back(all.substr(begin, end - begin));
    begin = end;
  }
  if (begin != all.size()) throw StorageError(fmt::format("{} do not end where they should", name));
  return texts;
}

void add_sightings(std::vector<Array>& arrays, const RunState& run) {
  std::vector<std::string_view> keys;
  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> windows;
  for (const auto& [key, sighted] : run.sightings) {
    keys.push_back(key);
    counts.push_back(sighted.count);
    windows.push_back(sighted.window);
  }
  add_texts(arrays, "run/sightings/keys", keys);
  arrays.push_back(own_array("run/sightings/counts", std::move(counts), Purpose::description));
  arrays.push_back(own_array("run/sightings/windows", std::move(windows), Purpose::description));
}

void read_sightings(std::span<const Array> arrays, RunState& run) {
  const std::vector<std::string> keys = read_texts(arrays, "run/sightings/keys");
  const auto counts = find_array(arrays, "run/sightings/counts").as<std::uint32_t>();
  // Files of before there was expiry do not tell, and nothing of them expires.
  const auto has = [](const Array& array) { return array.name == "run/sightings/windows"; };
  const std::vector<std::uint32_t> unknown(keys.size());
  const auto windows = std::any_of(arrays.begin(), arrays.end(), has)
                           ? find_array(arrays, "run/sightings/windows").as<std::uint32_t>()
                           : std::span<const std::uint32_t>(unknown);
  if (keys.size() != counts.size() || keys.size() != windows.size()) {
    throw StorageError("the arrays of sightings do not fit together");
  }
  for (std::size_t i = 0; i < keys.size(); ++i) run.sightings[keys[i]] = {counts[i], windows[i]};
  require(run.sightings.size() == keys.size(), "a unit waits twice");
}

/// The names of units that the waiting window brought: the model does not hold them yet.
void add_new_names(std::vector<Array>& arrays, const LearntWindow& waiting, const Vocabulary& vocabulary,
                   std::size_t known) {
  std::vector<UnitId> units = waiting.units.units;
  std::erase_if(units, [&](UnitId unit) { return index(unit) < known; });
  std::sort(units.begin(), units.end());
  std::vector<std::string_view> names;
  std::vector<std::uint16_t> attributes;
  for (UnitId unit : units) {
    names.push_back(vocabulary.name(unit));
    attributes.push_back(static_cast<std::uint16_t>(vocabulary.attribute(unit)));
  }
  add_texts(arrays, "run/waiting/names", names);
  arrays.push_back(own_array("run/waiting/name_attributes", std::move(attributes), Purpose::description));
}

void read_new_names(std::span<const Array> arrays, Vocabulary& vocabulary) {
  const std::vector<std::string> names = read_texts(arrays, "run/waiting/names");
  const auto attributes = find_array(arrays, "run/waiting/name_attributes").as<std::uint16_t>();
  require(names.size() == attributes.size(), "the arrays of new names do not fit together");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const AttributeId attribute{attributes[i]};
    require(attributes[i] < vocabulary.attribute_count(), "a new name belongs to no attribute");
    require(!vocabulary.find(attribute, names[i]), "a new name occurs twice in one attribute");
    vocabulary.admit(attribute, names[i]);
  }
}

void add_waiting(std::vector<Array>& arrays, const LearntWindow& waiting) {
  const AlignedRows& steps = waiting.steps.steps;
  std::vector<std::uint32_t> units;
  for (UnitId unit : waiting.units.units) units.push_back(static_cast<std::uint32_t>(unit));
  const auto add = [&](auto array) {
    array.purpose = Purpose::description;
    arrays.push_back(std::move(array));
  };
  add(own_array("run/waiting/window", std::vector<std::uint64_t>{waiting.units.window}));
  add(own_array("run/waiting/units", std::move(units)));
  add(own_array("run/waiting/counts", waiting.units.counts));
  add(own_array("run/waiting/attribute_ends", waiting.units.attribute_ends));
  add(own_array("run/waiting/growths", waiting.steps.growths));
  std::vector<float> values;
  values.reserve(steps.rows() * steps.width());
  for (std::size_t i = 0; i < steps.rows(); ++i) {
    values.insert(values.end(), steps.row(i).begin(), steps.row(i).end());
  }
  Array rows = own_array("run/waiting/steps", std::move(values));
  rows.shape = {steps.rows(), steps.width()};
  add(std::move(rows));
}

std::optional<LearntWindow> read_waiting(std::span<const Array> arrays, std::uint64_t dimension) {
  const auto has = [](const Array& array) { return array.name == "run/waiting/window"; };
  if (std::none_of(arrays.begin(), arrays.end(), has)) return std::nullopt;
  const auto values = [&]<class T>(const char* name, std::type_identity<T>) {
    const auto span = find_array(arrays, name).as<T>();
    return std::vector<T>(span.begin(), span.end());
  };
  LearntWindow waiting;
  const auto window = find_array(arrays, "run/waiting/window").as<std::uint64_t>();
  require(window.size() == 1, "array run/waiting/window is not a number");
  waiting.units.window = window[0];
  for (const std::uint32_t unit : find_array(arrays, "run/waiting/units").as<std::uint32_t>()) {
    waiting.units.units.push_back(UnitId{unit});
  }
  waiting.units.counts = values("run/waiting/counts", std::type_identity<std::uint32_t>());
  waiting.units.attribute_ends = values("run/waiting/attribute_ends", std::type_identity<std::uint32_t>());
  waiting.steps.growths = values("run/waiting/growths", std::type_identity<float>());
  const auto steps = find_array(arrays, "run/waiting/steps").as<float>();
  const std::size_t units = waiting.units.size();
  require(steps.size() == units * dimension, "array run/waiting/steps does not have a row for every unit");
  waiting.steps.steps = AlignedRows(units, dimension);
  for (std::size_t i = 0; i < units; ++i) {
    std::copy_n(steps.begin() + static_cast<std::ptrdiff_t>(i * dimension), dimension,
                waiting.steps.steps.row(i).begin());
  }
  return waiting;
}

}  // namespace

FileContent checkpoint_content(const Settings& settings, const Vocabulary& vocabulary, const Model& model,
                               const RunState& run, const LearntWindow* waiting) {
  FileContent content = file_content(settings, vocabulary, model);
  content.format = kCheckpointFormat;
  for (Array& array : content.arrays) array = owned(std::move(array));
  content.arrays.push_back(text_array("run/state", run_state_json(run).dump()));
  add_sightings(content.arrays, run);
  if (waiting != nullptr) {
    add_waiting(content.arrays, *waiting);
    add_new_names(content.arrays, *waiting, vocabulary, model.units());
  }
  std::sort(content.arrays.begin(), content.arrays.end(),
            [](const Array& a, const Array& b) { return a.name < b.name; });
  return content;
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  FileContent content = read_content(path);
  if (content.format != kCheckpointFormat) {
    throw StorageError(fmt::format("{} is a model, not a checkpoint: --init-model goes on from it", path.string()));
  }
  try {
    RunState run =
        run_state_from(parse_stored_json(text_of(find_array(content.arrays, "run/state")), "its state of the run"));
    read_sightings(content.arrays, run);
    std::optional<LearntWindow> waiting = read_waiting(content.arrays, content.head.dimension);
    const auto of_run = std::stable_partition(content.arrays.begin(), content.arrays.end(),
                                              [](const Array& array) { return !array.name.starts_with("run/"); });
    const std::vector<Array> run_arrays(of_run, content.arrays.end());
    content.arrays.erase(of_run, content.arrays.end());
    Checkpoint checkpoint{rebuild_model(std::move(content)), std::move(run), std::move(waiting)};
    Vocabulary& vocabulary = checkpoint.stored.vocabulary;
    if (checkpoint.waiting) read_new_names(run_arrays, vocabulary);
    require_valid(checkpoint);
    for (const auto& [key, sighted] : checkpoint.run.sightings) vocabulary.restore_sighting({key, sighted});
    return checkpoint;
  } catch (const StorageError& fault) {
    throw StorageError(fmt::format("{} is damaged ({})", path.string(), fault.what()));
  }
}

}  // namespace meteor
