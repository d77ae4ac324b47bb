#include <headwise/core/kernels/norms.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// What is subtracted from a row and what it is multiplied by: the mean and 1 / standard deviation
/// of a layer norm, 0 and 1 / root mean square of an RMS norm.
struct RowMoments {
  float mean;
  float inverse_deviation;
};

/// The moments of a row about this mean.
RowMoments moments_about(float mean, const float* row, std::size_t count, float epsilon) noexcept {
  const Batch means(mean);
  Batch squares(0.0F);
  for (std::size_t i = 0; i < count; i += lanes) {
    const Batch distance = load_at_most(row + i, count - i, mean) - means;
    squares = multiply_add(distance, distance, squares);
  }
  const float variance = xsimd::reduce_add(squares) / static_cast<float>(count);
  const Batch deviation = xsimd::sqrt(Batch(variance + epsilon));
  return {.mean = mean, .inverse_deviation = 1.0F / deviation.get(0)};
}

RowMoments row_moments(const float* row, std::size_t count, float epsilon) noexcept {
  Batch sums(0.0F);
  for (std::size_t i = 0; i < count; i += lanes) {
    sums += load_at_most(row + i, count - i);
  }
  return moments_about(xsimd::reduce_add(sums) / static_cast<float>(count), row, count, epsilon);
}

/// Both norms of a row with these moments; a null `bias` is zeros.
void normalize(const RowMoments& moments, const float* row, const float* HEADWISE_RESTRICT weight,
               const float* HEADWISE_RESTRICT bias, std::size_t count, float* normalized) noexcept {
  const Batch mean(moments.mean);
  const Batch inverse_deviation(moments.inverse_deviation);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    const Batch standard = (load_at_most(row + i, left) - mean) * inverse_deviation;
    const Batch shift = bias != nullptr ? load_at_most(bias + i, left) : Batch(0.0F);
    store_at_most(multiply_add(standard, load_at_most(weight + i, left), shift), left,
                  normalized + i);
  }
}

/// The gradients of both norms. `MeanMoves`: the mean is that of the row, and not the constant 0.
template <bool MeanMoves>
void normalize_backward(const RowMoments& moments, const float* HEADWISE_RESTRICT row,
                        const float* HEADWISE_RESTRICT weight,
                        const float* HEADWISE_RESTRICT gradient, std::size_t count,
                        float* HEADWISE_RESTRICT row_gradient,
                        float* HEADWISE_RESTRICT weight_gradient,
                        float* HEADWISE_RESTRICT bias_gradient) noexcept {
  const Batch mean(moments.mean);
  const Batch inverse_deviation(moments.inverse_deviation);
  // The normalized row, before weight and bias.
  const auto standard_at = [&](std::size_t i) {
    return (load_at_most(row + i, count - i, moments.mean) - mean) * inverse_deviation;
  };
  Batch sum(0.0F);
  Batch products(0.0F);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    const Batch outer = load_at_most(gradient + i, left);
    const Batch standard = standard_at(i);
    const Batch inner = outer * load_at_most(weight + i, left);
    sum += inner;
    products = multiply_add(inner, standard, products);
    add_at_most(outer * standard, left, weight_gradient + i);
    if (bias_gradient != nullptr) {
      add_at_most(outer, left, bias_gradient + i);
    }
  }
  const auto size = static_cast<float>(count);
  const Batch sum_share(MeanMoves ? xsimd::reduce_add(sum) / size : 0.0F);
  const Batch product_share(xsimd::reduce_add(products) / size);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    const Batch inner = load_at_most(gradient + i, left) * load_at_most(weight + i, left);
    add_at_most((inner - sum_share - standard_at(i) * product_share) * inverse_deviation, left,
                row_gradient + i);
  }
}

}  // namespace

void layer_norm(const float* row, const float* weight, const float* bias, std::size_t count,
                float epsilon, float* normalized) noexcept {
  assert(count >= 1 && row != nullptr && weight != nullptr && normalized != nullptr);
  assert(epsilon >= 0.0F);
  assert(normalized == row || disjoint(normalized, count, row, count));
  assert(disjoint(normalized, count, weight, count));
  assert(bias == nullptr || disjoint(normalized, count, bias, count));
  normalize(row_moments(row, count, epsilon), row, weight, bias, count, normalized);
}

void layer_norm_gradient(const float* row, const float* weight, const float* gradient,
                         std::size_t count, float epsilon, float* row_gradient,
                         float* weight_gradient, float* bias_gradient) noexcept {
  assert(count >= 1 && row != nullptr && weight != nullptr && gradient != nullptr);
  assert(row_gradient != nullptr && weight_gradient != nullptr && epsilon >= 0.0F);
  assert(disjoint(row_gradient, count, row, count));
  assert(disjoint(row_gradient, count, gradient, count));
  assert(bias_gradient == nullptr || disjoint(weight_gradient, count, bias_gradient, count));
  normalize_backward<true>(row_moments(row, count, epsilon), row, weight, gradient, count,
                           row_gradient, weight_gradient, bias_gradient);
}

void rms_norm(const float* row, const float* weight, std::size_t count, float epsilon,
              float* normalized) noexcept {
  assert(count >= 1 && row != nullptr && weight != nullptr && normalized != nullptr);
  assert(epsilon >= 0.0F);
  assert(normalized == row || disjoint(normalized, count, row, count));
  assert(disjoint(normalized, count, weight, count));
  normalize(moments_about(0.0F, row, count, epsilon), row, weight, nullptr, count, normalized);
}

void rms_norm_gradient(const float* row, const float* weight, const float* gradient,
                       std::size_t count, float epsilon, float* row_gradient,
                       float* weight_gradient) noexcept {
  assert(count >= 1 && row != nullptr && weight != nullptr && gradient != nullptr);
  assert(row_gradient != nullptr && weight_gradient != nullptr && epsilon >= 0.0F);
  assert(disjoint(row_gradient, count, row, count));
  assert(disjoint(row_gradient, count, gradient, count));
  normalize_backward<false>(moments_about(0.0F, row, count, epsilon), row, weight, gradient, count,
                            row_gradient, weight_gradient, nullptr);
}

}  // namespace headwise::kernels::HEADWISE_TARGET
