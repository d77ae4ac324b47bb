#include <headwise/core/kernels/activations.hpp>
#include <headwise/core/kernels/exponential.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// An activation and its derivative at the same x.
struct Activated {
  Batch value, derivative;
};

struct Relu {
  Activated operator()(const Batch& x) const noexcept {
    const Batch zero(0.0F);
    const Batch one_or_nan = xsimd::select(x > zero, Batch(1.0F), x);
    return {.value = max_keeping_nan(x, zero),
            .derivative = xsimd::select(x <= zero, zero, one_or_nan)};
  }
};

/// f for all x from f for x ≤ 0. Each of these activations is x · S(x) with S(x) = 1 − S(−x), so
/// that f(x) = x + f(−x), which loses no digits for x > 0, and f′(x) = 1 − f′(−x).
/// Below `Negative::lowest` both f and f′ round to 0.
template <typename Negative>
class FromNegative {
 public:
  Activated operator()(const Batch& x) const noexcept {
    const Batch zero(0.0F);
    const Batch bounded = max_keeping_nan(-xsimd::abs(x), Batch(Negative::lowest));
    const Activated reflected = negative_(bounded);
    const auto is_negative = x < zero;
    return {.value = xsimd::select(is_negative, reflected.value, x + reflected.value),
            .derivative = xsimd::select(is_negative, reflected.derivative,
                                        Batch(1.0F) - reflected.derivative)};
  }

 private:
  Negative negative_;
};

/// x · σ(v) and its derivative for x ≤ 0, given exp(v), and v′ · x. σ is the logistic function.
Activated times_logistic(const Batch& x, const ExponentialParts& exp_v,
                         const Batch& growth) noexcept {
  const Batch one(1.0F);
  const Batch divisor = one + exp_v.times(one);
  return {.value = exp_v.times(x / divisor),
          .derivative = exp_v.times((divisor + growth) / (divisor * divisor))};
}

class NegativeSilu {
 public:
  static constexpr float lowest = -110.0F;

  Activated operator()(const Batch& x) const noexcept {
    return times_logistic(x, exponential_.parts(x), x);
  }

 private:
  Exponential<> exponential_;
};

/// A number on a grid, and what is left of the number that was rounded to it.
struct Split {
  Batch high, low;
};

/// x as a multiple of the unit in the last place of `magic`, and the rest: exact.
Split split(const Batch& x, const Batch& magic) noexcept {
  const Batch high = (x + magic) - magic;
  return {.high = high, .low = x - high};
}

/// An error of exp's argument is a relative error of its result. v = 2 √(2/π) (x + 0.044715 x³)
/// grows to 112 in size: rounded to a float, it would leave the last 6 bits of exp(v) wrong. So v
/// is computed as a sum: v = c y with y = x (x² + d), exp(v) = 2ⁿ exp(c (y − n s)) with s = ln 2 /
/// c. The larger parts of y and of n s are multiples of 2⁻¹² of at most 24 bits, and their
/// difference has no error.
class NegativeGeluTanh {
 public:
  static constexpr float lowest = -11.0F;

  Activated operator()(const Batch& x) const noexcept {
    const auto [x_high, x_low] = split(x, constants_[magic_8_bits]);
    // x² + d = sum + sum_low: multiples of 2⁻¹⁶ and a remainder.
    const Batch sum = x_high * x_high + constants_[d_high];
    const Batch sum_low = multiply_add(x_low, x + x_high, constants_[d_low]);
    const auto [sum_high, sum_middle] = split(sum, constants_[magic_4_bits]);
    const Batch y_high = x_high * sum_high;
    const Batch y_low = multiply_add(x_high, sum_middle + sum_low, x_low * (sum + sum_low));
    const Batch shifted =
        multiply_add(y_high + y_low, constants_[c_log2_e], constants_[magic_0_bits]);
    const Batch n = shifted - constants_[magic_0_bits];
    const Batch reduced = multiply_add(n, constants_[minus_step_high], y_high) +
                          multiply_add(n, constants_[minus_step_low], y_low);
    // v′ · x = x (2 √(2/π) + 3 c x²)
    const Batch growth =
        x * multiply_add(x * x, constants_[three_c], constants_[two_root_two_over_pi]);
    return times_logistic(x, exponential_.parts_of_remainder(reduced * constants_[c], shifted),
                          growth);
  }

 private:
  enum Constant : std::uint8_t {
    magic_8_bits,
    magic_4_bits,
    magic_0_bits,
    d_high,
    d_low,
    c,
    c_log2_e,
    minus_step_high,
    minus_step_low,
    three_c,
    two_root_two_over_pi,
    num_constants
  };
  // A number as large as `magic_…_bits` has so many bits after the point; d = 1 / 0.044715,
  // c = 2 √(2/π) · 0.044715, `step` is s.
  static constexpr Array<float, num_constants> values = {
      49152.0F,         786432.0F,     12582912.0F,  0x1.65d26p+4F,
      -0x1.226128p-20F, 0.0713548163F, 0.102943242F, -9.714111328125F,
      2.03001018e-05F,  0.214064449F,  1.59576912F};
  Constants<num_constants, values> constants_;
  Exponential<> exponential_;
};

/// Φ(−t) = exp(−t² / 2) M(t), where M is Mills' ratio divided by √(2π), and 1 / M(t) grows as
/// √(2π) t: 1 / M = √(2π) t + P / Q, M = Q / (√(2π) t Q + P) with polynomials P and Q of t that are
/// minimax on 0 ≤ t ≤ 15, with a relative error of 2⁻²⁸. Their coefficients are positive, so that
/// nothing cancels, and rounding errors of P and Q hardly count where t is large. t² is a sum, as v
/// is above.
class NegativeGelu {
 public:
  static constexpr float lowest = -15.0F;

  Activated operator()(const Batch& x) const noexcept {
    const auto [x_high, x_low] = split(x, constants_[magic_8_bits]);
    const Batch minus_half = constants_[minus_one_half];
    const ExponentialParts density =
        exponential_.parts(x_high * x_high * minus_half, x_low * (x + x_high) * minus_half);
    // Not −x: xsimd's is a function that objects of all instruction sets would share at -O1.
    const Batch t = 0.0F - x;
    Batch p = constants_[p4];
    for (std::size_t i = p3; i <= p0; ++i) {
      p = multiply_add(p, t, constants_[i]);
    }
    Batch q = constants_[q5];
    for (std::size_t i = q4; i <= q0; ++i) {
      q = multiply_add(q, t, constants_[i]);
    }
    const Batch xq = x * q;
    const Batch divisor = multiply_add(xq, constants_[minus_root_two_pi], p);
    return {.value = density.times(xq / divisor),
            .derivative =
                density.times(multiply_add(x, constants_[one_over_root_two_pi], q / divisor))};
  }

 private:
  enum Constant : std::uint8_t {
    magic_8_bits,
    minus_one_half,
    minus_root_two_pi,
    one_over_root_two_pi,
    p4,
    p3,
    p2,
    p1,
    p0,
    q5,
    q4,
    q3,
    q2,
    q1,
    q0,
    num_constants
  };
  static constexpr Array<float, num_constants> values = {
      49152.0F,       -0.5F,          -2.50662827F,   0.398942292F,   0x1.68fce2p+1F,
      0x1.0d1952p+5F, 0x1.75bf76p+7F, 0x1.1a67fep+9F, 0x1.bed32ap+9F, 1.125F,
      0x1.ad96dep+3F, 0x1.32bd24p+6F, 0x1.fb5f6ap+7F, 0x1.e5e74cp+8F, 0x1.bed32ap+8F};
  Constants<num_constants, values> constants_;
  Exponential<> exponential_;
};

template <typename Activation>
void activate(const float* x, const float* up, std::size_t count, float* y) noexcept {
  assert(holds(x, count) && holds(y, count));
  assert(y == x || disjoint(y, count, x, count));
  assert(up == nullptr || y == up || disjoint(y, count, up, count));
  const Activation activation;
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    Batch value = activation(load_at_most(x + i, left)).value;
    if (up != nullptr) {
      value = value * load_at_most(up + i, left);
    }
    store_at_most(value, left, y + i);
  }
}

template <typename Activation>
void activate_backward(const float* HEADWISE_RESTRICT x, const float* HEADWISE_RESTRICT up,
                       const float* grad, std::size_t count, float* grad_x,
                       float* HEADWISE_RESTRICT grad_up) noexcept {
  assert(holds(x, count) && holds(grad, count) && holds(grad_x, count));
  assert(grad_x == grad || disjoint(grad_x, count, grad, count));
  assert(disjoint(grad_x, count, x, count));
  if (up != nullptr) {
    assert(holds(grad_up, count) && disjoint(grad_x, count, up, count));
    assert(disjoint(grad_up, count, x, count) && disjoint(grad_up, count, up, count));
    assert(disjoint(grad_up, count, grad, count) && disjoint(grad_up, count, grad_x, count));
  }
  const Activation activation;
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    const auto [value, derivative] = activation(load_at_most(x + i, left));
    Batch outer = load_at_most(grad + i, left);
    if (up != nullptr) {
      store_at_most(outer * value, left, grad_up + i);
      outer = outer * load_at_most(up + i, left);
    }
    store_at_most(outer * derivative, left, grad_x + i);
  }
}

}  // namespace

// A kernel of an activation and its gradient, by its name.
#define HEADWISE_DEFINE(name, Activation)                                                     \
  void name(const float* x, const float* up, std::size_t count, float* y) noexcept {          \
    activate<Activation>(x, up, count, y);                                                    \
  }                                                                                           \
  void name##_gradient(const float* x, const float* up, const float* grad, std::size_t count, \
                       float* grad_x, float* grad_up) noexcept {                              \
    activate_backward<Activation>(x, up, grad, count, grad_x, grad_up);                       \
  }
HEADWISE_DEFINE(relu, Relu)
HEADWISE_DEFINE(gelu, FromNegative<NegativeGelu>)
HEADWISE_DEFINE(gelu_tanh, FromNegative<NegativeGeluTanh>)
HEADWISE_DEFINE(silu, FromNegative<NegativeSilu>)
#undef HEADWISE_DEFINE

}  // namespace headwise::kernels::HEADWISE_TARGET
