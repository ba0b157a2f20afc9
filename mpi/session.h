#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/ranks.h"
#include "mpi/mail.h"

namespace meteor {

/// All processes of the job: rank 0 owns the model, the others work for it. A program that was not
/// started by a launcher runs alone, without MPI; where a launcher started several that MPI does not join, each refuses
/// to. Any failure on any rank is told in one sentence and ends the job.
class LaunchedRanks final : public Ranks {
 public:
  void run(const std::function<void()>& owner) override;
  std::uint32_t size() const override;
  std::unique_ptr<Crew> crew(const Settings& settings) override;

 private:
  void work(Transport& transport, const std::function<void()>& owner, std::string start);

  OneRank alone_;
  Mail* mail_ = nullptr;  // while several ranks work
  std::string start_;     // how they were started, in words
};

}  // namespace meteor
