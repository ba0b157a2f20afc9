#include "compression/spectral/spectral.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "compression/gather_rows.h"
#include "compression/principal_axes.h"
#include "compression/spectral/bit_allocation.h"
#include "compression/spectral/code_difference.h"
#include "compression/spectral/fit_spectral.h"
#include "model/drop_units.h"
#include "model/unit_blocks.h"
#include "model/valid_numbers.h"

namespace meteor {
namespace {

constexpr std::size_t kTogether = 256;  // units
constexpr std::uint32_t kFirstWindows = 8;
constexpr std::uint32_t kWorse = 8;    // windows in turn: one may be odd, and what is quite new has to settle
constexpr float kNegligible = 0.001F;  // of the energy: its loss does no harm
constexpr double kUsed = 0.97;         // of the budget: less is a waste
constexpr double kGrown = 1.05;        // times the units that a plan was made for: worth looking for a better one
constexpr std::uint64_t kFewRows = std::uint64_t{4} << 20;  // bytes

/// What is lost of a window's rows, after a turn, in the form that these embeddings keep them.
void tell_loss(const Embeddings& coded, const WindowUpdate& update, CompressionOutcome& outcome) {
  const std::size_t width = update.rows.width();
  outcome.squared_error = 0;
  outcome.squared_norm = 0;
  for (std::size_t begin = 0; begin < update.units.size(); begin += kTogether) {
    const auto units = std::span(update.units).subspan(begin, std::min(kTogether, update.units.size() - begin));
    AlignedRows rows(units.size(), width);
    std::copy_n(update.rows.row(begin).data(), units.size() * rows.stride(), rows.data());
    turn_rows(rows, outcome.turn);
    AlignedRows kept(units.size(), width);
    coded.decode(units, kept);
    outcome.squared_error += (rows_of(kept) - rows_of(rows)).cast<double>().squaredNorm();
    outcome.squared_norm += rows_of(rows).cast<double>().squaredNorm();
  }
}

[[noreturn]] void refuse(const WindowUpdate& update) {
  refuse_broken(update.window, update.units, update.rows);
  throw NumericError(fmt::format("window {}: the embeddings have become too large", update.window));
}

StorageError damaged() { return StorageError("the arrays of codes do not fit together"); }

}  // namespace

PlanFit::PlanFit(std::span<const float> stored) {
  const auto counts_to = [](float count, std::uint32_t most) {
    return count >= 0 && count <= static_cast<float>(most) && count == std::floor(count);
  };
  if (stored.size() != 3 || !(stored[0] >= 0) || !counts_to(stored[1], kFirstWindows) || !counts_to(stored[2], kWorse))
    throw StorageError("array embeddings/plan_fit makes no sense");
  require_valid_numbers(stored, "embeddings/plan_fit");
  usual_ = stored[0];
  first_ = static_cast<std::uint32_t>(stored[1]);
  worse_ = static_cast<std::uint32_t>(stored[2]);
}

std::vector<float> PlanFit::stored() const { return {usual_, static_cast<float>(first_), static_cast<float>(worse_)}; }

void PlanFit::add(double loss, double times) {
  if (first_ < kFirstWindows) {
    ++first_;
    usual_ += (static_cast<float>(loss) - usual_) / static_cast<float>(first_);
  } else {
    worse_ = loss > times * std::max(usual_, kNegligible) ? std::min(worse_ + 1, kWorse) : 0;
  }
}

bool PlanFit::is_lost() const { return worse_ == kWorse; }

std::uint64_t budget_bytes(const Budget& budget, std::size_t units, std::size_t dimension) {
  if (const auto* bytes = std::get_if<ByteCount>(&budget)) return bytes->bytes;
  return static_cast<std::uint64_t>(std::get<Percent>(budget).percent / 100 *
                                    static_cast<double>(units * dimension * sizeof(float)));
}

Spectral::Spectral(SpectralPlan plan, const CompressionSettings& settings)
    : plan_(std::move(plan)), settings_(settings) {}

Spectral::Spectral(std::size_t dimension, const CompressionSettings& settings, std::span<const Array> arrays)
    : Spectral(SpectralPlan(SpectralPlan::stored_from("embeddings/", arrays, dimension)), settings) {
  const PackedCodes codes = codes_from("embeddings/", arrays);
  set_codes(first_units(codes.tables.size()), codes);
  fit_ = PlanFit(find_array(arrays, "embeddings/plan_fit").as<float>());
}

void Spectral::grow(std::size_t units) {
  tables_.resize(units);
  scales_.resize(units);
  codes_.grow(units);
}

void Spectral::decode(std::span<const UnitId> units, AlignedRows& rows) const {
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::size_t unit = index(units[i]);
    std::ranges::fill(rows.row(i), 0.0F);
    unpack(plan_.table(tables_[unit]), scales_[unit], codes_.get(units[i]), rows.row(i));
  }
}

void Spectral::set_codes(std::span<const UnitId> units, const PackedCodes& codes) {
  if (codes.tables.size() != units.size() || codes.scales.size() != units.size()) throw damaged();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::size_t unit = index(units[i]);
    if (codes.tables[i] >= plan_.tables().size()) throw damaged();
    const std::size_t bytes = plan_.table(codes.tables[i]).bytes;
    if (bytes > codes.bytes.size() - begin) throw damaged();
    if (unit >= this->units()) grow(unit + 1);
    codes_.set(units[i], plan_.table(tables_[unit]).bytes, std::span(codes.bytes).subspan(begin, bytes));
    tables_[unit] = codes.tables[i];
    scales_[unit] = codes.scales[i];
    begin += bytes;
  }
  if (begin != codes.bytes.size()) throw damaged();
}

PackedCodes Spectral::codes_of(std::span<const UnitId> units) const {
  PackedCodes codes;
  codes.tables.reserve(units.size());
  codes.scales.reserve(units.size());
  for (const UnitId unit : units) {
    codes.tables.push_back(tables_[index(unit)]);
    codes.scales.push_back(scales_[index(unit)]);
    const std::uint8_t* const code = codes_.get(unit);
    codes.bytes.insert(codes.bytes.end(), code, code + plan_.table(tables_[index(unit)]).bytes);
  }
  return codes;
}

std::span<const std::uint8_t> Spectral::code_before(UnitId unit, std::uint8_t table) const {
  if (index(unit) >= units() || tables_[index(unit)] != table) return {};
  return {codes_.get(unit), plan_.table(table).bytes};
}

PackedCodes Spectral::changes_to(std::span<const UnitId> units, const PackedCodes& codes) const {
  PackedCodes changes{codes.tables, codes.scales, {}};
  changes.bytes.reserve(codes.bytes.size());
  std::span<const std::uint8_t> left(codes.bytes);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto code = left.first(plan_.table(codes.tables[i]).bytes);
    left = left.subspan(code.size());
    if (const auto before = code_before(units[i], codes.tables[i]); !before.empty()) {
      append_difference(before, code, changes.bytes);
    } else {
      changes.bytes.insert(changes.bytes.end(), code.begin(), code.end());
    }
  }
  return changes;
}

PackedCodes Spectral::changed_codes(std::span<const UnitId> units, PackedCodes changes) const {
  if (changes.tables.size() != units.size()) throw damaged();
  std::vector<std::uint8_t> bytes;
  bytes.reserve(changes.bytes.size());
  std::span<const std::uint8_t> left(changes.bytes);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (changes.tables[i] >= plan_.tables().size()) throw damaged();
    if (const auto before = code_before(units[i], changes.tables[i]); !before.empty()) {
      bytes.insert(bytes.end(), before.begin(), before.end());
      apply_difference(left, std::span(bytes).last(before.size()));
    } else {
      const std::size_t count = plan_.table(changes.tables[i]).bytes;
      if (left.size() < count) throw damaged();
      bytes.insert(bytes.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count));
      left = left.subspan(count);
    }
  }
  if (!left.empty()) throw damaged();
  changes.bytes = std::move(bytes);
  return changes;
}

std::uint64_t Spectral::needed_bytes(std::size_t units) const {
  return plan_.bytes() + codes_.bytes() + units * kBytesBesidesCode;
}

std::vector<std::uint8_t> Spectral::affordable_tables(const WindowUpdate& update, const UnitFacts& facts) const {
  const std::size_t known = units();
  const std::uint64_t allowed = budget_bytes(settings_.budget, facts.attributes.size(), plan_.dimension());
  std::uint64_t used = needed_bytes(facts.attributes.size());
  const auto lowest = [&](std::size_t i) { return plan_.table_of(update.attributes[i], 1, 1); };
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    if (index(update.units[i]) >= known) used += plan_.table(lowest(i)).bytes;
  }
  if (used > allowed) return {};
  std::vector<std::uint8_t> tables;
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    const std::size_t unit = index(update.units[i]);
    const std::uint8_t now = unit < known ? tables_[unit] : lowest(i);
    const std::uint8_t wanted = plan_.table_of(update.attributes[i], facts.counts[unit], update.window + 1);
    const std::uint64_t after = used - plan_.table(now).bytes + plan_.table(wanted).bytes;
    tables.push_back(after <= allowed ? wanted : now);
    if (after <= allowed) used = after;
  }
  return tables;
}

bool Spectral::wastes_budget(const WindowUpdate& update) const {
  // Fitting anew takes memory for a second model. It can wait for a window whose rows take little.
  const std::uint64_t rows = update.units.size() * plan_.dimension() * sizeof(float);
  if (rows > std::max(kFewRows, bytes() / 4)) return false;
  const std::uint64_t allowed = budget_bytes(settings_.budget, units(), plan_.dimension());
  return static_cast<double>(needed_bytes(units())) < kUsed * static_cast<double>(allowed) &&
         static_cast<double>(units()) > kGrown * static_cast<double>(plan_.fitted_units()) &&
         plan_.expected_loss() > kNegligible;
}

CompressionOutcome Spectral::absorb(const WindowUpdate& update, const UnitFacts& facts, BlockWorkers& workers) {
  const std::vector<std::uint8_t> tables = affordable_tables(update, facts);
  CompressionOutcome outcome;
  const bool affordable = tables.size() == update.units.size();
  PackedCodes codes;
  if (affordable) {
    CodingLoss loss;
    codes = encode_rows(plan_, update.rows, tables, loss, workers.threads());
    if (!std::isfinite(loss.energy)) refuse(update);
    outcome.squared_error = loss.error;
    outcome.squared_norm = loss.energy;
    if (loss.energy > 0) fit_.add(outcome.relative_error(), settings_.refit);
  } else {
    refuse_broken(update.window, update.units, update.rows);
  }
  const bool outgrown = facts.attributes.size() >= 2 * plan_.fitted_units();
  if (!affordable || (settings_.refit > 0 && (outgrown || wastes_budget(update) || fit_.is_lost()))) {
    Refit refit = refit_spectral(*this, update, facts, settings_, workers);
    *this = std::move(refit.coded);
    outcome.refitted = true;
    outcome.turn = std::move(refit.turn);
    tell_loss(*this, update, outcome);
    if (update.followed) outcome.changes = arrays();
    return outcome;
  }
  if (update.followed) outcome.changes = to_arrays("changed/", changes_to(update.units, codes));
  set_codes(update.units, codes);
  return outcome;
}

void Spectral::follow(std::span<const UnitId> units, std::span<const Array> changes) {
  if (std::any_of(changes.begin(), changes.end(), [](const Array& array) { return array.name == "embeddings/bits"; })) {
    Spectral fitted(plan_.dimension(), settings_, changes);
    if (fitted.plan().attributes() != plan_.attributes()) throw damaged();
    *this = std::move(fitted);
    return;
  }
  const std::size_t known = this->units();
  set_codes(units, changed_codes(units, codes_from("changed/", changes)));
  for (std::size_t i = known; i < this->units(); ++i) {
    if (!codes_.has(UnitId{static_cast<std::uint32_t>(i)})) throw damaged();
  }
}

bool Spectral::forget(std::span<const UnitId> units, const UnitFacts& left, BlockWorkers& workers) {
  std::vector<UnitId> kept = first_units(this->units());
  drop_units(kept, units);
  const PackedCodes codes = codes_of(kept);
  tables_ = {};
  scales_ = {};
  codes_ = {};
  set_codes(first_units(kept.size()), codes);
  if (needed_bytes(kept.size()) <= budget_bytes(settings_.budget, kept.size(), plan_.dimension())) return false;
  // Where a share is allowed, those that went may have been the short ones.
  WindowUpdate nothing;
  nothing.window = left.windows - 1;
  *this = refit_spectral(*this, nothing, left, settings_, workers).coded;
  return true;
}

std::vector<Array> Spectral::arrays() const {
  std::vector<Array> all = to_arrays("embeddings/", codes_of(first_units(units())));
  for (Array& array : plan_.arrays("embeddings/")) all.push_back(std::move(array));
  all.push_back(own_array("embeddings/plan_fit", fit_.stored(), Purpose::description));
  return all;
}

std::uint64_t Spectral::bytes() const { return plan_.bytes() + codes_.bytes() + 2 * units(); }

double Spectral::bytes_per_new_unit() const {
  return 2 + (units() > 0 ? static_cast<double>(codes_.bytes()) / static_cast<double>(units()) : 0);
}

std::string Spectral::describe(std::span<const std::string> attributes) const {
  std::string bits;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    bits += fmt::format("; {} {}", attributes[a], fmt::join(plan_.bits_by_class(static_cast<AttributeId>(a)), " "));
  }
  return fmt::format(
      "{} components, {:.2f} % of the energy is expected to be lost; bits of units seen once, twice, 4 times, 8 times "
      "and so on{}",
      plan_.components(), 100 * plan_.expected_loss(), bits);
}

}  // namespace meteor
