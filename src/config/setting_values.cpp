#include "config/setting_values.h"

namespace meteor {
namespace {

template <class Integer>
bool read_integer(const Json& written, Integer& value) {
  if (!written.is_number_integer()) return false;
  if (!written.is_number_unsigned() && written.get<std::int64_t>() < 0) return false;
  const auto wide = written.get<std::uint64_t>();
  if (wide > std::numeric_limits<Integer>::max()) return false;
  value = static_cast<Integer>(wide);
  return true;
}

/// Reads a text through one of the parsers of text_forms.h.
template <class Parse, class Value>
bool read_text(const Json& written, Parse parse, Value& value) {
  if (!written.is_string()) return false;
  const auto parsed = parse(written.get_ref<const std::string&>());
  if (parsed) value = *parsed;
  return parsed.has_value();
}

}  // namespace

bool read_value(const Json& written, std::string& value) {
  if (!written.is_string()) return false;
  value = written.get<std::string>();
  return true;
}

bool read_value(const Json& written, std::filesystem::path& value) {
  if (!written.is_string()) return false;
  value = written.get_ref<const std::string&>();
  return true;
}

bool read_value(const Json& written, bool& value) {
  if (!written.is_boolean()) return false;
  value = written.get<bool>();
  return true;
}

bool read_value(const Json& written, double& value) {
  if (!written.is_number() || !std::isfinite(written.get<double>())) return false;
  value = written.get<double>();
  return true;
}

bool read_value(const Json& written, std::uint64_t& value) { return read_integer(written, value); }
bool read_value(const Json& written, std::uint32_t& value) { return read_integer(written, value); }
bool read_value(const Json& written, WindowLength& value) { return read_text(written, parse_window_length, value); }

bool read_value(const Json& written, PretrainingSpan& value) {
  double share = 0;
  if (!read_value(written, share)) return read_text(written, parse_pretraining_span, value);
  if (share <= 0 || share >= 1) return false;
  value = share;
  return true;
}

bool read_value(const Json& written, std::optional<Duration>& value) {
  if (written != "never") return read_text(written, parse_duration, value);
  value.reset();
  return true;
}

bool read_value(const Json& written, std::optional<double>& value) {
  double number = 0;
  const bool is_number = read_value(written, number);
  value = is_number ? std::optional(number) : std::nullopt;
  return is_number || written == "auto";
}

bool read_value(const Json& written, Budget& value) { return read_text(written, parse_budget, value); }
bool read_value(const Json& written, GridLength& value) { return read_text(written, parse_grid, value.metres); }

Json write_value(const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); }
Json write_value(const std::filesystem::path& value) { return write_value(value.string()); }
Json write_value(const WindowLength& value) { return to_text(value); }

Json write_value(const PretrainingSpan& value) {
  if (const auto* share = std::get_if<double>(&value)) return *share;
  if (const auto* windows = std::get_if<WindowCount>(&value)) return std::to_string(windows->windows) + " windows";
  return to_text(std::get<Duration>(value));
}

Json write_value(const std::optional<Duration>& value) { return value ? to_text(*value) : "never"; }
Json write_value(const std::optional<double>& value) { return value ? Json(*value) : Json("auto"); }
Json write_value(const Budget& value) { return to_text(value); }
Json write_value(const GridLength& value) { return grid_text(value.metres); }

std::string form_of(const std::string&) { return "a text, as in \"abc\""; }
std::string form_of(const std::filesystem::path&) { return "the name of a file, as in \"categories.csv\""; }
std::string form_of(bool) { return "true or false"; }
std::string form_of(std::uint64_t) { return "a whole number from 0 to 9223372036854775807"; }  // TOML has no larger one
std::string form_of(std::uint32_t) { return "a whole number from 0 to 4294967295"; }
std::string form_of(const WindowLength&) {
  return R"(a time like "1 day", "6 hours" or "30 minutes", or a number of records like "1000 records")";
}
std::string form_of(const PretrainingSpan&) {
  return R"(a share between 0 and 1, a time like "30 days", or a number of windows like "20 windows")";
}
std::string form_of(const std::optional<Duration>&) { return R"(a time like "180 days", or "never")"; }
std::string form_of(const std::optional<double>&) { return R"(a number, or "auto")"; }
std::string form_of(const Budget&) {
  return R"(a share of full embeddings like "10 %", or a size like "64 MiB", "500 KB" or "2 GB")";
}
std::string form_of(const GridLength&) { return R"(a length from 1 m to 1000 km, as in "300 m" or "1.5 km")"; }

}  // namespace meteor
