#include "mpi/owner_crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/load_settings.h"
#include "mpi/answers.h"
#include "mpi/messages.h"
#include "mpi/remote_blocks.h"
#include "mpi/shared_window.h"
#include "support/build_id.h"
#include "support/host_name.h"
#include "support/log.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/version.h"

namespace meteor {
namespace {

class OwnerCrew final : public Crew {
 public:
  OwnerCrew(const Settings& settings, Mail& mail, std::string_view start) : mail_(mail), team_(settings, mail) {
    mail_.set_patience(settings.parallel.patience);
    hear_stops(mail_);
    welcome(start);
  }

  std::uint32_t ranks() const override { return mail_.size(); }

  void replicate(const Model& model) override {
    team_.told.clear();
    LentMemory lent(mail_);
    mail_.broadcast(replica_message(model));
    lent.back();
  }
  void follow(const WindowUnits& window, std::span<const Array> changes) override {
    const bool told = !team_.told.empty() && team_.told.front() == window.window;
    if (told) team_.told.pop_front();
    mail_.broadcast(changes_message(window, changes, !told));
  }

  std::unique_ptr<SharedBlocks> share_out(std::vector<WorkBlock> blocks) override {
    return share_among_ranks(mail_, alive_blocks_, std::move(blocks), team_.settings.parallel.threads,
                             team_.root_works());
  }

  /// Ranks of this host wait while rank 0 merges and compresses: their cores are free.
  std::size_t threads() const override {
    return std::clamp<std::size_t>(usable_cores(), 1, (1 + neighbours_) * team_.settings.parallel.threads);
  }

  std::unique_ptr<WindowInProgress> begin(const WindowTask& task, const Model& model, ShardMerge& merge) override {
    return share_window(team_, task, model, merge);
  }

  Traffic traffic() const override {
    Traffic traffic{mail_.bytes_sent(), mail_.bytes_received(), mail_.bytes_broadcast(), team_.gathered};
    for (const WorkerReport& report : team_.reports) {
      traffic.sent += report.bytes_sent;
      traffic.received += report.bytes_received;
    }
    return traffic;
  }
  std::vector<std::uint64_t> peak_rss_bytes() const override {
    std::vector<std::uint64_t> peaks{meteor::peak_rss_bytes()};
    for (std::size_t rank = 1; rank < team_.reports.size(); ++rank) peaks.push_back(team_.reports[rank].peak_rss_bytes);
    return peaks;
  }

 private:
  void welcome(std::string_view start);

  Mail& mail_;
  Team team_;
  std::size_t neighbours_ = 0;    // workers on this host
  std::size_t alive_blocks_ = 0;  // sets of them
};

std::string shown_build(const std::string& build) { return build.empty() ? "of unknown build" : build.substr(0, 12); }

void OwnerCrew::welcome(std::string_view start) {
  const std::string version(program_version());
  mail_.broadcast(to_message(Welcome{version, build_id(), settings_json(team_.settings).dump()}));
  InstructionSet common = best_instruction_set();
  std::map<std::string, std::size_t> ranks_of_host{{host_name(), 1}};
  std::vector<std::uint32_t> awaited = team_.workers;
  while (!awaited.empty()) {
    Arrival answer = next_answer(mail_, awaited);
    const std::uint32_t from = answer.from;
    std::erase(awaited, from);
    Ready ready;
    take_answer(std::move(answer), MessageKind::ready, [&](const Message& message) { ready = ready_from(message); });
    if (ready.version != version) {
      throw UsageError(fmt::format("rank {} on {} runs meteor {}, rank 0 runs {}: install the same version everywhere",
                                   from, ready.host, ready.version, version));
    }
    if (ready.build != build_id()) {
      throw UsageError(
          fmt::format("rank {} on {} runs another build of meteor {} than rank 0 ({}, not {}): install the same one "
                      "everywhere",
                      from, ready.host, version, shown_build(ready.build), shown_build(build_id())));
    }
    common = std::min(common, instruction_set_of(ready.instruction_set));
    ++ranks_of_host[ready.host];
  }
  neighbours_ = ranks_of_host[host_name()] - 1;
  std::string hosts;
  for (const auto& [host, ranks] : ranks_of_host)
    hosts += fmt::format("{}{} on {}", hosts.empty() ? "" : ", ", ranks, host);
  if (!start.empty()) log_info("{} ranks, {}: {}", mail_.size(), start, hosts);
  limit_instruction_set(common);
  mail_.broadcast(to_message(Agreed{std::string(name_of(common))}));
}

}  // namespace

std::unique_ptr<Crew> owner_crew(const Settings& settings, Mail& mail, std::string_view start) {
  return std::make_unique<OwnerCrew>(settings, mail, start);
}

void dismiss_workers(Mail& mail) { mail.broadcast({MessageKind::stop, {}, {}}); }

}  // namespace meteor
