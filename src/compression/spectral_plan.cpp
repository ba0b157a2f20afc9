#include "compression/spectral_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "compression/quantiser.h"
#include "support/bfloat16.h"

namespace meteor {
namespace {

constexpr std::size_t kMostClasses = 12;
constexpr std::size_t kMostTables = 256;
/// The share of a row of the basis that the rows before it must leave; rounding to bytes leaves nearly all.
constexpr double kLeastIndependence = 1e-6;

StorageError misfit() { return StorageError("the arrays of the spectral scheme do not fit together"); }

std::size_t packed_row(std::size_t components) { return (components + 1) / 2; }

CodeTable make_table(std::span<const std::uint8_t> packed, std::span<const std::uint16_t> deviations) {
  CodeTable table;
  std::size_t bits = 0;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    const std::uint8_t b = (packed[i / 2] >> (4 * (i % 2))) & 15;
    if (b == 0) continue;
    const float deviation = from_bfloat16(deviations[i]);
    if (b > kMostBits || !(deviation > 0 && std::isfinite(deviation))) {
      throw StorageError("a component of codes makes no sense");
    }
    table.components.push_back(static_cast<std::uint16_t>(i));
    table.bits.push_back(b);
    bits += b;
  }
  table.bytes = (bits + 7) / 8;
  table.numbers = AlignedRows(CodeTable::number_rows, table.components.size());
  for (std::size_t k = 0; k < table.components.size(); ++k) {
    const float deviation = from_bfloat16(deviations[table.components[k]]);
    const float step = deviation * kLevelSteps[table.bits[k]];
    table.numbers.row(CodeTable::step)[k] = step;
    table.numbers.row(CodeTable::inverse_step)[k] = 1 / step;
    table.numbers.row(CodeTable::highest)[k] = static_cast<float>(1 << (table.bits[k] - 1)) - 0.5F;
    table.numbers.row(CodeTable::inverse_deviation)[k] = 1 / deviation;
  }
  return table;
}

}  // namespace

std::size_t class_of(std::uint64_t count, std::size_t classes) {
  const auto whole = static_cast<std::size_t>(std::bit_width(std::max<std::uint64_t>(count, 1)) - 1);
  return std::min(whole, classes - 1);
}

std::size_t SpectralPlan::classes_for(std::size_t attributes) {
  if (attributes > kMostTables) throw UsageError("the spectral scheme has room for 256 attributes");
  return std::min(kMostClasses, kMostTables / std::max<std::size_t>(attributes, 1));
}

std::uint64_t SpectralPlan::bytes_for(std::size_t components, std::size_t dimension, std::size_t attributes) {
  return components * (dimension + sizeof(float) + attributes * sizeof(std::uint16_t)) +
         attributes * classes_for(attributes) * packed_row(components);
}

void round_basis(const RowMatrix& basis, std::vector<std::uint8_t>& bytes, std::vector<float>& scales) {
  bytes.clear();
  scales.clear();
  for (Eigen::Index i = 0; i < basis.rows(); ++i) {
    const float scale = basis.row(i).cwiseAbs().maxCoeff() / 127;
    scales.push_back(scale);
    for (Eigen::Index k = 0; k < basis.cols(); ++k) {
      const float rounded = scale > 0 ? std::nearbyint(basis(i, k) / scale) : 0;
      bytes.push_back(static_cast<std::uint8_t>(static_cast<std::int8_t>(rounded)));
    }
  }
}

RowMatrix stored_basis(std::span<const std::uint8_t> bytes, std::span<const float> scales, std::size_t dimension) {
  if (scales.size() > dimension || bytes.size() != scales.size() * dimension) throw misfit();
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> basis(static_cast<Eigen::Index>(scales.size()),
                                                                               static_cast<Eigen::Index>(dimension));
  for (Eigen::Index i = 0; i < basis.rows(); ++i) {
    for (Eigen::Index k = 0; k < basis.cols(); ++k) {
      const auto byte = static_cast<std::int8_t>(bytes[static_cast<std::size_t>(i * basis.cols() + k)]);
      basis(i, k) = static_cast<double>(byte) * scales[static_cast<std::size_t>(i)];
    }
    const double before = basis.row(i).norm();
    for (int pass = 0; pass < 2 && i > 0; ++pass) {  // Gram-Schmidt twice is enough
      const Eigen::VectorXd shares = basis.topRows(i) * basis.row(i).transpose();
      basis.row(i) -= shares.transpose() * basis.topRows(i);
    }
    const double norm = basis.row(i).norm();
    if (!(norm > kLeastIndependence * before)) throw StorageError("a component of the basis depends on the others");
    basis.row(i) /= norm;
  }
  return basis.cast<float>();
}

SpectralPlan::SpectralPlan(Stored stored)
    : SpectralPlan(stored, stored_basis(stored.basis, stored.basis_scales, stored.dimension)) {}

SpectralPlan::SpectralPlan(Stored stored, const RowMatrix& basis) : stored_(std::move(stored)) {
  const std::size_t r = components();
  const std::size_t tables = attributes() * classes();
  if (static_cast<std::size_t>(basis.rows()) != r || static_cast<std::size_t>(basis.cols()) != dimension() ||
      stored_.deviations.size() != attributes() * r || stored_.bits.size() != tables * packed_row(r)) {
    throw misfit();
  }
  basis_ = AlignedRows(r, dimension());
  transposed_ = AlignedRows(dimension(), r);
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t k = 0; k < dimension(); ++k) {
      const float value = basis(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
      basis_.row(i)[k] = value;
      transposed_.row(k)[i] = value;
    }
  }
  for (std::size_t t = 0; t < tables; ++t) {
    tables_.push_back(make_table(std::span(stored_.bits).subspan(t * packed_row(r), packed_row(r)),
                                 std::span(stored_.deviations).subspan(t / classes() * r, r)));
  }
}

std::uint8_t SpectralPlan::table_of(AttributeId attribute, std::uint64_t count, std::uint64_t windows) const {
  // Counts grow with time: the classes stay comparable if they are taken for as many windows as the plan saw.
  const std::uint64_t scaled =
      windows > stored_.windows && stored_.windows > 0
          ? static_cast<std::uint64_t>(static_cast<double>(count) * static_cast<double>(stored_.windows) /
                                       static_cast<double>(windows))
          : count;
  return static_cast<std::uint8_t>(index(attribute) * classes() + class_of(scaled, classes()));
}

std::vector<std::size_t> SpectralPlan::bits_by_class(AttributeId attribute) const {
  std::vector<std::size_t> bits;
  for (std::size_t k = 0; k < classes(); ++k) {
    const CodeTable& table = tables_[index(attribute) * classes() + k];
    bits.push_back(std::accumulate(table.bits.begin(), table.bits.end(), std::size_t{0}));
  }
  return bits;
}

std::vector<Array> SpectralPlan::arrays(const std::string& prefix) const {
  std::vector<Array> all;
  all.push_back(own_array(prefix + "basis", stored_.basis));
  all.back().shape = {components(), dimension()};
  all.push_back(own_array(prefix + "basis_scale", stored_.basis_scales));
  all.push_back(own_array(prefix + "deviation", stored_.deviations));
  all.back().shape = {attributes(), components()};
  all.push_back(own_array(prefix + "bits", stored_.bits));
  all.back().shape = {attributes() * classes(), packed_row(components())};
  all.push_back(own_array(prefix + "expected_loss", std::vector<float>{stored_.expected_loss}, Purpose::description));
  all.push_back(own_array(prefix + "fitted_on", std::vector<std::uint64_t>{stored_.windows, stored_.units},
                          Purpose::description));
  return all;
}

SpectralPlan::Stored SpectralPlan::stored_from(const std::string& prefix, std::span<const Array> arrays,
                                               std::size_t dimension) {
  const auto values = [&]<class T>(const char* name, T) {
    const auto all = find_array(arrays, prefix + name).as<T>();
    return std::vector<T>(all.begin(), all.end());
  };
  const Array& deviations = find_array(arrays, prefix + "deviation");
  const auto fitted_on = values("fitted_on", std::uint64_t{});
  const auto loss = values("expected_loss", float{});
  if (deviations.shape.size() != 2 || deviations.shape[0] < 1 || deviations.shape[0] > kMostTables ||
      fitted_on.size() != 2 || loss.size() != 1)
    throw misfit();
  return {static_cast<std::uint32_t>(dimension),
          static_cast<std::uint32_t>(deviations.shape[0]),
          fitted_on[0],
          fitted_on[1],
          loss[0],
          values("basis", std::uint8_t{}),
          values("basis_scale", float{}),
          values("deviation", std::uint16_t{}),
          values("bits", std::uint8_t{})};
}

}  // namespace meteor
