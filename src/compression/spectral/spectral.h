#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compression/spectral/code_pool.h"
#include "compression/spectral/spectral_codec.h"
#include "compression/spectral/spectral_plan.h"
#include "config/settings.h"
#include "model/embeddings.h"

namespace meteor {

/// How well a plan still fits what is learnt: the share of the energy of a window's units that coding loses.
class PlanFit {
 public:
  PlanFit() = default;
  explicit PlanFit(std::span<const float> stored);
  /// Adds a window.
  void add(double loss, double times);
  /// Whether the share has been so many times what it was when the plan was new, window after window.
  bool is_lost() const;
  std::vector<float> stored() const;

 private:
  float usual_ = 0;          // in the plan's first windows
  std::uint32_t first_ = 0;  // how many of them have passed
  std::uint32_t worse_ = 0;  // windows in turn that lost much more
};

/// Transform coding: the axes of all embeddings are the principal ones, and each unit keeps its coordinates in as many
/// bits as its frequency deserves. A window changes codes only; the plan stays as it is until there are twice as many
/// units, until what is learnt has drifted away from it, or until new units outgrow the budget or leave a part of it
/// unused. Then all is fitted anew.
class Spectral final : public Embeddings {
 public:
  Spectral(SpectralPlan plan, const CompressionSettings& settings);
  Spectral(std::size_t dimension, const CompressionSettings& settings, std::span<const Array> arrays);

  std::string_view scheme() const override { return "spectral"; }
  std::size_t units() const override { return tables_.size(); }
  void decode(std::span<const UnitId> units, AlignedRows& rows) const override;
  std::optional<AttributeId> coded_as(UnitId unit) const override {
    return static_cast<AttributeId>(tables_[index(unit)] / plan_.classes());
  }
  std::uint64_t fitted_after() const override { return plan_.windows(); }
  CompressionOutcome absorb(const WindowUpdate& update, const UnitFacts& facts, BlockWorkers& workers) override;
  void follow(std::span<const UnitId> units, std::span<const Array> changes) override;
  bool forget(std::span<const UnitId> units, const UnitFacts& left, BlockWorkers& workers) override;
  std::vector<Array> arrays() const override;
  std::uint64_t bytes() const override;
  double bytes_per_new_unit() const override;
  std::string describe(std::span<const std::string> attributes) const override;

  const SpectralPlan& plan() const { return plan_; }
  /// Takes over the codes of these units.
  void set_codes(std::span<const UnitId> units, const PackedCodes& codes);
  /// The codes of these units.
  PackedCodes codes_of(std::span<const UnitId> units) const;

 private:
  void grow(std::size_t units);
  /// Of a model with these codes and so many units.
  std::uint64_t needed_bytes(std::size_t units) const;
  /// The table of each unit of a window: the one that its count deserves, as far as the budget reaches. Empty if it
  /// does not even reach for the new units.
  std::vector<std::uint8_t> affordable_tables(const WindowUpdate& update, const UnitFacts& facts) const;
  /// Whether the units that have come since the plan was made leave a part of the budget unused. They are rare at first
  /// and have short codes, while a budget in per cent grows with each of them.
  bool wastes_budget(const WindowUpdate& update) const;
  /// The unit's code, if it has one of this table.
  std::span<const std::uint8_t> code_before(UnitId unit, std::uint8_t table) const;
  /// What a replica needs to give these units new codes, with differences in place of codes that keep their table.
  PackedCodes changes_to(std::span<const UnitId> units, const PackedCodes& codes) const;
  /// The codes, from those differences.
  PackedCodes changed_codes(std::span<const UnitId> units, PackedCodes changes) const;

  SpectralPlan plan_;
  CompressionSettings settings_;
  std::vector<std::uint8_t> tables_;  // of each unit
  std::vector<std::uint8_t> scales_;
  CodePool codes_;
  PlanFit fit_;
};

/// The bytes that a model of so many units of this dimension may have.
std::uint64_t budget_bytes(const Budget& budget, std::size_t units, std::size_t dimension);

}  // namespace meteor
