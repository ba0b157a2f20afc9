#pragma once

namespace meteor {

/// While it lives, the first SIGINT or SIGTERM asks the program to come to an end by itself; the second one ends it at
/// once. One at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static bool asked();
};

}  // namespace meteor
