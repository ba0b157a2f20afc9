#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/scheme_list.h"

namespace meteor {

/// A span of stream time: "1 day", "6 hours". Always positive.
struct Duration {
  std::int64_t seconds;
};
/// A number of records: "1000 records".
struct RecordCount {
  std::uint64_t records;
};
/// How the stream is cut into windows.
using WindowLength = std::variant<Duration, RecordCount>;

/// How much of the stream pretrains: a share of its period (0.5), a time ("30 days") or a number of windows ("20
/// windows").
struct WindowCount {
  std::uint64_t windows;
};
using PretrainingSpan = std::variant<double, Duration, WindowCount>;

enum class StreamFormat { csv, jsonl };
enum class LatePolicy { keep, drop };
enum class TokenKind { none, words };
enum class TimeKind { none, hour_of_day, hour_of_week };
enum class ClusterSource { fitted, categories };
#define METEOR_NAME(name, forgets) name,
enum class CompressionScheme { METEOR_SCHEMES(METEOR_NAME) };
#undef METEOR_NAME
enum class Optimiser { adagrad, sgd };
enum class Arithmetic { exact, fast };
enum class ReplayKind { none, decay, info };
enum class ClusterKind { kmeans, subspace };
enum class Precision { float32, int8 };
enum class BasisSharing { weighted, uniform };
enum class CandidateSource { window, vocabulary };
enum class Scoring { pooled, mean };
enum class Axes { principal, fixed };
enum class Context { balanced, mean };
enum class WireFormat { float32, bfloat16 };

/// How large a model may be: a share of the same units' full embeddings, or a number of bytes.
struct Percent {
  double percent;
};
struct ByteCount {
  std::uint64_t bytes;
};
using Budget = std::variant<Percent, ByteCount>;

/// Metres; written with a unit: "300 m", "1.5 km".
struct GridLength {
  double metres;
};

#define SETTING(type, name, value, effect, check, meaning) type name = value;

/// One kind of unit and where a record holds it: a column, a latitude and a longitude, or the record's own time.
struct AttributeSettings {
#include "config/attribute_settings.def"
};

#define SECTION(type, name) struct type {
#define END_SECTION \
  }                 \
  ;
#include "config/settings.def"
#undef SECTION
#undef END_SECTION
#undef SETTING

/// Everything a run is told, validated. Inside the program it is taken as right.
struct Settings {
  std::vector<AttributeSettings> attributes;
#define SECTION(type, name) type name;
#define END_SECTION
#define SETTING(type, name, value, effect, check, meaning)
#include "config/settings.def"
#undef SECTION
#undef END_SECTION
#undef SETTING
};

}  // namespace meteor
