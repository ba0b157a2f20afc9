#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluation/retrieval.h"
#include "mpi/messages.h"

namespace meteor {

// The small structures inside messages, and how Boost.Serialization walks through them.

struct ReplicaHead {
  std::string scheme;
  std::uint32_t dimension = 0;
};
struct WindowHead {
  std::uint64_t window = 0;
  std::uint32_t first_epoch = 0;
  std::uint32_t end_epoch = 0;
  bool asks = false;
  bool starts_given = false;
  bool tells_of_newcomers = false;
  std::uint64_t dimension = 0;  ///< of rows that come with it
};
struct LearntHead {
  std::uint32_t shard = 0;
  double loss = 0;
  std::uint64_t losses = 0;
  std::uint64_t unit_steps = 0;
  std::uint64_t dimension = 0;
  RetrievalScore score;
};
struct BlocksHead {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> arrays;  ///< of each block
};
struct MapHead {
  std::uint64_t set = 0;
  std::string job;
};
struct FailureHead {
  std::string sentence;
  int status = 1;
  bool not_finite = false;
  std::uint64_t window = 0;
  std::uint64_t record = 0;
  std::uint32_t unit = 0;
};

template <class Archive>
void serialize(Archive& archive, Welcome& welcome, unsigned) {
  archive& welcome.version& welcome.build& welcome.settings;
}
template <class Archive>
void serialize(Archive& archive, Ready& ready, unsigned) {
  archive& ready.version& ready.build& ready.host& ready.instruction_set;
}
template <class Archive>
void serialize(Archive& archive, Agreed& agreed, unsigned) {
  archive& agreed.instruction_set;
}
template <class Archive>
void serialize(Archive& archive, WorkerReport& report, unsigned) {
  archive& report.reconstruct& report.optimise& report.evaluate;
  archive& report.peak_rss_bytes& report.bytes_sent& report.bytes_received;
  archive& report.stop_asked& report.checkpoint_asked;
}
template <class Archive>
void serialize(Archive& archive, ReplicaHead& head, unsigned) {
  archive& head.scheme& head.dimension;
}
template <class Archive>
void serialize(Archive& archive, WindowHead& head, unsigned) {
  archive& head.window& head.first_epoch& head.end_epoch& head.asks& head.starts_given;
  archive& head.tells_of_newcomers& head.dimension;
}
template <class Archive>
void serialize(Archive& archive, RankSums& sums, unsigned) {
  archive& sums.reciprocal_ranks& sums.hits_at_1& sums.hits_at_5& sums.rare_reciprocal_ranks;
}
template <class Archive>
void serialize(Archive& archive, RetrievalScore& score, unsigned) {
  archive& score.queries& score.rare_queries& score.left_out& score.pooled& score.mean;
}
template <class Archive>
void serialize(Archive& archive, LearntHead& head, unsigned) {
  archive& head.shard& head.loss& head.losses& head.unit_steps& head.dimension& head.score;
}
template <class Archive>
void serialize(Archive& archive, BlocksHead& head, unsigned) {
  archive& head.numbers& head.arrays;
}
template <class Archive>
void serialize(Archive& archive, MapHead& head, unsigned) {
  archive& head.set& head.job;
}
template <class Archive>
void serialize(Archive& archive, FailureHead& head, unsigned) {
  archive& head.sentence& head.status& head.not_finite& head.window& head.record& head.unit;
}

}  // namespace meteor
