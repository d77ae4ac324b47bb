// Every kernel of the instruction set in HEADWISE_ARCHITECTURE, by name; the matrix product,
// softmax and exp at several sizes, beside OpenBLAS and the standard library.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <headwise/core/kernels/dispatch.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "benchmarks.hpp"
#include "numbers.hpp"
#include "products.hpp"

namespace headwise::benchmarks {
namespace {

/// B is packed beforehand, as a layer's weights are.
void multiply_matrices(benchmark::State& state, const ProductShape& shape) {
  const auto [rows, columns, depth] = shape;
  const auto a = random_numbers(rows * depth, 1);
  const auto b = random_numbers(depth * columns, 2);
  std::vector<float> packed(kernels::packed_size(depth, columns));
  kernels::pack_rows(b.data(), columns, depth, columns, packed.data());
  const kernels::PackedMatrix panels = {.panels = packed.data(),
                                        .panel_stride = depth * kernels::panel_width()};
  std::vector<float> c(rows * columns);
  for (auto _ : state) {
    kernels::gemm(rows, columns, depth, {a.data(), depth}, panels, 1.0F, {}, c.data(), columns);
    benchmark::ClobberMemory();
  }
  count_operations(state, shape);
}

/// `run` works in place on rows of `length`. That it works on its own results changes no times: it
/// has no branch that depends on a number.
template <typename Run>
void in_place(benchmark::State& state, std::size_t rows, std::size_t length, Run run) {
  auto numbers = random_numbers(rows * length, 3);
  for (auto _ : state) {
    for (std::size_t row = 0; row < rows; ++row) {
      run(numbers.data() + row * length, length);
    }
    benchmark::ClobberMemory();
  }
  state.counters["elements"] = benchmark::Counter(static_cast<double>(numbers.size()));
}

void exponentiate_by_standard_library(float* values, std::size_t count) noexcept {
  std::transform(values, values + count, values, [](float value) { return std::exp(value); });
}

/// What every kernel below works on: (rows, size) arrays that no kernel lets grow beyond measure.
constexpr std::size_t rows = 64;
constexpr std::size_t size = 512;
constexpr std::size_t floats = rows * size;
constexpr float norm_epsilon = 1e-5F;

struct Arrays {
  std::vector<float> a = random_numbers(floats, 4);
  std::vector<float> b = random_numbers(floats, 5);
  std::vector<float> c = random_numbers(floats, 6);
  std::vector<float> d = random_numbers(floats, 7);
  std::vector<float> e = std::vector<float>(floats, 1.0F);
  std::vector<float> packed = std::vector<float>(kernels::packed_size(size, size));
  std::vector<std::uint8_t> marks = std::vector<std::uint8_t>(floats, 1);
};

/// Runs a kernel over all rows.
template <typename Run>
void by_rows(benchmark::State& state, Run run) {
  Arrays arrays;
  for (auto _ : state) {
    for (std::size_t row = 0; row < rows; ++row) {
      run(arrays, row * size);
    }
    benchmark::ClobberMemory();
  }
  state.counters["elements"] = benchmark::Counter(static_cast<double>(floats));
}

/// Runs a kernel once over all.
template <typename Run>
void at_once(benchmark::State& state, Run run) {
  Arrays arrays;
  for (auto _ : state) {
    run(arrays);
    benchmark::ClobberMemory();
  }
  state.counters["elements"] = benchmark::Counter(static_cast<double>(floats));
}

// A function a kernel, of its name: the list below asks for each.
namespace of {

void pack_rows(benchmark::State& state) {
  at_once(state,
          [](Arrays& x) { kernels::pack_rows(x.a.data(), size, rows, size, x.packed.data()); });
}

void pack_columns(benchmark::State& state) {
  at_once(state,
          [](Arrays& x) { kernels::pack_columns(x.a.data(), size, size, rows, x.packed.data()); });
}

void transpose(benchmark::State& state) {
  at_once(state, [](Arrays& x) {
    kernels::transpose(x.a.data(), size, rows, size, x.packed.data(), rows);
  });
}

void gemm(benchmark::State& state) {
  multiply_matrices(state, {.rows = rows, .columns = size, .depth = size});
}

void gemv(benchmark::State& state) {
  at_once(state, [](Arrays& x) {
    kernels::gemv(x.b.data(), x.a.data(), size, rows, size, 1.0F, x.c.data());
  });
}

void gemv_transposed(benchmark::State& state) {
  at_once(state, [](Arrays& x) {
    kernels::gemv_transposed(x.b.data(), x.a.data(), size, rows, size, x.c.data());
  });
}

/// Integers that are all alike: no branch depends on them.
template <typename Integer>
kernels::QuantizedMatrix integers_of(const std::vector<Integer>& integers,
                                     const std::vector<float>& scales) {
  kernels::QuantizedMatrix matrix{.panel_stride = kernels::quantized_panel_size(size),
                                  .column_scales = scales.data()};
  if constexpr (sizeof(Integer) == 1) {
    matrix.int8 = integers.data();
  } else {
    matrix.int16 = integers.data();
  }
  return matrix;
}

void quantized_gemv(benchmark::State& state) {
  const std::vector<std::int16_t> integers(kernels::packed_size(size, rows), 5);
  at_once(state, [&](Arrays& x) {
    kernels::quantized_gemv(x.b.data(), nullptr, size, integers_of(integers, x.e), rows, 1.0F,
                            nullptr, x.c.data());
  });
}

void quantized_gemm(benchmark::State& state) {
  const std::vector<std::int8_t> integers(kernels::packed_size(size, size), 5);
  at_once(state, [&](Arrays& x) {
    kernels::quantized_gemm(rows, size, size, {.data = x.a.data(), .row_stride = size},
                            integers_of(integers, x.e), {}, x.c.data(), size);
  });
}

void unpack_columns(benchmark::State& state) {
  const std::vector<std::int8_t> integers(kernels::packed_size(size, size), 5);
  at_once(state, [&](Arrays& x) {
    kernels::unpack_columns(integers_of(integers, x.e), size, kernels::panel_width(),
                            x.packed.data());
  });
}

void int4_gemv(benchmark::State& state) {
  const std::vector<float> blocks(kernels::int4_panel_size(size) * rows, 1.0F);
  at_once(state, [&](Arrays& x) {
    kernels::int4_gemv(x.b.data(), size,
                       {.blocks = blocks.data(), .panel_stride = kernels::int4_panel_size(size)},
                       rows, nullptr, x.c.data());
  });
}

void unpack_int4_columns(benchmark::State& state) {
  const std::vector<float> blocks(kernels::int4_panel_size(size), 1.0F);
  at_once(state, [&](Arrays& x) {
    kernels::unpack_int4_columns({.blocks = blocks.data(), .panel_stride = blocks.size()}, size,
                                 kernels::panel_width(), x.packed.data());
  });
}

void exponential(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) { kernels::exponential(x.a.data() + row, size); });
}

void exp_minus_max(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    benchmark::DoNotOptimize(kernels::exp_minus_max(x.a.data() + row, size));
  });
}

void softmax(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) { kernels::softmax(x.a.data() + row, size); });
}

void softmax_gradient(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::softmax_gradient(x.a.data() + row, x.e.data() + row, size, 1.0F);
  });
}

void scale(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) { kernels::scale(x.a.data() + row, size, 1.0F); });
}

void multiply(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::multiply(x.e.data() + row, x.e.data() + (row + size) % floats, size);
  });
}

void add(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::add(x.a.data() + row, x.b.data() + row, size);
  });
}

void add_rows(benchmark::State& state) {
  at_once(state, [](Arrays& x) { kernels::add_rows(x.a.data(), rows, size, x.b.data()); });
}

void scale_heads(benchmark::State& state) {
  at_once(state, [](Arrays& x) {
    constexpr std::size_t num_heads = 8;
    kernels::scale_heads(x.a.data(), x.b.data(), rows, num_heads, size / num_heads, x.c.data());
  });
}

void softcap(benchmark::State& state) {
  by_rows(state,
          [](Arrays& x, std::size_t row) { kernels::softcap(x.a.data() + row, size, 50.0F); });
}

void softcap_gradient(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::softcap_gradient(x.a.data() + row, x.b.data() + row, size, 50.0F);
  });
}

void mask_scores(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    benchmark::DoNotOptimize(kernels::mask_scores(x.a.data() + row, size, x.marks.data() + row, 1));
  });
}

void add_mask_to_scores(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    benchmark::DoNotOptimize(
        kernels::add_mask_to_scores(x.a.data() + row, size, x.b.data() + row, 1));
  });
}

void mark_allowed(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::mark_allowed(x.marks.data(), size, x.marks.data() + (row + size) % floats, 1);
  });
}

void mark_added(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::mark_added(x.marks.data(), size, x.a.data() + row, 1);
  });
}

void all_finite(benchmark::State& state) {
  at_once(state, [](Arrays& x) {
    benchmark::DoNotOptimize(kernels::all_finite(x.a.data(), size, rows, size));
  });
}

void dropout(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::dropout(x.a.data() + row, 0, size,
                     {.key = 1,
                      .row = static_cast<std::uint32_t>(row),
                      .stream = 2,
                      .call = 3,
                      .threshold = 0x19999999U,
                      .kept_scale = 1.0F});
  });
}

void additive_scores(benchmark::State& state) {
  at_once(state, [](Arrays& x) {
    kernels::additive_scores(x.a.data(), x.packed.data(), x.b.data(), rows, size, x.c.data());
  });
}

void additive_scores_gradient(benchmark::State& state) {
  std::vector<float> key_gradients(kernels::packed_size(rows, size));
  at_once(state, [&](Arrays& x) {
    kernels::additive_scores_gradient(x.a.data(), x.packed.data(), x.b.data(), x.c.data(), rows,
                                      size, x.d.data(), key_gradients.data(), x.e.data());
  });
}

void rotate(benchmark::State& state) {
  constexpr std::size_t head_size = 64;
  std::vector<float> rotation(head_size, 0.6F);  // cosines
  std::fill(rotation.begin() + head_size / 2, rotation.end(), 0.8F);
  by_rows(state, [&](Arrays& x, std::size_t row) {
    kernels::rotate(x.a.data() + row, size / head_size, head_size, rotation.data(), head_size,
                    false, false);
  });
}

void layer_norm(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::layer_norm(x.a.data() + row, x.b.data(), x.c.data(), size, norm_epsilon,
                        x.d.data() + row);
  });
}

void layer_norm_gradient(benchmark::State& state) {
  std::vector<float> bias_gradient(size);
  by_rows(state, [&](Arrays& x, std::size_t row) {
    kernels::layer_norm_gradient(x.a.data() + row, x.b.data(), x.c.data() + row, size, norm_epsilon,
                                 x.d.data() + row, x.e.data(), bias_gradient.data());
  });
}

void rms_norm(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::rms_norm(x.a.data() + row, x.b.data(), size, norm_epsilon, x.d.data() + row);
  });
}

void rms_norm_gradient(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::rms_norm_gradient(x.a.data() + row, x.b.data(), x.c.data() + row, size, norm_epsilon,
                               x.d.data() + row, x.e.data());
  });
}

void relu(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::relu(x.a.data() + row, x.b.data() + row, size, x.c.data() + row);
  });
}

void relu_gradient(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::relu_gradient(x.a.data() + row, x.b.data() + row, x.c.data() + row, size,
                           x.d.data() + row, x.e.data() + row);
  });
}

void gelu(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::gelu(x.a.data() + row, x.b.data() + row, size, x.c.data() + row);
  });
}

void gelu_gradient(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::gelu_gradient(x.a.data() + row, x.b.data() + row, x.c.data() + row, size,
                           x.d.data() + row, x.e.data() + row);
  });
}

void gelu_tanh(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::gelu_tanh(x.a.data() + row, x.b.data() + row, size, x.c.data() + row);
  });
}

void gelu_tanh_gradient(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::gelu_tanh_gradient(x.a.data() + row, x.b.data() + row, x.c.data() + row, size,
                                x.d.data() + row, x.e.data() + row);
  });
}

void silu(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::silu(x.a.data() + row, x.b.data() + row, size, x.c.data() + row);
  });
}

void silu_gradient(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    kernels::silu_gradient(x.a.data() + row, x.b.data() + row, x.c.data() + row, size,
                           x.d.data() + row, x.e.data() + row);
  });
}

void sgd_step(benchmark::State& state) {
  at_once(state, [](Arrays& x) {
    kernels::sgd_step(x.a.data(), x.b.data(), x.c.data(), floats,
                      {.learning_rate = 1e-6F, .momentum = 0.9F, .weight_decay = 0.0F});
  });
}

void adam_step(benchmark::State& state) {
  at_once(state, [](Arrays& x) {
    kernels::adam_step(x.a.data(), x.b.data(), x.c.data(), x.e.data(), floats,
                       {0.9F, 0.1F, 0.999F, 0.001F, 1.0F, 1e-6F, 1.0F, 1e-8F});
  });
}

}  // namespace of

// Activations by the standard library, of gated layers as the kernels' are.

float gelu_by_standard_library(float x) {
  return 0.5F * x * (1.0F + std::erf(x / std::numbers::sqrt2_v<float>));
}

float gelu_tanh_by_standard_library(float x) {
  constexpr float scale = 0.797884561F;  // √(2/π)
  return 0.5F * x * (1.0F + std::tanh(scale * (x + 0.044715F * x * x * x)));
}

float silu_by_standard_library(float x) { return x / (1.0F + std::exp(-x)); }

template <float (*Activation)(float)>
void activate_by_standard_library(benchmark::State& state) {
  by_rows(state, [](Arrays& x, std::size_t row) {
    for (std::size_t i = row; i < row + size; ++i) {
      x.c[i] = Activation(x.a[i]) * x.b[i];
    }
  });
}

void register_shape(const std::string& name, const auto& run) {
  benchmark::RegisterBenchmark(name.c_str(), run);
}

}  // namespace

void register_kernels() {
  for (const ProductShape& shape : product_shapes) {
    register_shape(product_name(shape, "headwise"),
                   [shape](benchmark::State& state) { multiply_matrices(state, shape); });
  }
  for (const std::size_t length : {33, 128, 512, 2048}) {
    register_shape(
        "softmax 16x" + std::to_string(length) + "/headwise",
        [length](benchmark::State& state) { in_place(state, 16, length, kernels::softmax); });
  }
  register_shape("exp 4096/headwise",
                 [](benchmark::State& state) { in_place(state, 1, 4096, kernels::exponential); });
  register_shape("exp 4096/standard library", [](benchmark::State& state) {
    in_place(state, 1, 4096, exponentiate_by_standard_library);
  });
#define HEADWISE_REGISTER(kernel) register_shape("kernel " #kernel "/headwise", of::kernel);
  HEADWISE_FOR_EACH_KERNEL(HEADWISE_REGISTER)
#undef HEADWISE_REGISTER
  register_shape("kernel gelu/standard library",
                 activate_by_standard_library<gelu_by_standard_library>);
  register_shape("kernel gelu_tanh/standard library",
                 activate_by_standard_library<gelu_tanh_by_standard_library>);
  register_shape("kernel silu/standard library",
                 activate_by_standard_library<silu_by_standard_library>);
}

}  // namespace headwise::benchmarks
