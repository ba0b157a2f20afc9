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

struct StreamSettings {
  StreamFormat format = StreamFormat::csv;
  std::string time = "timestamp";
  WindowLength window = Duration{86400};
  LatePolicy late = LatePolicy::keep;
  double max_reject_fraction = 0.01;
  std::uint64_t max_line_bytes = std::uint64_t{16} << 20;  ///< a longer line is rejected, not stored
};

/// One kind of unit and where a record holds it: a column, a latitude and a longitude, or the record's own time.
struct AttributeSettings {
  std::string name;
  std::string column;
  std::string separator;  ///< empty: the column holds one unit
  std::string latitude;
  std::string longitude;
  double grid_metres = 300;
  TokenKind tokens = TokenKind::none;
  TimeKind time = TimeKind::none;
  bool target = false;
  std::uint32_t min_count = 1;  ///< how often a unit is seen before it is learnt
  ClusterSource clusters = ClusterSource::fitted;
  std::filesystem::path categories;  ///< CSV of unit and category, for clusters = "explicit"
};

struct LearningSettings {
  std::uint32_t dimension = 300;
  double rate = 0.05;
  std::uint32_t negatives = 3;
  std::uint32_t epochs = 50;
  double tau = 0.1;
  std::optional<double> shift;  ///< taken off scores before σ; none: what makes a score a log lift. 0: the paper's loss
  double fade = 0.9;            ///< what is left of AdaGrad's accumulator of a unit after each window that holds it
  Context context = Context::balanced;  ///< how much a unit weighs in its record, see context_weight()
  Axes axes = Axes::principal;  ///< principal: embeddings that are not compressed are turned to them now and then
  Optimiser optimiser = Optimiser::adagrad;
  double sgd_rate = 0.05;                     ///< η of plain SGD
  Arithmetic arithmetic = Arithmetic::exact;  ///< fast: reciprocal square roots are approximate
  double hold = 0;                            ///< weight of the penalty that holds embeddings where a window starts
  ReplayKind replay = ReplayKind::none;       ///< which records of the past are learnt again with each window
  double replay_decay = 0.1;                  ///< how fast they are forgotten, a window
  std::uint64_t seed = 1;
};

/// How large a model may be: a share of the same units' full embeddings, or a number of bytes.
struct Percent {
  double percent;
};
struct ByteCount {
  std::uint64_t bytes;
};
using Budget = std::variant<Percent, ByteCount>;

struct ModelSettings {
  std::optional<Duration> expire;  ///< after which units that were not seen are forgotten; none: never
};

struct CompressionSettings {
  CompressionScheme scheme = CompressionScheme::spectral;
  Budget budget = Percent{10};
  double refit = 2;  ///< at how many times the usual loss axes and bits are fitted anew; 0: never
  ClusterKind clusters = ClusterKind::kmeans;
  double cluster_fraction = 0.01;
  double basis_fraction = 0.10;
  double lambda = 0.001;
  BasisSharing allocation = BasisSharing::weighted;
  Precision precision = Precision::float32;  ///< of codes and basis vectors, wherever they are kept
  std::uint32_t bits = 8;                    ///< of each number that is quantised
  double pull = 0.1;          ///< weight of the penalty that pulls units to their centroid while they are learnt
  double vector_share = 0.1;  ///< γ: vectors that units share, hashed or as centroids, as a share of pretrained units
};

struct ParallelSettings {
  std::uint32_t shards = 0;  ///< into which a window is cut; 0: one for every thread that learns
  std::uint32_t threads = 1;
  std::uint32_t rounds = 1;     ///< how often in a window the shards' results are merged
  double merge_exponent = 0.4;  ///< α: the mean step of n shards is taken n^α times
  std::uint32_t staleness = 0;  ///< 1: a window is learnt while the one before it is compressed
  bool root_trains = true;
  WireFormat wire = WireFormat::float32;
  double patience = 300;  ///< seconds after which a rank that does not answer ends the run
};

struct EvaluationSettings {
  PretrainingSpan pretrain = 0.5;
  std::uint32_t query_windows = 20;
  std::uint32_t candidates = 10;
  CandidateSource negatives = CandidateSource::window;
  Scoring scoring = Scoring::pooled;  ///< which of the two the results are told by first, and what predict ranks by
};

struct CheckpointSettings {
  std::uint64_t every_windows = 10;  ///< 0: not by windows
  double every_minutes = 0;          ///< 0: not by time
  std::uint32_t keep = 3;            ///< the newest ones
  std::uint64_t keep_every = 0;      ///< and every so many windows one for good; 0: none
  bool required = false;             ///< a checkpoint that cannot be written ends the run
};

/// Everything a run is told, validated. Inside the program it is taken as right.
struct Settings {
  StreamSettings stream;
  std::vector<AttributeSettings> attributes;
  LearningSettings learning;
  ModelSettings model;
  CompressionSettings compression;
  ParallelSettings parallel;
  EvaluationSettings evaluation;
  CheckpointSettings checkpoint;
};

}  // namespace meteor
