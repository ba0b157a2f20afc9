#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meteor {

/// A public stream that we measure, known by the name of its file.
struct KnownStream {
  std::string_view file;     ///< without .csv
  std::string_view title;    ///< for tables
  std::string_view content;  ///< what it is and where it comes from
  std::string_view paper;    ///< the paper's dataset of the same origin, or nothing
  std::string_view difference;
};

/// Nothing when the stream is of the user's own.
const KnownStream* known_stream(std::string_view stream);

/// What tables call a stream.
std::string stream_title(std::string_view stream);

/// Each once: known ones in their own order, then the others by name.
void sort_streams(std::vector<std::string>& streams);

}  // namespace meteor
