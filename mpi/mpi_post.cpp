#include "mpi/mpi_post.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <utility>

#include "mpi/mpi_calls.h"
#include "mpi/wire.h"
#include "support/block_pool.h"
#include "support/pulse.h"

namespace meteor {
namespace {

// Heads keep their order, and so do pieces, so that the pieces of a head are the next ones from the same rank. An empty
// head says that no more will come. Heartbeats keep apart: they wait for nothing.
constexpr int head_tag = 1;
constexpr int piece_tag = 2;
constexpr int heartbeat_tag = 3;
constexpr std::uint64_t piece_bytes = 8 << 20;  // far below 2^31, and small enough to see that a transfer gets on
constexpr int pieces_in_flight = 8;             // in one direction between two ranks

/// A message on its way out or in.
struct Transfer {
  Message message;
  std::string head;
  bool is_heartbeat = false;  // which is nothing but a head
  bool opened = false;        // of one that arrives: the head is here and decoded
  bool head_here = false;
  std::size_t pending = 0;  // parts that have yet to leave or arrive
};

struct WireHeartbeat {
  std::uint64_t beats;
  std::uint32_t waits;
  std::uint32_t stops;
};

struct Piece {
  std::shared_ptr<Transfer> transfer;
  std::byte* values;
  int bytes;
};

/// Pieces from or to one rank that wait for their turn.
struct Lane {
  int peer;
  bool leaves;
  std::deque<Piece> pieces = {};
  int in_flight = 0;
};

/// What a request of MPI is about: a piece, or else a head.
struct Flight {
  std::shared_ptr<Transfer> transfer;
  Lane* lane;
  int from;  // if it arrives, else -1
};

}  // namespace

struct MpiPost::State {
  void add(MPI_Request request, Flight flight) {
    requests.push_back(request);
    flights.push_back(std::move(flight));
  }

  void enqueue_values(const std::shared_ptr<Transfer>& transfer, Lane& lane) {
    for (const Array& array : transfer->message.arrays) {
      auto* values = static_cast<std::byte*>(const_cast<void*>(array.data));
      for (std::uint64_t at = 0, bytes = 0; at < array.bytes(); at += bytes) {
        bytes = std::min(piece_bytes, array.bytes() - at);
        lane.pieces.push_back({transfer, values + at, static_cast<int>(bytes)});
        ++transfer->pending;
      }
    }
    start_pieces(lane);
  }

  void start_pieces(Lane& lane) {
    for (; lane.in_flight < pieces_in_flight && !lane.pieces.empty(); ++lane.in_flight) {
      Piece piece = std::move(lane.pieces.front());
      lane.pieces.pop_front();
      MPI_Request request = MPI_REQUEST_NULL;
      if (lane.leaves) {
        METEOR_MPI(MPI_Isend, piece.values, piece.bytes, MPI_BYTE, lane.peer, piece_tag, world, &request);
      } else {
        METEOR_MPI(MPI_Irecv, piece.values, piece.bytes, MPI_BYTE, lane.peer, piece_tag, world, &request);
      }
      add(request, {std::move(piece.transfer), &lane, lane.leaves ? -1 : lane.peer});
    }
  }

  void send_bytes(int to, int tag, const std::shared_ptr<Transfer>& transfer) {
    MPI_Request request = MPI_REQUEST_NULL;
    METEOR_MPI(MPI_Isend, transfer->head.data(), static_cast<int>(transfer->head.size()), MPI_BYTE, to, tag, world,
               &request);
    ++transfer->pending;
    add(request, {transfer, nullptr, -1});
  }

  void send_head(int to, const std::shared_ptr<Transfer>& transfer) {
    send_bytes(to, head_tag, transfer);
    ++leaving;
  }

  /// The next message of that tag, if one waits to be received.
  bool find(int tag, MPI_Message& message, MPI_Status& status) const {
    int found = 0;
    METEOR_MPI(MPI_Improbe, MPI_ANY_SOURCE, tag, world, &found, &message, &status);
    return found != 0;
  }

  /// Accepts every heartbeat and every head that wait to be received.
  bool accept(std::vector<HeardHeartbeat>& heartbeats) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    bool any = false;
    for (; find(heartbeat_tag, message, status); any = true) {
      WireHeartbeat heartbeat{};
      METEOR_MPI(MPI_Mrecv, &heartbeat, sizeof heartbeat, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      heartbeats.push_back({static_cast<std::uint32_t>(status.MPI_SOURCE),
                            {heartbeat.beats, heartbeat.waits != 0, heartbeat.stops != 0}});
    }
    for (; find(head_tag, message, status); any = true) {
      int bytes = 0;
      METEOR_MPI(MPI_Get_count, &status, MPI_BYTE, &bytes);
      auto transfer = std::make_shared<Transfer>();
      transfer->head.resize(bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      METEOR_MPI(MPI_Imrecv, transfer->head.data(), bytes, MPI_BYTE, &message, &request);
      arriving[status.MPI_SOURCE].push_back(transfer);
      add(request, {std::move(transfer), nullptr, status.MPI_SOURCE});
    }
    return any;
  }

  bool finish_flights(std::vector<Arrival>& arrived) {
    int count = 0;
    finished.resize(requests.size());
    METEOR_MPI(MPI_Testsome, static_cast<int>(requests.size()), requests.data(), &count, finished.data(),
               MPI_STATUSES_IGNORE);
    if (count <= 0) return false;
    std::vector<Flight> ended;
    ended.reserve(count);
    for (int i = 0; i < count; ++i) ended.push_back(std::move(flights[finished[i]]));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      requests[kept] = requests[i];
      if (kept != i) flights[kept] = std::move(flights[i]);
      ++kept;
    }
    requests.resize(kept);
    flights.resize(kept);
    for (const Flight& flight : ended) finish_flight(flight, arrived);
    return true;
  }

  void finish_flight(const Flight& flight, std::vector<Arrival>& arrived) {
    Transfer& transfer = *flight.transfer;
    if (flight.lane != nullptr) {
      Pulse::beat();  // a process that moves bulk gets on
      --flight.lane->in_flight;
      start_pieces(*flight.lane);
    }
    if (flight.from < 0) {
      if (--transfer.pending == 0 && !transfer.is_heartbeat) --leaving;
      return;
    }
    if (flight.lane != nullptr) {
      --transfer.pending;
    } else {
      transfer.head_here = true;
    }
    take_in_order(flight.from, arrived);
  }

  /// Opens what comes from a rank as its heads arrive, in the order in which it was sent, and hands out what is
  /// complete.
  void take_in_order(int from, std::vector<Arrival>& arrived) {
    auto& transfers = arriving[from];
    for (const auto& transfer : transfers) {
      if (!transfer->head_here) break;
      if (!transfer->opened) open(transfer, from);
    }
    for (; !transfers.empty() && transfers.front()->opened && transfers.front()->pending == 0; transfers.pop_front()) {
      if (transfers.front()->head.empty()) continue;  // a farewell
      arrived.push_back({static_cast<std::uint32_t>(from), std::move(transfers.front()->message)});
    }
  }

  void open(const std::shared_ptr<Transfer>& transfer, int from) {
    transfer->opened = true;
    if (transfer->head.empty()) {
      std::erase(expected_farewells, from);
      return;
    }
    Head head = decode_head(transfer->head);
    transfer->message = std::move(head.message);
    for (Array& array : transfer->message.arrays) {
      auto block = pool.take(array.bytes());
      array.data = block.get();
      if (head.has_values) {
        std::memcpy(block.get(), head.values.data(), array.bytes());
        head.values.remove_prefix(array.bytes());
      }
      array.owner = std::move(block);
    }
    if (!head.has_values) enqueue_values(transfer, incoming[from]);
  }

  MPI_Comm world = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  BlockPool pool;
  std::vector<MPI_Request> requests;
  std::vector<Flight> flights;  // one a request
  std::vector<int> finished;    // reused
  std::vector<Lane> outgoing;
  std::vector<Lane> incoming;
  std::vector<std::deque<std::shared_ptr<Transfer>>> arriving;
  std::size_t leaving = 0;  // messages
  std::vector<int> expected_farewells;
};

MpiPost::MpiPost() : state_(std::make_unique<State>()) {
  int support = MPI_THREAD_SINGLE;
  METEOR_MPI(MPI_Init_thread, nullptr, nullptr, MPI_THREAD_FUNNELED, &support);
  if (support < MPI_THREAD_FUNNELED) throw TransportError("this MPI library does not allow threads in a program");
  METEOR_MPI(MPI_Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  METEOR_MPI(MPI_Comm_dup, MPI_COMM_WORLD, &state_->world);
  METEOR_MPI(MPI_Comm_rank, state_->world, &state_->rank);
  METEOR_MPI(MPI_Comm_size, state_->world, &state_->size);
  for (int peer = 0; peer < state_->size; ++peer) {
    state_->outgoing.push_back({peer, true});
    state_->incoming.push_back({peer, false});
    if (peer != state_->rank) state_->expected_farewells.push_back(peer);
  }
  state_->arriving.resize(state_->size);
}

MpiPost::~MpiPost() = default;

std::uint32_t MpiPost::rank() const { return state_->rank; }
std::uint32_t MpiPost::size() const { return state_->size; }
std::size_t MpiPost::leaving() const { return state_->leaving; }

bool MpiPost::in_flight() const { return !state_->requests.empty(); }

void MpiPost::send(std::uint32_t to, Message message) {
  auto transfer = std::make_shared<Transfer>();
  transfer->message = std::move(message);
  transfer->head = encode_head(transfer->message);
  state_->send_head(static_cast<int>(to), transfer);
  if (total_bytes(transfer->message.arrays) > most_bytes_in_head)
    state_->enqueue_values(transfer, state_->outgoing[to]);
}

void MpiPost::send_heartbeat(std::uint32_t to, const Heartbeat& heartbeat) {
  const WireHeartbeat wire{heartbeat.beats, heartbeat.waits ? 1U : 0U, heartbeat.stops ? 1U : 0U};
  auto transfer = std::make_shared<Transfer>();
  transfer->is_heartbeat = true;
  transfer->head.assign(reinterpret_cast<const char*>(&wire), sizeof wire);
  state_->send_bytes(static_cast<int>(to), heartbeat_tag, transfer);
}

bool MpiPost::progress(Arrived& arrived) {
  const bool accepted = state_->accept(arrived.heartbeats);
  return state_->finish_flights(arrived.messages) || accepted;
}

void MpiPost::finish(std::chrono::seconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  for (int peer = 0; peer < state_->size; ++peer)
    if (peer != state_->rank) state_->send_head(peer, std::make_shared<Transfer>());
  const std::vector<int>& missing = state_->expected_farewells;
  Arrived unread;
  while (in_flight() || !missing.empty()) {
    if (!progress(unread)) std::this_thread::sleep_for(std::chrono::microseconds(50));
    unread = {};
    if (std::chrono::steady_clock::now() < deadline) continue;
    throw TransportError(fmt::format("the run is over, but {} after {} s",
                                     missing.empty() ? "messages are on their way still"
                                                     : fmt::format("rank {} has not ended", fmt::join(missing, ", ")),
                                     time.count()));
  }
  progress(unread);  // heartbeats that came before the farewells
  METEOR_MPI(MPI_Comm_free, &state_->world);
  METEOR_MPI(MPI_Finalize);
}

void abort_mpi(int status) {
  int initialised = 0;
  if (MPI_Initialized(&initialised) == MPI_SUCCESS && initialised != 0) MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace meteor
