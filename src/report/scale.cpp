#include "report/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace meteor {
namespace {

constexpr double kMargin = 0.06;  // of the covered range, so that no point lies on the frame

/// The 1, 2 or 5 times a power of ten next above.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (step <= factor * power * 1.0000001) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Scale Scale::linear(double least, double most, bool from_zero) {
  if (from_zero) least = std::min(least, 0.0);
  double range = most - least;
  if (!(range > 0)) range = std::max(std::fabs(most) * 0.1, 1e-3);
  return {from_zero && least == 0 ? 0 : least - kMargin * range, most + kMargin * range, false};
}

Scale Scale::logarithmic(double least, double most) {
  const double range = std::max(std::log10(most / least), 0.1);
  return {least * std::pow(10.0, -kMargin * range), most * std::pow(10.0, kMargin * range), true};
}

double Scale::place(double value) const {
  if (logarithmic_) return std::log(value / low_) / std::log(high_ / low_);
  return (value - low_) / (high_ - low_);
}

std::vector<double> Scale::ticks() const {
  std::vector<double> ticks;
  const double decades = logarithmic_ ? std::log10(high_ / low_) : 0;
  if (decades > 1) {
    const std::vector<double> factors = decades > 2.5 ? std::vector{1.0} : std::vector{1.0, 2.0, 5.0};
    for (double power = std::pow(10.0, std::floor(std::log10(low_))); power <= high_; power *= 10) {
      for (const double factor : factors) {
        if (factor * power >= low_ && factor * power <= high_) ticks.push_back(factor * power);
      }
    }
    return ticks;
  }
  const double step = round_step((high_ - low_) / 5.5);
  for (double multiple = std::ceil(low_ / step - 1e-9); multiple * step <= high_ + 1e-9 * step; ++multiple) {
    ticks.push_back(multiple * step);
  }
  return ticks;
}

std::string tick_text(double value) {
  const double size = std::fabs(value);
  if (size < 1e-12) return "0";
  if (size >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.3g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

}  // namespace meteor
