#include "mpi/mpi_transport.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "mpi/mpi_post.h"
#include "support/log.h"

namespace meteor {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// How long a thread looks for work without a break before it begins to sleep in between.
constexpr milliseconds eagerness{1};

/// Others wait so much longer for the end of the job than rank 0, which speaks for all.
constexpr std::chrono::seconds head_start_of_rank_0{10};
/// What MPI itself may take to end.
constexpr std::chrono::seconds time_of_mpi{10};

/// How long to sleep when nothing has happened for a while: a small part of that while, so that sleeping never delays
/// much compared to what was waited anyway, and waiting for long costs nearly nothing.
microseconds nap(Clock::duration idle, bool in_flight) {
  const auto part = std::chrono::duration_cast<microseconds>(idle / 20);
  return std::clamp(part, microseconds(50), microseconds(in_flight ? 100 : 2000));
}

/// What waits to be sent.
struct Outbox {
  std::vector<std::pair<std::uint32_t, Message>> messages;
  std::vector<std::pair<std::uint32_t, Heartbeat>> heartbeats;

  bool empty() const { return messages.empty() && heartbeats.empty(); }
};

}  // namespace

/// Where other threads meet the communication thread. It belongs to both sides, so that each may end first.
class MpiTransport::Counter {
 public:
  explicit Counter(const Limits& limits) : limits_(limits) {}

  /// The communication thread, from begin to end.
  void run() {
    try {
      MpiPost post;
      open(post);
      while (serve(post)) {
      }
      post.finish(time_to_end());
      const std::lock_guard lock(mutex_);
      ended_ = true;
      news_.notify_all();
    } catch (const std::exception& problem) {
      const bool no_memory = dynamic_cast<const std::bad_alloc*>(&problem) != nullptr;
      close(no_memory ? "there is not enough memory for a message" : problem.what());
      std::unique_lock lock(mutex_);
      work_.wait(lock, [this] { return abort_status_ || abandoned_; });
      if (abort_status_) abort_mpi(*abort_status_);
    }
  }

  void wait_until_open() {
    std::unique_lock lock(mutex_);
    const bool here = news_.wait_until(lock, Clock::now() + limits_.begin, [this] { return size_ > 0 || failure_; });
    if (!here)
      throw TransportError(fmt::format("MPI has not begun after {} s: a rank is missing", limits_.begin.count()));
    check();
  }

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }

  void send(std::uint32_t to, Message message) {
    const std::lock_guard lock(mutex_);
    check();
    outbox_.messages.emplace_back(to, std::move(message));
    work_.notify_one();
  }

  void send_heartbeat(std::uint32_t to, const Heartbeat& heartbeat) {
    const std::lock_guard lock(mutex_);
    check();
    outbox_.heartbeats.emplace_back(to, heartbeat);
    work_.notify_one();
  }

  bool flush(milliseconds wait) {
    std::unique_lock lock(mutex_);
    const auto done = [this] { return failure_ || (outbox_.messages.empty() && leaving_ == 0); };
    const bool flushed = news_.wait_until(lock, Clock::now() + wait, done);
    check();
    return flushed;
  }

  std::optional<Arrival> receive(milliseconds wait) {
    std::unique_lock lock(mutex_);
    const auto arrived = [this] { return failure_ || !inbox_.empty() || !heartbeats_.empty(); };
    if (!arrived() && wait > milliseconds(0)) {
      ++waiting_;
      work_.notify_one();
      news_.wait_until(lock, Clock::now() + wait, arrived);
      --waiting_;
    }
    if (inbox_.empty()) {
      check();
      return std::nullopt;
    }
    Arrival arrival = std::move(inbox_.front());
    inbox_.pop_front();
    return arrival;
  }

  std::vector<HeardHeartbeat> heartbeats() {
    const std::lock_guard lock(mutex_);
    return std::exchange(heartbeats_, {});
  }

  void order_abort(int status) {
    const std::lock_guard lock(mutex_);
    abort_status_ = status;
    work_.notify_one();
  }

  /// Orders the end and waits for it. Returns what stands in its way, if anything does.
  std::optional<std::string> end() {
    std::unique_lock lock(mutex_);
    closing_ = true;
    work_.notify_one();
    const auto limit = time_to_end() + time_of_mpi;
    news_.wait_until(lock, Clock::now() + limit, [this] { return ended_ || failure_; });
    if (ended_) return std::nullopt;
    return failure_.value_or(fmt::format("the run is over, but MPI has not ended after {} s", limit.count()));
  }

  /// Nobody will order anything any more.
  void abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    work_.notify_one();
  }

 private:
  void check() const {
    if (failure_) throw TransportError(*failure_);
  }

  std::chrono::seconds time_to_end() const { return rank_ == 0 ? limits_.end : limits_.end + head_start_of_rank_0; }

  void open(const MpiPost& post) {
    const std::lock_guard lock(mutex_);
    rank_ = post.rank();
    size_ = post.size();
    news_.notify_all();
  }

  void close(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    failure_ = reason;
    news_.notify_all();
  }

  /// One round of work, or of rest. Whether there is more to come.
  bool serve(MpiPost& post) {
    Outbox outbox;
    {
      const std::lock_guard lock(mutex_);
      if (abort_status_) abort_mpi(*abort_status_);
      if (closing_ && outbox_.empty()) return false;  // what is leaving is waited for at the end of MPI
      outbox = std::exchange(outbox_, {});
      leaving_ += outbox.messages.size();
    }
    for (const auto& [to, heartbeat] : outbox.heartbeats) post.send_heartbeat(to, heartbeat);
    for (auto& [to, message] : outbox.messages) post.send(to, std::move(message));
    MpiPost::Arrived arrived;
    const bool moved = post.progress(arrived) || !outbox.empty();

    std::unique_lock lock(mutex_);
    const bool left = std::exchange(leaving_, post.leaving()) > 0 && leaving_ == 0;
    std::ranges::move(arrived.messages, std::back_inserter(inbox_));
    heartbeats_.insert(heartbeats_.end(), arrived.heartbeats.begin(), arrived.heartbeats.end());
    if (!arrived.messages.empty() || !arrived.heartbeats.empty() || left) news_.notify_all();
    const auto now = Clock::now();
    const bool anyone_waits = waiting_ > 0;
    if (moved || anyone_waits != somebody_waited_) last_event_ = now;
    somebody_waited_ = anyone_waits;
    rest(lock, now - last_event_, post.in_flight());
    return true;
  }

  void rest(std::unique_lock<std::mutex>& lock, Clock::duration idle, bool in_flight) {
    const bool busy = in_flight || somebody_waited_;
    if (busy && idle < eagerness) {
      lock.unlock();
      sched_yield();
      return;
    }
    const auto called = [this] {
      return !outbox_.empty() || closing_ || abort_status_ || (waiting_ > 0) != somebody_waited_;
    };
    work_.wait_until(lock, Clock::now() + (busy ? nap(idle, in_flight) : eagerness), called);
  }

  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable work_;  // for the communication thread
  std::condition_variable news_;  // for the others
  std::uint32_t rank_ = 0;
  std::uint32_t size_ = 0;  // 0 until MPI is initialised
  Outbox outbox_;
  std::deque<Arrival> inbox_;
  std::vector<HeardHeartbeat> heartbeats_;
  std::size_t leaving_ = 0;
  int waiting_ = 0;
  bool closing_ = false;
  bool ended_ = false;
  bool abandoned_ = false;
  std::optional<int> abort_status_;
  std::optional<std::string> failure_;

  // Of the communication thread alone.
  Clock::time_point last_event_;
  bool somebody_waited_ = false;
};

MpiTransport::MpiTransport(const Limits& limits)
    : counter_(std::make_shared<Counter>(limits)), thread_([counter = counter_] { counter->run(); }) {
  try {
    counter_->wait_until_open();
  } catch (const TransportError&) {
    counter_->abandon();
    thread_.detach();  // MPI may hold it
    throw;
  }
}

MpiTransport::~MpiTransport() {
  if (thread_.joinable()) thread_.detach();
}

void MpiTransport::finish() {
  if (const auto problem = counter_->end()) {
    mute_log(false);
    log_error("rank {}: {}", rank(), *problem);
    std::fflush(stdout);  // the run itself was fine
    abort(static_cast<int>(ExitStatus::failed));
  }
  thread_.join();
}

std::uint32_t MpiTransport::rank() const { return counter_->rank(); }
std::uint32_t MpiTransport::size() const { return counter_->size(); }

void MpiTransport::send(std::uint32_t to, Message message) {
  assert(to < size() && to != rank());
  counter_->send(to, std::move(message));
}

void MpiTransport::send_heartbeat(std::uint32_t to, const Heartbeat& heartbeat) {
  counter_->send_heartbeat(to, heartbeat);
}

bool MpiTransport::flush(milliseconds wait) { return counter_->flush(wait); }

std::optional<Arrival> MpiTransport::receive(milliseconds wait) { return counter_->receive(wait); }

std::vector<HeardHeartbeat> MpiTransport::heartbeats() { return counter_->heartbeats(); }

void MpiTransport::abort(int status) {
  counter_->order_abort(status);
  std::this_thread::sleep_for(std::chrono::seconds(2));  // which MPI_Abort does not let pass, if it works
  _exit(status);
}

}  // namespace meteor
