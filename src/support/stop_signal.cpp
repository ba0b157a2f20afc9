#include "support/stop_signal.h"

#include <csignal>

namespace meteor {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

extern "C" void ask_to_stop(int signal) {
  stop_asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

StopSignal::StopSignal() {
  stop_asked = 0;
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
}

StopSignal::~StopSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool StopSignal::asked() { return stop_asked != 0; }

}  // namespace meteor
