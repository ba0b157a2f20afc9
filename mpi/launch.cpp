#include "mpi/launch.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace meteor {
namespace {

std::optional<std::uint32_t> number_in_environment(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(digits.begin(), digits.end(), number);
  if (problem != std::errc() || end != digits.end()) return std::nullopt;
  return number;
}

}  // namespace

bool launched_by_mpi() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr; }

std::optional<std::uint32_t> launched_rank() {
  if (const auto rank = number_in_environment("OMPI_COMM_WORLD_RANK")) return rank;
  return number_in_environment("PMIX_RANK");
}

}  // namespace meteor
