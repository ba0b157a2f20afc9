#pragma once

#include <chrono>

namespace meteor {

/// Seconds spent in each phase of a run.
struct PhaseSeconds {
  double read = 0;
  double scatter = 0;
  double reconstruct = 0;
  double optimise = 0;
  double gather = 0;
  double merge = 0;
  double compress = 0;
  double broadcast = 0;
  double checkpoint = 0;
  double evaluate = 0;

  PhaseSeconds& operator+=(const PhaseSeconds& other) {
    read += other.read;
    scatter += other.scatter;
    reconstruct += other.reconstruct;
    optimise += other.optimise;
    gather += other.gather;
    merge += other.merge;
    compress += other.compress;
    broadcast += other.broadcast;
    checkpoint += other.checkpoint;
    evaluate += other.evaluate;
    return *this;
  }
  PhaseSeconds operator/(double by) const {
    PhaseSeconds part = *this;
    for (double* phase : {&part.read, &part.scatter, &part.reconstruct, &part.optimise, &part.gather, &part.merge,
                          &part.compress, &part.broadcast, &part.checkpoint, &part.evaluate}) {
      *phase /= by;
    }
    return part;
  }
  /// Of the work on shards.
  double busy() const { return reconstruct + optimise + evaluate; }
};

/// Adds the time of its own life to a phase.
class PhaseTimer {
 public:
  explicit PhaseTimer(double& seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  ~PhaseTimer() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace meteor
