#include "storage/run_state_json.h"

#include <fmt/format.h>

#include <limits>

#include "stream/time_parse.h"
#include "support/error.h"

namespace meteor {
namespace {

using nlohmann::json;

constexpr int kDeepestJson = 16;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;  // of files, which count in signed numbers

[[noreturn]] void refuse(std::string_view key, std::string_view expected) {
  throw StorageError(fmt::format("{} in its state of the run is not {}", key, expected));
}

const json& at(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) refuse(key, "there");
  return object.at(key);
}

/// A conversion of JSON would take 1e300, −1 and true for numbers as well.
std::uint64_t count_from(const json& value, std::string_view key, std::uint64_t most) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    refuse(key, fmt::format("a whole number up to {}", most));
  }
  return value.get<std::uint64_t>();
}

std::int64_t integer_from(const json& value, std::string_view key, std::int64_t least, std::int64_t most) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
    refuse(key, fmt::format("a whole number from {} to {}", least, most));
  }
  return value.get<std::int64_t>();
}

std::uint64_t count_at(const json& object, const char* key, std::uint64_t most = kMostBytes) {
  return count_from(at(object, key), key, most);
}

/// Windows and units that were last seen in them are numbered in 32 bits.
std::uint64_t windows_at(const json& object, const char* key) {
  return count_at(object, key, std::numeric_limits<std::uint32_t>::max());
}

std::int64_t time_from(const json& value, std::string_view key) {
  return integer_from(value, key, earliest_time, latest_time);
}

std::string text_from(const json& value, std::string_view key) {
  if (!value.is_string()) refuse(key, "a text");
  return value.get<std::string>();
}

Expiry expiry_from(const json& object) {
  Expiry expiry;
  expiry.last_look = time_from(at(object, "last_look"), "last_look");
  const json& begins = at(object, "begins");
  if (!begins.is_array() || begins.empty()) refuse("begins", "a list of windows");
  for (const json& begin : begins) {
    if (!begin.is_array() || begin.size() != 2) refuse("begins", "a list of windows and times");
    const std::uint64_t window = count_from(begin[0], "begins", std::numeric_limits<std::uint32_t>::max());
    const std::int64_t time = time_from(begin[1], "begins");
    if (!expiry.begins.empty() && (window <= expiry.begins.back().window || time < expiry.begins.back().time)) {
      refuse("begins", "in the order of the windows");
    }
    expiry.begins.push_back({window, time});
  }
  return expiry;
}

}  // namespace

json parse_stored_json(std::string_view text, std::string_view what) {
  const auto limit = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepestJson) throw StorageError(fmt::format("{} is nested too deeply", what));
    return true;
  };
  try {
    return json::parse(text, limit);
  } catch (const json::exception&) {
    throw StorageError(fmt::format("{} is not JSON", what));
  }
}

json run_state_json(const RunState& run) {
  json object = {{"offset", run.end.offset},
                 {"line", run.end.line},
                 {"read_records", run.end.records},
                 {"rejected", run.end.rejected},
                 {"text_sha256", run.end.text_sha256},
                 {"next_number", run.next_number},
                 {"too_small", run.skipped.too_small},
                 {"late", run.skipped.late},
                 {"pretraining_windows", run.pretraining.windows},
                 {"first_begin", run.first_begin},
                 {"windows", run.windows},
                 {"records", run.records},
                 {"reject_bytes", run.reject_bytes},
                 {"metrics_bytes", run.metrics_bytes},
                 {"categories", run.categories}};
  if (run.first_reading.bytes > 0) {
    object["first_reading"] = {{"bytes", run.first_reading.bytes}, {"sha256", run.first_reading.sha256}};
  }
  if (run.pretraining.time) object["pretraining_seconds"] = run.pretraining.time->seconds;
  if (run.expiry.last_look) {
    json begins = json::array();
    for (const Expiry::Begin& begin : run.expiry.begins) begins.push_back({begin.window, begin.time});
    object["expiry"] = {{"last_look", *run.expiry.last_look}, {"begins", begins}};
  }
  return object;
}

RunState run_state_from(const json& object) {
  RunState run;
  run.end = {.offset = count_at(object, "offset"),
             .line = count_at(object, "line"),
             .records = count_at(object, "read_records"),
             .rejected = count_at(object, "rejected"),
             .text_sha256 = text_from(at(object, "text_sha256"), "text_sha256")};
  run.next_number = windows_at(object, "next_number");
  run.skipped = {count_at(object, "too_small"), count_at(object, "late")};
  run.pretraining.windows = count_at(object, "pretraining_windows", std::numeric_limits<std::uint64_t>::max());
  if (object.contains("pretraining_seconds")) {
    constexpr std::int64_t longest = std::int64_t{1} << 62;
    run.pretraining.time = Duration{integer_from(object.at("pretraining_seconds"), "pretraining_seconds", 0, longest)};
  }
  run.first_begin = time_from(at(object, "first_begin"), "first_begin");
  if (object.contains("first_reading")) {
    const json& reading = object.at("first_reading");
    run.first_reading = {.bytes = count_at(reading, "bytes"), .sha256 = text_from(at(reading, "sha256"), "sha256")};
  }
  run.windows = windows_at(object, "windows");
  run.records = count_at(object, "records");
  run.reject_bytes = count_at(object, "reject_bytes");
  run.metrics_bytes = count_at(object, "metrics_bytes");
  const json& categories = at(object, "categories");
  if (!categories.is_object()) refuse("categories", "a list of hashes by attribute");
  for (const auto& [attribute, hash] : categories.items()) run.categories[attribute] = text_from(hash, "categories");
  if (object.contains("expiry")) run.expiry = expiry_from(object.at("expiry"));
  return run;
}

}  // namespace meteor
