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

#include "mpi/block_pool.h"
#include "mpi/mpi_calls.h"
#include "mpi/wire.h"
#include "support/pulse.h"

namespace meteor {
namespace {

// Heads keep their order, and so do pieces, so that the pieces of a head are the next ones from the same rank. An empty
// head says that no more will come.
constexpr int head_tag = 1;
constexpr int piece_tag = 2;
constexpr std::uint64_t piece_bytes = 8 << 20;  // far below 2^31, and small enough to see that a transfer gets on
constexpr int pieces_in_flight = 8;             // in one direction between two ranks

/// A packet on its way out or in.
struct Letter {
  Packet packet;
  std::string head;
  bool opened = false;  // of one that arrives: the head is here and decoded
  bool head_here = false;
  std::size_t pending = 0;  // parts that have yet to leave or arrive
};

struct Piece {
  std::shared_ptr<Letter> letter;
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
  std::shared_ptr<Letter> letter;
  Lane* lane;
  int from;  // if it arrives, else -1
};

}  // namespace

struct MpiPost::State {
  void add(MPI_Request request, Flight flight) {
    requests.push_back(request);
    flights.push_back(std::move(flight));
  }

  void enqueue_values(const std::shared_ptr<Letter>& letter, Lane& lane) {
    for (const Array& array : letter->packet.message.arrays) {
      auto* values = static_cast<std::byte*>(const_cast<void*>(array.data));
      for (std::uint64_t at = 0, bytes = 0; at < array.bytes(); at += bytes) {
        bytes = std::min(piece_bytes, array.bytes() - at);
        lane.pieces.push_back({letter, values + at, static_cast<int>(bytes)});
        ++letter->pending;
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
      add(request, {std::move(piece.letter), &lane, lane.leaves ? -1 : lane.peer});
    }
  }

  void send_head(int to, const std::shared_ptr<Letter>& letter) {
    MPI_Request request = MPI_REQUEST_NULL;
    METEOR_MPI(MPI_Isend, letter->head.data(), static_cast<int>(letter->head.size()), MPI_BYTE, to, head_tag, world,
               &request);
    ++letter->pending;
    ++leaving;
    add(request, {letter, nullptr, -1});
  }

  /// Accepts every head that waits to be received.
  bool accept_heads() {
    for (bool any = false;; any = true) {
      int found = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      METEOR_MPI(MPI_Improbe, MPI_ANY_SOURCE, head_tag, world, &found, &message, &status);
      if (found == 0) return any;
      int bytes = 0;
      METEOR_MPI(MPI_Get_count, &status, MPI_BYTE, &bytes);
      auto letter = std::make_shared<Letter>();
      letter->head.resize(bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      METEOR_MPI(MPI_Imrecv, letter->head.data(), bytes, MPI_BYTE, &message, &request);
      arriving[status.MPI_SOURCE].push_back(letter);
      add(request, {std::move(letter), nullptr, status.MPI_SOURCE});
    }
  }

  bool finish_flights(std::vector<Packet>& arrived) {
    if (requests.empty()) return false;
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

  void finish_flight(const Flight& flight, std::vector<Packet>& arrived) {
    Letter& letter = *flight.letter;
    if (flight.lane != nullptr) {
      Pulse::beat();  // a process that moves bulk gets on
      --flight.lane->in_flight;
      start_pieces(*flight.lane);
    }
    if (flight.from < 0) {
      if (--letter.pending == 0) --leaving;
      return;
    }
    if (flight.lane != nullptr) {
      --letter.pending;
    } else {
      letter.head_here = true;
    }
    take_in_order(flight.from, arrived);
  }

  /// Opens letters from a rank in the order in which they were sent, and hands out those that are complete.
  void take_in_order(int from, std::vector<Packet>& arrived) {
    auto& letters = arriving[from];
    for (auto at = letters.begin(); at != letters.end() && (*at)->head_here;) {
      if ((*at)->opened || open(*at, from)) {
        ++at;
        continue;
      }
      if (!(*at)->head.empty()) arrived.push_back(std::move((*at)->packet));
      at = letters.erase(at);
    }
    for (; !letters.empty() && letters.front()->opened && letters.front()->pending == 0; letters.pop_front())
      arrived.push_back(std::move(letters.front()->packet));
  }

  /// Whether the letter has to keep its place; a heartbeat does not wait for bulk before it, and a farewell is no
  /// packet.
  bool open(const std::shared_ptr<Letter>& letter, int from) {
    letter->opened = true;
    if (letter->head.empty()) {
      std::erase(expected_farewells, from);
      return false;
    }
    Head head = decode_head(letter->head);
    if (head.packet.from != static_cast<std::uint32_t>(from)) {
      throw TransportError(
          fmt::format("a message from rank {} says that it comes from rank {}", from, head.packet.from));
    }
    letter->packet = std::move(head.packet);
    std::vector<Array>& arrays = letter->packet.message.arrays;
    for (Array& array : arrays) {
      auto block = pool.take(array.bytes());
      array.data = block.get();
      if (head.has_values) {
        std::memcpy(block.get(), head.values.data(), array.bytes());
        head.values.remove_prefix(array.bytes());
      }
      array.owner = std::move(block);
    }
    if (!head.has_values) enqueue_values(letter, incoming[from]);
    return letter->packet.route != Route::heartbeat || !head.has_values;
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
  std::vector<std::deque<std::shared_ptr<Letter>>> arriving;
  std::size_t leaving = 0;
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

void MpiPost::send(std::uint32_t to, Packet packet) {
  auto letter = std::make_shared<Letter>();
  letter->packet = std::move(packet);
  letter->head = encode_head(letter->packet);
  state_->send_head(static_cast<int>(to), letter);
  if (total_bytes(letter->packet.message.arrays) > most_bytes_in_head)
    state_->enqueue_values(letter, state_->outgoing[to]);
}

bool MpiPost::progress(std::vector<Packet>& arrived) {
  const bool accepted = state_->accept_heads();
  return state_->finish_flights(arrived) || accepted;
}

void MpiPost::finish(std::chrono::seconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  for (int peer = 0; peer < state_->size; ++peer)
    if (peer != state_->rank) state_->send_head(peer, std::make_shared<Letter>());
  const std::vector<int>& missing = state_->expected_farewells;
  std::vector<Packet> unread;
  while (in_flight() || !missing.empty()) {
    if (!progress(unread)) std::this_thread::sleep_for(std::chrono::microseconds(50));
    unread.clear();
    if (std::chrono::steady_clock::now() < deadline) continue;
    throw TransportError(fmt::format("the run is over, but {} after {} s",
                                     missing.empty() ? "messages are on their way still"
                                                     : fmt::format("rank {} has not ended", fmt::join(missing, ", ")),
                                     time.count()));
  }
  METEOR_MPI(MPI_Comm_free, &state_->world);
  METEOR_MPI(MPI_Finalize);
}

void abort_mpi(int status) {
  int initialised = 0;
  if (MPI_Initialized(&initialised) == MPI_SUCCESS && initialised != 0) MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace meteor
