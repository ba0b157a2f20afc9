#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "config/settings.h"
#include "engine/crew.h"

namespace meteor {

/// The processes of a run.
class Ranks {
 public:
  virtual ~Ranks() = default;
  /// Calls `owner` in the process that owns the model, and there only; the others work for it until it returns.
  virtual void run(const std::function<void()>& owner) = 0;
  /// How many processes there are; asked by the owner, as all that follows.
  virtual std::uint32_t size() const = 0;
  /// Those who work for the owner, which hear of these settings: nothing may be changed in them any more.
  virtual std::unique_ptr<Crew> crew(const Settings& settings) = 0;
};

/// This process alone.
class OneRank final : public Ranks {
 public:
  void run(const std::function<void()>& owner) override;
  std::uint32_t size() const override { return 1; }
  std::unique_ptr<Crew> crew(const Settings& settings) override;
};

/// Where the settings leave it open into how many shards a window is cut: one for every thread that learns.
void settle_shards(Settings& settings, const Ranks& ranks);

}  // namespace meteor
