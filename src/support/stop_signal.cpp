#include "support/stop_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

namespace meteor {
namespace {

// Lock-free, so that a signal's handler may set them.
std::atomic<int> stopped_by = 0;  // a signal
std::atomic<bool> checkpoint_asked = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void ask_to_stop(int signal) {
  stopped_by = signal;
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}
extern "C" void ask_for_checkpoint(int /*signal*/) { checkpoint_asked = true; }

}  // namespace

void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR2}) std::signal(signal, ask_to_stop);
  std::signal(SIGUSR1, ask_for_checkpoint);
}

void release_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR2, SIGUSR1}) std::signal(signal, SIG_DFL);
  if (const int signal = stopped_by.exchange(0)) std::raise(signal);
  checkpoint_asked = false;
}

void outlive_readers() { std::signal(SIGPIPE, SIG_IGN); }
void outlive_file_limits() { std::signal(SIGXFSZ, SIG_IGN); }

void fill_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  }
}

bool stop_asked() { return stopped_by != 0; }
bool take_checkpoint_request() { return checkpoint_asked.exchange(false); }

void pass_on_signals(bool stop, bool checkpoint) {
  if (stop) stopped_by = SIGTERM;
  if (checkpoint) checkpoint_asked = true;
}

}  // namespace meteor
