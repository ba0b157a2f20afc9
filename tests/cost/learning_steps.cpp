// usage: learning_steps UNITS_PER_RECORD exact|fast
//
// Learns one generated window, of dimension 300 with 3 negatives, and prints the instruction set and how many
// unit-steps that were.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "fixtures/planted_model.h"
#include "learning/learn.h"

namespace meteor {
namespace {

constexpr std::uint32_t kUnits = 800;
constexpr std::size_t kUnitsLearnt = 2200;  // an epoch

Window generated_window(std::uint32_t units_per_record) {
  Random random{1};
  Window window;
  for (std::size_t record = 0; record < kUnitsLearnt / units_per_record; ++record) {
    const std::uint32_t first = random.below(kUnits);
    for (std::uint32_t i = 0; i < units_per_record; ++i) window.units.push_back(UnitId{(first + 31 * i) % kUnits});
    window.ends.push_back(window.units.size());
    window.record_numbers.push_back(record);
  }
  return window;
}

}  // namespace
}  // namespace meteor

int main(int argc, char** argv) {
  using namespace meteor;
  if (argc != 3) return EXIT_FAILURE;
  const Model model = testing::empty_model(300);
  const Window window = generated_window(static_cast<std::uint32_t>(std::atoi(argv[1])));
  const std::vector<AttributeId> attributes(kUnits, AttributeId{0});
  const WindowUnits units = count_units(window, attributes, 1);
  const Shard shard = whole_window(window, units);
  LearningSettings settings;
  settings.epochs = 5;
  settings.arithmetic = argv[2] == std::string_view("fast") ? Arithmetic::fast : Arithmetic::exact;
  const ModelStart start(units, model, settings.seed);
  CostlyEmbeddings costly(units, shard, start);
  const ShardUpdate update = learn(units, shard, costly, settings, all_epochs(settings), best_record_kernel());
  fmt::print("{} {}\n", best_record_kernel().instruction_set, update.unit_steps);
  return EXIT_SUCCESS;
}
