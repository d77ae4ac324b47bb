#include <headwise/core/kernels/layer_norm.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Loads a vector of which `count` floats exist; `padding` fills the other lanes.
Batch load_at_most(const float* data, std::size_t count, float padding = 0.0F) noexcept {
  if (count >= lanes) {
    return Batch::load_unaligned(data);
  }
  Array<float, lanes> numbers;
  fill(numbers, padding);
  copy(data, count, numbers.data());
  return Batch::load_unaligned(numbers.data());
}

void store_at_most(const Batch& vector, std::size_t count, float* data) noexcept {
  if (count >= lanes) {
    vector.store_unaligned(data);
    return;
  }
  Array<float, lanes> numbers;
  vector.store_unaligned(numbers.data());
  copy(numbers.data(), count, data);
}

void add_at_most(const Batch& vector, std::size_t count, float* data) noexcept {
  store_at_most(load_at_most(data, count) + vector, count, data);
}

/// Mean and 1 / standard deviation of a row.
struct RowMoments {
  float mean;
  float inverse_deviation;
};

RowMoments row_moments(const float* row, std::size_t count) noexcept {
  const auto size = static_cast<float>(count);
  Batch sums(0.0F);
  for (std::size_t i = 0; i < count; i += lanes) {
    sums += load_at_most(row + i, count - i);
  }
  const float mean = xsimd::reduce_add(sums) / size;
  const Batch means(mean);
  Batch squares(0.0F);
  for (std::size_t i = 0; i < count; i += lanes) {
    const Batch distance = load_at_most(row + i, count - i, mean) - means;
    squares = multiply_add(distance, distance, squares);
  }
  const float variance = xsimd::reduce_add(squares) / size;
  const Batch deviation = xsimd::sqrt(Batch(variance + layer_norm_epsilon));
  return {.mean = mean, .inverse_deviation = 1.0F / deviation.get(0)};
}

}  // namespace

void layer_norm(const float* row, const float* HEADWISE_RESTRICT weight,
                const float* HEADWISE_RESTRICT bias, std::size_t count,
                float* normalized) noexcept {
  assert(count >= 1 && row != nullptr && weight != nullptr && bias != nullptr);
  assert(normalized == row || disjoint(normalized, count, row, count));
  assert(disjoint(normalized, count, weight, count) && disjoint(normalized, count, bias, count));
  const RowMoments moments = row_moments(row, count);
  const Batch mean(moments.mean);
  const Batch inverse_deviation(moments.inverse_deviation);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    const Batch standard = (load_at_most(row + i, left) - mean) * inverse_deviation;
    store_at_most(
        multiply_add(standard, load_at_most(weight + i, left), load_at_most(bias + i, left)), left,
        normalized + i);
  }
}

void layer_norm_gradient(const float* HEADWISE_RESTRICT row, const float* HEADWISE_RESTRICT weight,
                         const float* HEADWISE_RESTRICT gradient, std::size_t count,
                         float* HEADWISE_RESTRICT row_gradient,
                         float* HEADWISE_RESTRICT weight_gradient,
                         float* HEADWISE_RESTRICT bias_gradient) noexcept {
  assert(count >= 1 && row != nullptr && weight != nullptr && gradient != nullptr);
  assert(disjoint(row_gradient, count, row, count));
  assert(disjoint(row_gradient, count, gradient, count));
  assert(disjoint(weight_gradient, count, bias_gradient, count));
  const RowMoments moments = row_moments(row, count);
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
    add_at_most(outer, left, bias_gradient + i);
  }
  const auto size = static_cast<float>(count);
  const Batch sum_share(xsimd::reduce_add(sum) / size);
  const Batch product_share(xsimd::reduce_add(products) / size);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    const Batch inner = load_at_most(gradient + i, left) * load_at_most(weight + i, left);
    add_at_most((inner - sum_share - standard_at(i) * product_share) * inverse_deviation, left,
                row_gradient + i);
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
