#pragma once

#include <string>
#include <vector>

namespace meteor {

/// Maps values of an axis to places between two ends, linearly or by their logarithms.
class Scale {
 public:
  /// Covers least to most and a little around them. A logarithmic one needs values above 0. `from_zero` lets a linear
  /// one begin at 0 exactly.
  static Scale linear(double least, double most, bool from_zero = false);
  static Scale logarithmic(double least, double most);

  /// 0 at the lower end, 1 at the upper.
  double place(double value) const;
  /// Round values between the ends, about five of them.
  std::vector<double> ticks() const;

 private:
  Scale(double low, double high, bool logarithmic) : low_(low), high_(high), logarithmic_(logarithmic) {}

  double low_, high_;
  bool logarithmic_;
};

/// A round value without digits that it does not need: "0.05", "20", "5k".
std::string tick_text(double value);

}  // namespace meteor
