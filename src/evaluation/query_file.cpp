#include "evaluation/query_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluation/retrieval.h"

namespace meteor {

void QueryFile::write(const Window& window, const WindowUnits& units, const Vocabulary& vocabulary) {
  const RetrievalTask task{.units = units,
                           .attributes = settings_.attributes,
                           .candidates = settings_.evaluation.candidates,
                           .seed = settings_.learning.seed};
  const Shard records = whole_window(window, units);
  const auto name = [&](Place slot) { return std::string(vocabulary.name(units.units[slot])); };
  for_each_query(task, records, [&](const Query& query) {
    const std::string answer = name(query.slot);
    std::vector<std::string> candidates{answer};
    for (const Place other : query.others) candidates.push_back(name(other));
    std::sort(candidates.begin(), candidates.end());  // their order tells nothing
    nlohmann::ordered_json context = nlohmann::ordered_json::object();
    for (const AttributeSettings& attribute : settings_.attributes) context[attribute.name] = nlohmann::json::array();
    for (const std::uint32_t slot : records.record(query.record)) {
      if (slot != query.slot) context[settings_.attributes[index(units.attribute_of(slot))].name].push_back(name(slot));
    }
    const nlohmann::ordered_json line = {
        {"window", window.number},
        {"begin", window.begin},
        {"record", records.record_numbers[query.record]},
        {"target", settings_.attributes[index(units.attribute_of(query.slot))].name},
        {"context", std::move(context)},
        {"answer", std::find(candidates.begin(), candidates.end(), answer) - candidates.begin()},
        {"candidates", candidates}};
    file_.stream() << line.dump() << '\n';
  });
}

}  // namespace meteor
