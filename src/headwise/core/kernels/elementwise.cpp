#include <headwise/core/kernels/elementwise.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Vectors of columns whose sums stay in registers while rows are added to them.
constexpr std::size_t vectors_summed_at_once = 4;

/// `add_rows` for `Vectors` vectors of columns.
template <std::size_t Vectors>
void add_columns(const float* HEADWISE_RESTRICT rows, std::size_t count, std::size_t size,
                 float* HEADWISE_RESTRICT sum) noexcept {
  Array<Batch, Vectors> sums;
  for (std::size_t v = 0; v < Vectors; ++v) {
    sums[v] = Batch::load_unaligned(sum + v * lanes);
  }
  for (std::size_t row = 0; row < count; ++row, rows += size) {
    for (std::size_t v = 0; v < Vectors; ++v) {
      sums[v] += Batch::load_unaligned(rows + v * lanes);
    }
  }
  for (std::size_t v = 0; v < Vectors; ++v) {
    sums[v].store_unaligned(sum + v * lanes);
  }
}

/// visit(i, entry i) for entries that are `stride` apart. Native compilers vectorize the loop over
/// neighbours.
template <typename Entry, typename Function>
void for_each_entry(const Entry* HEADWISE_RESTRICT entries, std::size_t count, std::size_t stride,
                    Function visit) noexcept {
#if !defined(__wasm__)
  if (stride == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      visit(i, entries[i]);
    }
    return;
  }
#endif
  for (std::size_t i = 0; i < count; ++i) {
    visit(i, entries[i * stride]);
  }
}

}  // namespace

[[gnu::noinline]] Batch hyperbolic_tangent(const Batch& x) noexcept { return xsimd::tanh(x); }

[[gnu::noinline]] void scale(float* values, std::size_t count, float factor) noexcept {
  assert(holds(values, count));
  const Batch factors(factor);
  for_each_vector(values, count, [&](const Batch& value) { return value * factors; });
}

void multiply(float* HEADWISE_RESTRICT values, const float* HEADWISE_RESTRICT factors,
              std::size_t count) noexcept {
  assert(holds(values, count) && holds(factors, count));
  assert(disjoint(values, count, factors, count));
  for_each_vector(values, factors, count,
                  [](const Batch& value, const Batch& factor) { return value * factor; });
}

void add(float* HEADWISE_RESTRICT values, const float* HEADWISE_RESTRICT others,
         std::size_t count) noexcept {
  assert(holds(values, count) && holds(others, count));
  assert(disjoint(values, count, others, count));
  for_each_vector(values, others, count,
                  [](const Batch& value, const Batch& other) { return value + other; });
}

void add_rows(const float* HEADWISE_RESTRICT rows, std::size_t count, std::size_t size,
              float* HEADWISE_RESTRICT sum) noexcept {
  assert(holds(rows, count * size) && holds(sum, size));
  assert(disjoint(sum, size, rows, count * size));
  if (count == 0) {
    return;  // Without rows, the pointer may be null.
  }
  std::size_t i = 0;
  for (; i + vectors_summed_at_once * lanes <= size; i += vectors_summed_at_once * lanes) {
    add_columns<vectors_summed_at_once>(rows + i, count, size, sum + i);
  }
  for (; i + lanes <= size; i += lanes) {
    add_columns<1>(rows + i, count, size, sum + i);
  }
  for (std::size_t row = 0; i < size && row < count; ++row) {
    for (std::size_t k = i; k < size; ++k) {
      sum[k] += rows[row * size + k];
    }
  }
}

void scale_heads(const float* heads, const float* HEADWISE_RESTRICT factors, std::size_t rows,
                 std::size_t num_heads, std::size_t size, float* scaled) noexcept {
  const std::size_t total = rows * num_heads * size;
  assert(holds(heads, total) && holds(scaled, total));
  assert(scaled == heads || disjoint(scaled, total, heads, total));
  if (factors == nullptr) {
    copy(heads, total, scaled);
    return;
  }
  assert(disjoint(scaled, total, factors, num_heads));
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t head = 0; head < num_heads; ++head, heads += size, scaled += size) {
      const Batch factor(factors[head]);
      std::size_t i = 0;
      for (; i + lanes <= size; i += lanes) {
        (Batch::load_unaligned(heads + i) * factor).store_unaligned(scaled + i);
      }
      for (; i < size; ++i) {
        scaled[i] = heads[i] * factors[head];
      }
    }
  }
}

void softcap(float* scores, std::size_t count, float cap) noexcept {
  assert(holds(scores, count));
  assert(cap > 0.0F);
  const Batch caps(cap);
  for_each_vector(scores, count,
                  [&](const Batch& score) { return caps * hyperbolic_tangent(score / caps); });
}

void softcap_gradient(float* HEADWISE_RESTRICT gradients, const float* HEADWISE_RESTRICT capped,
                      std::size_t count, float cap) noexcept {
  assert(holds(gradients, count) && holds(capped, count));
  assert(disjoint(gradients, count, capped, count));
  assert(cap > 0.0F);
  const Batch caps(cap);
  for_each_vector(gradients, capped, count, [&](const Batch& gradient, const Batch& score) {
    const Batch tangent = score / caps;
    return gradient * (Batch(1.0F) - tangent * tangent);
  });
}

bool mask_scores(float* HEADWISE_RESTRICT scores, std::size_t count,
                 const std::uint8_t* HEADWISE_RESTRICT allowed, std::size_t stride) noexcept {
  assert(holds(scores, count) && holds(allowed, count));
  assert(disjoint(scores, count, allowed, span_of(count, 1, stride)));
  if (count > 0 && stride == 0) {
    if (*allowed == 0) {
      fill(scores, count, minus_infinity);
    }
    return *allowed != 0;
  }
  std::uint8_t any = 0;
  for_each_entry(allowed, count, stride, [&](std::size_t i, std::uint8_t entry) {
    any |= entry;
    scores[i] = entry != 0 ? scores[i] : minus_infinity;
  });
  return any != 0;
}

bool add_mask_to_scores(float* HEADWISE_RESTRICT scores, std::size_t count,
                        const float* HEADWISE_RESTRICT added, std::size_t stride) noexcept {
  assert(holds(scores, count) && holds(added, count));
  assert(disjoint(scores, count, added, span_of(count, 1, stride)));
  std::size_t i = 0;
  bool any = false;
  if (stride == 1) {
    const Batch masked(minus_infinity);
    xsimd::batch_bool<float> left(false);
    for (; i + lanes <= count; i += lanes) {
      const Batch addend = Batch::load_unaligned(added + i);
      const Batch sum = Batch::load_unaligned(scores + i) + addend;
      const auto is_allowed = addend != masked;
      left = left | is_allowed;
      xsimd::select(is_allowed, sum, masked).store_unaligned(scores + i);
    }
    any = xsimd::any(left);
  }
  for (; i < count; ++i) {
    const float addend = added[i * stride];
    const bool is_allowed = addend != minus_infinity;
    any = any || is_allowed;
    scores[i] = is_allowed ? scores[i] + addend : minus_infinity;
  }
  return any;
}

void mark_allowed(std::uint8_t* HEADWISE_RESTRICT marks, std::size_t count,
                  const std::uint8_t* HEADWISE_RESTRICT allowed, std::size_t stride) noexcept {
  assert(holds(marks, count) && holds(allowed, count));
  assert(disjoint(marks, count, allowed, span_of(count, 1, stride)));
  for_each_entry(allowed, count, stride, [&](std::size_t i, std::uint8_t entry) {
    marks[i] = entry != 0 ? std::uint8_t{1} : marks[i];
  });
}

void mark_added(std::uint8_t* HEADWISE_RESTRICT marks, std::size_t count,
                const float* HEADWISE_RESTRICT added, std::size_t stride) noexcept {
  assert(holds(marks, count) && holds(added, count));
  assert(disjoint(marks, count, added, span_of(count, 1, stride)));
  for_each_entry(added, count, stride, [&](std::size_t i, float entry) {
    marks[i] = entry != minus_infinity ? std::uint8_t{1} : marks[i];
  });
}

bool all_finite(const float* matrix, std::size_t row_stride, std::size_t rows,
                std::size_t columns) noexcept {
  assert(rows <= 1 || row_stride >= columns);
  assert(holds(matrix, rows * columns));
  const std::size_t vectorized = columns / lanes * lanes;
  // x · 0 is 0 for finite x and NaN otherwise, and NaN propagates through sums.
  Batch sums(0.0F);
  float sum = 0.0F;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* values = matrix + row * row_stride;
    for (std::size_t i = 0; i < vectorized; i += lanes) {
      sums += Batch::load_unaligned(values + i) * Batch(0.0F);
    }
    for (std::size_t i = vectorized; i < columns; ++i) {
      sum += values[i] * 0.0F;
    }
  }
  return xsimd::reduce_add(sums) + sum == 0.0F;
}

}  // namespace headwise::kernels::HEADWISE_TARGET
