#pragma once

#include "problem.hpp"

namespace headwise::test {

/// How far a call's results in float32 may lie from those in float64.
struct Rounding {
  double weights = 0;
  double output = 0;
  /// Of the weights, relative to each.
  double relative_weights = 0;
  /// Of a layer's tensors, by their names in `Inside`.
  std::map<std::string, double> inside = {};
};

/// Bounds from the formula run on absolute values, which is what rounding errors are relative to: a
/// sum of n products strays by at most n · 2⁻²⁴ of the sum of their magnitudes (Higham 2002, §3.1).
/// Inputs must be finite.
Rounding rounding_of(const Problem& problem);

/// The call with every number replaced by its magnitude.
Problem magnitudes(Problem problem);

/// 2⁻²⁴, the largest relative error of one operation.
inline constexpr double unit_roundoff = 1.0 / (1 << 24);

}  // namespace headwise::test
