#include "stream/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>

#include "stream/generator_scene.h"
#include "stream/generator_times.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr std::uint64_t most_records = std::uint64_t{1} << 40;
constexpr std::uint32_t most_units = 1u << 27;
constexpr double most_days = 20000;

std::uint32_t square_root(std::uint64_t value) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit > 0; bit /= 2) {
    if ((root + bit) * (root + bit) <= value) root += bit;
  }
  return static_cast<std::uint32_t>(root);
}

/// Counts in the proportions of real streams: users in step with records, items and topics ever more slowly.
GeneratorSettings complete(GeneratorSettings settings) {
  const bool shopping = settings.kind == GeneratorKind::shopping;
  const std::uint32_t root = square_root(settings.records);
  const auto derive = [](std::uint32_t& count, std::uint64_t value, std::uint64_t least) {
    if (count == 0) count = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(value, least, 10000000));
  };
  derive(settings.users, settings.records / (shopping ? 6 : 10), 20);
  derive(settings.items, std::uint64_t{root} * (shopping ? 30 : 60), 100);
  derive(settings.places, std::uint64_t{root} * 10, 50);
  derive(settings.topics, square_root(settings.items), 10);
  return settings;
}

GeneratorSettings validated(const GeneratorSettings& given) {
  if (given.records == 0 || given.records > most_records) {
    throw UsageError(fmt::format("records must be between 1 and {}, not {}", most_records, given.records));
  }
  if (!(given.days >= 0.01 && given.days <= most_days)) {
    throw UsageError(fmt::format("days must be between 0.01 and {}, not {}", most_days, given.days));
  }
  if (given.change && !(*given.change > 0 && *given.change < 1)) {
    throw UsageError(fmt::format("change must lie between 0 and 1, not {}", *given.change));
  }
  const GeneratorSettings settings = complete(given);
  if (std::max({settings.users, settings.items, settings.places}) > most_units) {
    throw UsageError(fmt::format("users, items and places must not exceed {}", most_units));
  }
  if (settings.topics > settings.items) {
    throw UsageError(fmt::format("topics ({}) must not exceed items ({})", settings.topics, settings.items));
  }
  return settings;
}

void append_number(std::string& out, std::uint64_t number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

/// `value` in 1e-5 degrees.
void append_degrees(std::string& out, std::int32_t value) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value);
  if (value < 0) out += '-';
  append_number(out, magnitude / 100000);
  out += '.';
  out.append(fmt::format_int(100000 + magnitude % 100000).c_str() + 1, 5);
}

/// A CSV field after RFC 4180: quoted where it must be.
void append_field(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_line(std::string& out, const GeneratedRecord& record, GeneratorKind kind) {
  append_number(out, static_cast<std::uint64_t>(record.time));
  out += ",u";
  append_number(out, record.user);
  char before = ',';
  if (kind == GeneratorKind::geo) {
    out += before;
    append_degrees(out, record.latitude);
    out += before;
    append_degrees(out, record.longitude);
    out += before;
    append_field(out, record.text);
  }
  for (const std::uint32_t item : record.items) {
    out += before;
    out += 'i';
    append_number(out, item);
    before = ' ';
  }
  out += '\n';
}

}  // namespace

std::optional<Moment> moment_of_change(const GeneratorSettings& settings) {
  if (!settings.change) return std::nullopt;
  return static_cast<Moment>(*settings.change * 0x1p32);
}

GeneratedUsers::GeneratedUsers(std::uint64_t seed, std::uint32_t users)
    : seed_(seed), activity_([users] {
        std::vector<std::uint32_t> weights(users);
        for (std::uint32_t user = 0; user < users; ++user) weights[user] = long_tail_weight(user, 5 + users / 20);
        return AliasTable(weights);
      }()) {}

std::uint32_t GeneratedUsers::draw(Random& random, Moment now) const {
  for (int tries = 0; tries < 32; ++tries) {
    const std::uint32_t user = activity_.draw(random);
    if (arrival(seed_, DrawPurpose::user, user) <= now) return user;
  }
  return 0;
}

StreamGenerator::StreamGenerator(const GeneratorSettings& settings) : settings_(validated(settings)) {
  const auto seconds = static_cast<std::int64_t>(std::floor(settings_.days * 86400));
  times_ = std::make_unique<GeneratedTimes>(settings_.seed, settings_.records, seconds);
  scene_ = settings_.kind == GeneratorKind::shopping ? make_shopping_scene(settings_) : make_city_scene(settings_);
}

StreamGenerator::~StreamGenerator() = default;

bool StreamGenerator::next(GeneratedRecord& record) {
  if (produced_ == settings_.records) return false;
  record.time = times_->time(produced_);
  Random random{settings_.seed, static_cast<std::uint64_t>(DrawPurpose::record), produced_};
  scene_->fill(record, random, times_->moment(record.time));
  ++produced_;
  return true;
}

std::uint32_t StreamGenerator::topic(std::uint32_t item) const { return scene_->items().topic(item, 0); }

std::string StreamGenerator::item_name(std::uint32_t item) const { return scene_->item_name(item); }

void write_csv(StreamGenerator& generator, std::ostream& out) {
  constexpr std::size_t chunk = std::size_t{1} << 20;
  const GeneratorKind kind = generator.settings().kind;
  std::string lines = kind == GeneratorKind::geo ? "timestamp,user,lat,lon,text\n" : "timestamp,user,items\n";
  GeneratedRecord record;
  while (out && generator.next(record)) {
    append_line(lines, record, kind);
    if (lines.size() < chunk) continue;
    out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
    lines.clear();
  }
  out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
}

void write_categories(const StreamGenerator& generator, std::ostream& out) {
  out << "item,category\n";
  for (std::uint32_t item = 0; item < generator.settings().items; ++item) {
    if (item % 50 != 49) out << generator.item_name(item) << ",t" << generator.topic(item) << '\n';
  }
}

}  // namespace meteor
