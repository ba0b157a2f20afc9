#pragma once

#include <cstddef>
#include <cstdint>

namespace meteor {

/// Units of all attributes share one numbering, in the order in which records first hold them.
enum class UnitId : std::uint32_t {};
enum class AttributeId : std::uint16_t {};
/// Clusters of all attributes share one numbering.
enum class ClusterId : std::uint32_t {};
/// A category that the user gave a unit, as a hash of attribute and name, so that it means the same in every run.
enum class CategoryKey : std::uint64_t { none = 0 };

constexpr std::size_t index(UnitId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index(AttributeId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index(ClusterId id) { return static_cast<std::size_t>(id); }

}  // namespace meteor
