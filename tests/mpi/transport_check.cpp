// usage: transport_check messages|mail|large|stopped|stopped_at_begin|stopped_at_end|stopped_in_mpi|thrown|speed, under
// mpiexec. Checks the transport over real MPI, or tells how fast it is.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "mpi/mail.h"
#include "mpi/messages.h"
#include "mpi/mpi_calls.h"
#include "mpi/mpi_transport.h"
#include "support/launched_job.h"

namespace meteor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int skipped = 77;
constexpr seconds patience{300};

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

std::vector<std::uint32_t> workers(const Mail& mail) {
  std::vector<std::uint32_t> ranks(mail.size() - 1);
  std::iota(ranks.begin(), ranks.end(), 1);
  return ranks;
}

/// Values that tell who sent which array to whom.
std::vector<std::uint32_t> marked_values(std::uint32_t from, std::uint32_t to, std::size_t size) {
  std::vector<std::uint32_t> values(size);
  std::iota(values.begin(), values.end(), 1'000'000 * from + 100'000 * to);
  return values;
}

/// Sizes around those at which messages are cut or travel in another way.
constexpr std::size_t sizes[] = {0, 1, 100, 8191, 8192, 8193, 100'000, 524'287, 524'288, 524'289, 786'432, 5'000'000};

/// Every rank sends arrays of all sizes, some without an owner, to every other.
void exchange_all_to_all(Transport& transport) {
  std::vector<std::vector<std::uint32_t>> kept;
  for (std::size_t number = 0; number < std::size(sizes); ++number)
    for (std::uint32_t to = 0; to < transport.size(); ++to) {
      if (to == transport.rank()) continue;
      auto values = marked_values(transport.rank(), to, sizes[number]);
      Message message{MessageKind::blocks, fmt::format("{} of {} for {}", number, transport.rank(), to), {}};
      message.arrays.push_back(own_array<float>("small", {1.5F, -2.0F}));
      if (number % 2 == 0) {
        message.arrays.push_back(own_array("values", std::move(values), Purpose::description));
      } else {
        message.arrays.push_back(view_array<std::uint32_t>("values", kept.emplace_back(std::move(values))));
      }
      transport.send(to, std::move(message));
    }
  std::map<std::uint32_t, std::uint64_t> next;
  for (std::size_t left = std::size(sizes) * (transport.size() - 1); left > 0; --left) {
    const auto arrival = transport.receive(patience);
    expect(arrival.has_value(), "a message did not arrive");
    const std::uint64_t number = next[arrival->from]++;
    const Message& message = arrival->message;
    expect(message.structure == fmt::format("{} of {} for {}", number, arrival->from, transport.rank()),
           "another structure, or in another order");
    expect(message.arrays.size() == 2 && message.arrays[0].as<float>()[1] == -2.0F, "another small array");
    const auto values = find_array(message.arrays, "values").as<std::uint32_t>();
    const auto sent = marked_values(arrival->from, transport.rank(), sizes[number]);
    expect(std::equal(values.begin(), values.end(), sent.begin(), sent.end()), "other values arrived");
    expect((message.arrays[1].purpose == Purpose::description) == (number % 2 == 0), "another purpose arrived");
  }
  while (!transport.flush(milliseconds(100))) {
  }
}

/// Rank 0 broadcasts, and every worker answers with what it has heard.
void exchange_mail(Transport& transport) {
  Mail mail(transport, patience);
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t size = round == 0 ? 3'000'000 / sizeof(float) : 100;
    if (mail.rank() == 0) {
      const std::vector<float> values(size, static_cast<float>(round));
      mail.broadcast({MessageKind::changes, "round", {view_array<float>("values", values)}});
      mail.flush();
      for (const std::uint32_t to : workers(mail)) mail.send(to, {MessageKind::shards, std::to_string(to), {}});
      auto owing = workers(mail);
      while (!owing.empty()) {
        const Arrival answer = mail.receive_from(owing);
        expect(answer.message.structure == fmt::format("{} {}", answer.from, round), "another answer");
        expect(answer.message.arrays.at(0).as<float>().size() == size, "another array");
        std::erase(owing, answer.from);
      }
    } else {
      Message message = mail.hear();
      const auto values = message.arrays.at(0).as<float>();
      expect(values.size() == size && values.back() == static_cast<float>(round), "another broadcast");
      const Message own = mail.receive();
      expect(own.structure == std::to_string(mail.rank()), "a message for another rank");
      mail.send(0, {MessageKind::learnt, fmt::format("{} {}", mail.rank(), round), std::move(message.arrays)});
    }
  }
  if (mail.rank() == 0) mail.broadcast({MessageKind::stop, {}, {}});
  if (mail.rank() != 0) expect(mail.hear().kind == MessageKind::stop, "no stop");
  mail.flush();
}

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, unit; file >> name;) {
    std::uint64_t kilobytes = 0;
    if (!(file >> kilobytes)) break;
    std::getline(file, unit);
    if (name == "MemAvailable:") return kilobytes << 10;
  }
  return 0;
}

/// More bytes than an int can count, there from rank 0 to rank 1.
void send_large_array(Transport& transport) {
  constexpr std::uint64_t bytes = (std::uint64_t{1} << 31) + 8;
  constexpr std::uint64_t places[] = {0,        12'345, bytes / 2, (std::uint64_t{1} << 31) - 1, std::uint64_t{1} << 31,
                                      bytes - 1};
  Mail mail(transport, patience);
  if (mail.rank() == 0) {
    std::vector<std::uint8_t> values(bytes);
    for (std::size_t i = 0; i < std::size(places); ++i) values[places[i]] = static_cast<std::uint8_t>(i + 1);
    mail.send(1, {MessageKind::blocks, {}, {view_array<std::uint8_t>("large", values)}});
    mail.flush();
    expect(mail.receive_from({1}).message.kind == MessageKind::done, "no answer");
  } else {
    const Message message = mail.receive();
    const auto values = message.arrays.at(0).as<std::uint8_t>();
    expect(values.size() == bytes, "another size");
    for (std::size_t i = 0; i < std::size(places); ++i) expect(values[places[i]] == i + 1, "other values");
    mail.send(0, {MessageKind::done, {}, {}});
    mail.flush();
  }
}

/// Rank 1 stops without a word, and rank 0 must name it, but not rank 2 if that has to wait for its turn meanwhile.
void wait_for_stopped_rank(Transport& transport) {
  Mail mail(transport, seconds(10));
  if (mail.rank() == 0) mail.receive_from(workers(mail));
  if (mail.rank() == 1) std::raise(SIGSTOP);
  mail.hear();
}

bool stops_in_init = false;
bool stops_in_finalize = false;

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Between ranks 0 and 1; rank 1 returns what it gets.
void tell_speed(Transport& transport) {
  constexpr int messages = 2000;
  constexpr int arrays = 20;
  constexpr seconds pause{5};
  Mail mail(transport, patience);
  if (mail.rank() == 0) {
    std::cout << fmt::format("round trip of a small message: {:.1f} us\n",
                             1e6 / messages * seconds_of([&] {
                               for (int i = 0; i < messages; ++i) {
                                 mail.send(1, {MessageKind::map, "small", {}});
                                 mail.receive_from({1});
                               }
                             }));
    const std::vector<float> values(25'000'000, 1.0F);
    for (int i = 0; i < arrays; ++i) {
      const double time = seconds_of([&] {
        mail.send(1, {MessageKind::blocks, {}, {view_array<float>("values", values)}});
        mail.flush();
        mail.receive_from({1});
      });
      if (i % 5 == 4) std::cout << fmt::format("100 MB there: {:.0f} MB/s\n", 100 / time);
    }
    const double before = processor_seconds();
    std::this_thread::sleep_for(pause);
    std::cout << fmt::format("processor time of a rank that does not listen: {:.1f} %\n",
                             100 * (processor_seconds() - before) / static_cast<double>(pause.count()));
    mail.send(1, {MessageKind::stop, {}, {}});
    mail.receive_from({1});
  } else {
    for (int i = 0; i < messages; ++i) mail.send(0, (mail.receive()));
    for (int i = 0; i < arrays; ++i) {
      mail.receive();
      mail.send(0, {MessageKind::done, {}, {}});
    }
    const double before = processor_seconds();
    mail.receive();
    std::cout << fmt::format("processor time of a rank that waits: {:.1f} %\n",
                             100 * (processor_seconds() - before) / static_cast<double>(pause.count()));
    mail.send(0, {MessageKind::done, {}, {}});
    mail.flush();
  }
}

int check(const std::string& what) {
  if (what == "large" && available_memory() < std::uint64_t{6} << 30) return skipped;
  const LaunchedJob job = launched_job().value();
  stops_in_init = what == "stopped_at_begin" && job.rank == 1u;
  MpiTransport::Limits limits;
  if (what == "stopped_at_begin") limits.begin = seconds(5);
  if (what == "stopped_at_end") limits.end = seconds(2);
  if (what == "stopped_in_mpi") limits.end = seconds(10);
  MpiTransport transport(limits);
  if (what == "thrown" && transport.rank() == 1) throw std::runtime_error("thrown past the transport");
  try {
    expect(can_join(job, mpi_library()) && has_joined(job, transport.rank(), transport.size()),
           "the environment tells of another job");
    if (what == "messages") {
      exchange_all_to_all(transport);
    } else if (what == "mail") {
      exchange_mail(transport);
    } else if (what == "large") {
      send_large_array(transport);
    } else if (what == "stopped") {
      wait_for_stopped_rank(transport);
    } else if (what == "stopped_at_end" && transport.rank() == 1) {
      std::raise(SIGSTOP);
    } else if (what == "stopped_in_mpi" && transport.rank() == 1) {
      stops_in_finalize = true;
    } else if (what == "speed") {
      tell_speed(transport);
    }
  } catch (const std::exception& problem) {
    std::cerr << fmt::format("rank {}: {}\n", transport.rank(), problem.what());
    transport.abort(1);
  }
  transport.finish();
  return 0;
}

}  // namespace
}  // namespace meteor

extern "C" int PMPI_Init_thread(int*, char***, int, int*);
extern "C" int PMPI_Finalize();

// These take the place of MPI's own.
extern "C" int MPI_Init_thread(int* argc, char*** argv, int wanted, int* given) {
  if (meteor::stops_in_init) std::raise(SIGSTOP);
  return PMPI_Init_thread(argc, argv, wanted, given);
}
extern "C" int MPI_Finalize() {
  if (meteor::stops_in_finalize) std::raise(SIGSTOP);
  return PMPI_Finalize();
}

int main(int argc, char** argv) {
  try {
    return meteor::check(argc > 1 ? argv[1] : "messages");
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
  }
}
