#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/settings.h"
#include "stream/record_reader.h"

namespace meteor {

/// The windows of an input, found by reading it once without learning.
struct StreamOutline {
  struct Cut {
    std::int64_t begin;
    std::uint64_t records;  ///< that have at least two units
  };
  std::vector<Cut> windows;  ///< by window number
  TextExtent text;           ///< in which they were found
  bool stopped = false;      ///< reading was told to stop, so that the rest is missing
};

/// Reads the whole input, or until `stop`, which is asked now and then, says true. Throws InputError as the learning
/// run would, and then writes the file of rejects in its place.
StreamOutline outline_stream(const std::string& input, const Settings& settings,
                             const std::filesystem::path& rejects = {}, const std::function<bool()>& stop = {});

/// Which windows pretrain: the first so many, or those that begin within a time from the first. The first window is the
/// one of the first record that is not rejected, whether it teaches anything or not: it can be known before learning.
struct PretrainingEnd {
  std::uint64_t windows = 0;
  std::optional<Duration> time;

  bool includes(std::uint64_t number, std::int64_t begin, std::int64_t first_begin) const {
    return time ? begin - first_begin < time->seconds : number < windows;
  }
};

/// The end of pretraining as set; null is allowed unless that is a share of the stream.
PretrainingEnd pretraining_end(const Settings& settings, const StreamOutline* outline);

/// Numbers of `count` windows after pretraining (or all, if there are fewer), drawn evenly.
std::set<std::uint64_t> choose_query_windows(const StreamOutline& outline, const PretrainingEnd& end, std::size_t count,
                                             std::uint64_t seed);

/// Where pretraining of a stream ends, and which windows after it are tested.
struct QueryPlan {
  std::uint64_t windows = 0;  ///< of the stream
  PretrainingEnd pretraining;
  TextExtent text;                  ///< of the stream
  std::set<std::uint64_t> queries;  ///< numbers of windows
};

/// Reads the whole input as outline_stream does. Throws InputError, also if there is no window to test.
QueryPlan plan_queries(const std::string& input, const Settings& settings, const std::filesystem::path& rejects = {});

}  // namespace meteor
