#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "config/settings.h"
#include "config/text_forms.h"

namespace meteor {

// How each type of setting is written. Whatever a setting was read from (TOML, --set, a model file), its written form
// arrives as a JSON value. `read_value` returns false when the value is not of that form; `write_value` gives the form
// back, or null for a setting that is off; `form_of` tells users what to write.

template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};
// The names users may write. A value without a name means that the setting is off.
constexpr auto names_of(StreamFormat) {
  return std::array<EnumName<StreamFormat>, 2>{{{StreamFormat::csv, "csv"}, {StreamFormat::jsonl, "jsonl"}}};
}
constexpr auto names_of(LatePolicy) {
  return std::array<EnumName<LatePolicy>, 2>{{{LatePolicy::keep, "keep"}, {LatePolicy::drop, "drop"}}};
}
constexpr auto names_of(TokenKind) { return std::array<EnumName<TokenKind>, 1>{{{TokenKind::words, "words"}}}; }
constexpr auto names_of(TimeKind) {
  return std::array<EnumName<TimeKind>, 2>{
      {{TimeKind::hour_of_day, "hour of day"}, {TimeKind::hour_of_week, "hour of week"}}};
}
constexpr auto names_of(ClusterSource) {
  return std::array<EnumName<ClusterSource>, 2>{
      {{ClusterSource::fitted, "fitted"}, {ClusterSource::categories, "explicit"}}};
}
#define METEOR_NAMED(name, forgets) EnumName<CompressionScheme>{CompressionScheme::name, #name},
constexpr auto names_of(CompressionScheme) { return std::array{METEOR_SCHEMES(METEOR_NAMED)}; }
#undef METEOR_NAMED
/// Whether units can be forgotten (model.expire).
constexpr bool can_forget(CompressionScheme scheme) {
#define METEOR_FORGETS(name, forgets) \
  if (scheme == CompressionScheme::name) return forgets;
  METEOR_SCHEMES(METEOR_FORGETS)
#undef METEOR_FORGETS
  return false;
}
constexpr auto names_of(Optimiser) {
  return std::array<EnumName<Optimiser>, 2>{{{Optimiser::adagrad, "adagrad"}, {Optimiser::sgd, "sgd"}}};
}
constexpr auto names_of(Arithmetic) {
  return std::array<EnumName<Arithmetic>, 2>{{{Arithmetic::exact, "exact"}, {Arithmetic::fast, "fast"}}};
}
constexpr auto names_of(ReplayKind) {
  return std::array<EnumName<ReplayKind>, 3>{
      {{ReplayKind::none, "none"}, {ReplayKind::decay, "decay"}, {ReplayKind::info, "info"}}};
}
constexpr auto names_of(ClusterKind) {
  return std::array<EnumName<ClusterKind>, 2>{{{ClusterKind::kmeans, "kmeans"}, {ClusterKind::subspace, "subspace"}}};
}
constexpr auto names_of(Precision) {
  return std::array<EnumName<Precision>, 2>{{{Precision::float32, "float32"}, {Precision::int8, "int8"}}};
}
constexpr auto names_of(BasisSharing) {
  return std::array<EnumName<BasisSharing>, 2>{
      {{BasisSharing::weighted, "weighted"}, {BasisSharing::uniform, "uniform"}}};
}
constexpr auto names_of(Scoring) {
  return std::array<EnumName<Scoring>, 2>{{{Scoring::pooled, "pooled"}, {Scoring::mean, "mean"}}};
}
constexpr auto names_of(Context) {
  return std::array<EnumName<Context>, 2>{{{Context::balanced, "balanced"}, {Context::mean, "mean"}}};
}
constexpr auto names_of(Axes) {
  return std::array<EnumName<Axes>, 2>{{{Axes::principal, "principal"}, {Axes::fixed, "fixed"}}};
}
constexpr auto names_of(CandidateSource) {
  return std::array<EnumName<CandidateSource>, 2>{
      {{CandidateSource::window, "window"}, {CandidateSource::vocabulary, "vocabulary"}}};
}

constexpr auto names_of(WireFormat) {
  return std::array<EnumName<WireFormat>, 2>{{{WireFormat::float32, "float32"}, {WireFormat::bfloat16, "bfloat16"}}};
}

using Json = nlohmann::json;

bool read_value(const Json& written, std::string& value);
bool read_value(const Json& written, std::filesystem::path& value);
bool read_value(const Json& written, bool& value);
bool read_value(const Json& written, double& value);  ///< finite only
bool read_value(const Json& written, std::uint64_t& value);
bool read_value(const Json& written, std::uint32_t& value);
bool read_value(const Json& written, WindowLength& value);
bool read_value(const Json& written, PretrainingSpan& value);
bool read_value(const Json& written, std::optional<Duration>& value);
bool read_value(const Json& written, std::optional<double>& value);  ///< a finite number or "auto"
bool read_value(const Json& written, Budget& value);
bool read_value(const Json& written, GridLength& value);

Json write_value(const std::string& value);
Json write_value(const std::filesystem::path& value);
Json write_value(const WindowLength& value);
Json write_value(const PretrainingSpan& value);
Json write_value(const std::optional<Duration>& value);
Json write_value(const std::optional<double>& value);
Json write_value(const Budget& value);
Json write_value(const GridLength& value);

std::string form_of(const std::string&);
std::string form_of(const std::filesystem::path&);
std::string form_of(bool);
std::string form_of(std::uint64_t);
std::string form_of(std::uint32_t);
std::string form_of(const WindowLength&);
std::string form_of(const PretrainingSpan&);
std::string form_of(const std::optional<Duration>&);
std::string form_of(const std::optional<double>&);
std::string form_of(const Budget&);
std::string form_of(const GridLength&);

template <class Enum>
requires std::is_enum_v<Enum>
bool read_value(const Json& written, Enum& value) {
  if (!written.is_string()) return false;
  for (const auto& [named, name] : names_of(Enum{})) {
    if (written.get_ref<const std::string&>() != name) continue;
    value = named;
    return true;
  }
  return false;
}

template <class Number>
requires std::is_arithmetic_v<Number> Json write_value(Number value) { return value; }

template <class Enum>
requires std::is_enum_v<Enum> Json write_value(Enum value) {
  for (const auto& [named, name] : names_of(Enum{})) {
    if (named == value) return name;
  }
  return nullptr;
}

template <class Enum>
requires std::is_enum_v<Enum> std::string form_of(Enum) {
  std::string forms;
  for (const auto& [named, name] : names_of(Enum{})) forms.append(forms.empty() ? "" : " or ").append(name);
  return forms;
}

}  // namespace meteor
