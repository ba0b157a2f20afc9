#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace meteor {

enum class GeneratorKind { shopping, geo };

/// What a synthetic stream is made from. The stream is a pure function of these values, computed in integers alone, so
/// equal settings give equal bytes on every machine. A count of 0 is replaced by one that suits the number of records.
struct GeneratorSettings {
  GeneratorKind kind = GeneratorKind::shopping;
  std::uint64_t records = 0;
  std::uint64_t seed = 1;
  double days = 60;
  std::uint32_t users = 0;
  std::uint32_t items = 0;   ///< what shopping sells, or the words of geo
  std::uint32_t places = 0;  ///< geo only
  std::uint32_t topics = 0;
  /// The share of the period after which half of the items belong to topics drawn anew.
  std::optional<double> change = std::nullopt;
};

/// One record before it is written. Shopping fills `items`, geo the other three.
struct GeneratedRecord {
  std::int64_t time = 0;  ///< Unix seconds
  std::uint32_t user = 0;
  std::vector<std::uint32_t> items;
  std::int32_t latitude = 0;  ///< 1e-5 degrees
  std::int32_t longitude = 0;
  std::string text;
};

class GeneratedScene;
class GeneratedTimes;

/// A stream with planted topics, a long tail, interests that drift, and users and items that arrive over the whole
/// period: something to learn, and something that goes on changing.
class StreamGenerator {
 public:
  /// Throws UsageError that names the setting out of range.
  explicit StreamGenerator(const GeneratorSettings& settings);
  ~StreamGenerator();

  /// The settings with every count filled in.
  const GeneratorSettings& settings() const { return settings_; }

  /// Fills the next record, in order of time; false at the end of the stream.
  bool next(GeneratedRecord& record);

  /// The topic that the generator planted for an item, or a word of geo, at the beginning.
  std::uint32_t topic(std::uint32_t item) const;
  std::string item_name(std::uint32_t item) const;

 private:
  GeneratorSettings settings_;
  std::unique_ptr<const GeneratedTimes> times_;
  std::unique_ptr<const GeneratedScene> scene_;
  std::uint64_t produced_ = 0;
};

/// Writes the rest of the stream as CSV with a header. Stops early when `out` fails; the caller looks at its state.
void write_csv(StreamGenerator& generator, std::ostream& out);

/// Writes `item,category` with the planted topics; about one item in fifty is left out, as in real catalogues.
void write_categories(const StreamGenerator& generator, std::ostream& out);

}  // namespace meteor
