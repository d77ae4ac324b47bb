#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/attention/pooling_backward.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <headwise/core/models/layer_probe.hpp>

namespace headwise {
namespace {

using enum ActivationName;

/// Σ weight · row of values: kernels are exact for finite values only, since 0 · NaN is NaN.
void weighted_sum(const float* weights, const Rows& values, std::size_t keys, std::size_t size,
                  float* sum) noexcept {
  kernels::gemv_transposed(weights, values.data, values.stride, keys, size, sum);
  if (!kernels::all_finite(sum, size, 1, size)) {
    write_zeros(sum, size);
    gemm_skipping_zeros(1, size, keys, {.data = weights, .row_stride = keys}, values, 1.0F, sum,
                        size);
  }
}

double dot(const float* a, const float* b, std::size_t size) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

/// −Σ p ln p of the weights p = factor · weight.
float entropy(const float* weights, std::size_t count, float factor) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double p = static_cast<double>(weights[i]) * static_cast<double>(factor);
    // A weight that is NaN makes the entropy NaN.
    sum -= p == 0 ? 0 : p * std::log(p);
  }
  return static_cast<float>(sum);
}

float gate_of(const float* gates, std::size_t stride, std::size_t sample,
              std::size_t head) noexcept {
  return gates != nullptr ? gates[sample * stride + head] : 1.0F;
}

}  // namespace

LayerProbeBuffers LayerProbeBuffers::lay_out(Arena& arena, std::uint32_t names, std::size_t batch,
                                             std::size_t heads, std::size_t queries,
                                             std::size_t keys, std::size_t num_hiddens) noexcept {
  const auto take = [&](ActivationName name, auto... sizes) {
    const bool is_wanted = (names & bit_of(name)) != 0;
    return arena.take(std::size_t{is_wanted ? 1U : 0U}, sizes...);
  };
  return {.query_places = arena.take<std::int32_t>(queries),
          .pattern = take(ActivationName::pattern, batch, heads, queries, keys),
          .row_entropy = take(ActivationName::row_entropy, batch, heads, queries),
          .head_out = take(ActivationName::head_out, batch, heads, queries, num_hiddens)};
}

ActivationView LayerProbe::view(const HeadsView<float>& heads, std::size_t num_heads,
                                std::size_t rows, std::size_t size) const noexcept {
  return {.data = heads,
          .batch = arguments_->mask->batch,
          .heads = num_heads,
          .rows = rows,
          .size = size};
}

ActivationView LayerProbe::weights_view(float* weights) const noexcept {
  const AttentionMask& mask = *arguments_->mask;
  const std::size_t num_heads = layer_->num_heads();
  return view(separate_heads_view(weights, num_heads, mask.num_queries, mask.num_keys), num_heads,
              mask.num_queries, mask.num_keys);
}

bool LayerProbe::reads_all_keys() const noexcept {
  return std::ranges::any_of(std::array{keys, values, pattern},
                             [&](ActivationName name) { return probe_->touches(at(name)); });
}

void LayerProbe::projected(const HeadsOfPass& heads) noexcept {
  const LayerSettings& settings = layer_->settings();
  const std::size_t size = settings.head_size;
  probe_->visit(at(queries),
                view(heads.queries, settings.num_heads, arguments_->mask->num_queries, size));
  const std::size_t new_keys = arguments_->num_new_keys;
  probe_->patch(at(keys), view(heads.keys, settings.num_kv_heads, new_keys, size));
  probe_->patch(at(values), view(heads.values, settings.num_kv_heads, new_keys, size));
}

/// Copies keys or values, cached ones included.
void LayerProbe::capture_keys(const PoolingArguments& pooling, ActivationName name) const noexcept {
  const ActivationCapture* wanted = probe_->capture(at(name));
  if (wanted == nullptr) {
    return;
  }
  const HeadsView<const float>& heads = name == keys ? pooling.keys : pooling.values;
  const AttentionMask& mask = *arguments_->mask;
  const std::size_t size = pooling.key_size;
  const bool is_whole = is_captured_whole(name, side_, arguments_->cache != nullptr);
  const ActivationPatch all{.positions = is_whole ? nullptr : probe_->positions,
                            .num_positions = probe_->num_positions};
  for_each_chosen_row(
      all, mask.batch, pooling.num_kv_heads, mask.num_keys,
      [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t number) {
        float* to = wanted->to + number * size;
        if (pooling.quantized != nullptr) {
          pooling.quantized->read(sample, head, {.begin = row, .end = row + 1},
                                  name == keys ? to : nullptr, name == keys ? nullptr : to);
        } else {
          std::copy_n(heads.head(sample, head) + row * heads.row_stride, size, to);
        }
      });
}

void LayerProbe::before_pooling(PoolingArguments& pooling) noexcept {
  capture_keys(pooling, keys);
  capture_keys(pooling, values);
  WeightRows rows;
  if (probe_->positions != nullptr) {
    std::fill_n(buffers_.query_places, arguments_->mask->num_queries, -1);
    for (std::size_t i = 0; i < probe_->num_positions; ++i) {
      buffers_.query_places[probe_->positions[i]] = static_cast<std::int32_t>(i);
    }
    rows = {.query_places = buffers_.query_places, .num_queries = probe_->num_positions};
  }
  const auto capture_weights = [&](ActivationName name, WeightsStage stage, WeightsOutput& output) {
    if (const ActivationCapture* wanted = probe_->capture(at(name)); wanted != nullptr) {
      output = {.to = wanted->to, .rows = rows, .stage = stage};
    }
  };
  capture_weights(scores, WeightsStage::masked, pooling.weights[1]);
  capture_weights(pattern, WeightsStage::softmax, pooling.weights[2]);
  capture_weights(dropped_weights, WeightsStage::softmax, pooling.dropped_weights);
  if (probe_->patches_any(at(pattern))) {
    pooling.weights[0] = {.to = buffers_.pattern};
    pooling.weights[2] = {};
  }
  if (const ActivationCapture* wanted = probe_->capture(at(key_mass)); wanted != nullptr) {
    pooling.key_mass = wanted->to;
  }
  if (probe_->touches(at(row_entropy))) {
    pooling.row_measures = buffers_.row_entropy;
    pooling.measure = entropy;
  }
}

/// Pools the rows whose weights were replaced once more, and measures their weights.
void LayerProbe::pool_patched_rows(const PoolingArguments& pooling) const noexcept {
  const ActivationView weights = weights_view(buffers_.pattern);
  const std::size_t group = pooling.num_heads / pooling.num_kv_heads;
  const std::size_t kept_size =
      kept_floats(pattern, arguments_->mask->num_keys, pooling.value_size);
  probe_->for_each_patch(at(pattern), [&](const ActivationPatch& patch) {
    for_each_chosen_row(
        patch, weights.batch, weights.heads, weights.rows,
        [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t number) {
          const float* of_row = weights.data.head(sample, head) + row * weights.size;
          const std::size_t place = (sample * weights.heads + head) * weights.rows + row;
          if (float* dropped = row_of(pooling, pooling.dropped_weights, sample, head, row);
              dropped != nullptr) {
            std::copy_n(of_row, weights.size, dropped);
          }
          if (pooling.row_measures != nullptr) {
            pooling.row_measures[place] = entropy(of_row, weights.size, 1.0F);
          }
          weighted_sum(of_row,
                       {.data = pooling.values.head(sample, head / group),
                        .stride = pooling.values.row_stride},
                       weights.size, pooling.value_size,
                       pooling.pooled.head(sample, head) + row * pooling.pooled.row_stride);
          if (patch.kept != nullptr) {
            std::copy_n(of_row, weights.size, patch.kept + number * kept_size);
          }
        });
  });
  if (pooling.key_mass == nullptr) {
    return;
  }
  write_zeros(pooling.key_mass, weights.batch * weights.heads * weights.size);
  for_each_chosen_row({}, weights.batch, weights.heads, weights.rows,
                      [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t) {
                        kernels::add(
                            pooling.key_mass + (sample * weights.heads + head) * weights.size,
                            weights.data.head(sample, head) + row * weights.size, weights.size);
                      });
}

/// Copies the rows of the weights that the caller asked for.
void LayerProbe::return_weights(const PoolingArguments& pooling) const noexcept {
  const ActivationView weights = weights_view(buffers_.pattern);
  for_each_chosen_row(
      {}, weights.batch, weights.heads, weights.rows,
      [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t) {
        if (float* to = row_of(pooling, arguments_->weights, sample, head, row); to != nullptr) {
          std::copy_n(weights.data.head(sample, head) + row * weights.size, weights.size, to);
        }
      });
}

void LayerProbe::after_pooling(const PoolingArguments& pooling) noexcept {
  const AttentionMask& mask = *arguments_->mask;
  if (mask.batch * mask.num_queries == 0) {
    return;  // Views may be null.
  }
  if (probe_->patches_any(at(pattern))) {
    probe_->visit(at(pattern), weights_view(buffers_.pattern));
    pool_patched_rows(pooling);
    return_weights(pooling);
  }
  const std::size_t num_heads = layer_->num_heads();
  const auto visit_heads = [&](ActivationName name, const HeadsView<float>& heads,
                               std::size_t size) {
    probe_->visit(at(name), view(heads, num_heads, mask.num_queries, size));
  };
  if (probe_->touches(at(row_entropy))) {
    visit_heads(row_entropy,
                separate_heads_view(buffers_.row_entropy, num_heads, mask.num_queries, 1), 1);
  }
  visit_heads(z, pooling.pooled, pooling.value_size);
  if (probe_->patches_any(at(head_out))) {
    project_heads(pooling.pooled, nullptr, 0, buffers_.head_out);
    const std::size_t width = layer_->parameters()->linear(parameter_number::W_o).sizes.out;
    visit_heads(head_out,
                separate_heads_view(buffers_.head_out, num_heads, mask.num_queries, width), width);
    // W_o is not to add what is replaced.
    probe_->clear_patched(at(head_out),
                          view(pooling.pooled, num_heads, mask.num_queries, pooling.value_size));
  } else if (const ActivationCapture* wanted = probe_->capture(at(head_out)); wanted != nullptr) {
    project_heads(pooling.pooled, probe_->positions, probe_->num_positions, wanted->to);
  }
}

/// Computes what each head adds to the output at these positions; null is all.
void LayerProbe::project_heads(const HeadsView<float>& pooled, const std::int32_t* positions,
                               std::size_t num_positions, float* to) const noexcept {
  const AttentionMask& mask = *arguments_->mask;
  const LayerSettings& settings = layer_->settings();
  const Linear W_o = layer_->parameters()->linear(parameter_number::W_o);
  const std::size_t rows = positions != nullptr ? num_positions : mask.num_queries;
  const auto position_of = [&](std::size_t i) {
    return positions != nullptr ? static_cast<std::size_t>(positions[i]) : i;
  };
  const std::size_t floats = rows * W_o.sizes.out;
  for (std::size_t sample = 0; sample < mask.batch; ++sample) {
    for (std::size_t head = 0; head < settings.num_heads; ++head, to += floats) {
      // Neighbours are projected together.
      for (std::size_t first = 0, end = 0; first < rows; first = end) {
        const std::size_t position = position_of(first);
        while (end < rows && position_of(end) == position + end - first) {
          ++end;
        }
        project_inputs(W_o, head * settings.head_size, settings.head_size,
                       {.data = pooled.head(sample, head) + position * pooled.row_stride,
                        .stride = pooled.row_stride},
                       end - first, to + first * W_o.sizes.out);
      }
      if (arguments_->head_gate != nullptr) {
        kernels::scale(to, floats,
                       gate_of(arguments_->head_gate, arguments_->gate_stride, sample, head));
      }
    }
  }
}

void LayerProbe::after_output(float* output) noexcept {
  if (!probe_->patches_any(at(head_out))) {
    return;
  }
  const AttentionMask& mask = *arguments_->mask;
  const std::size_t num_heads = layer_->num_heads();
  const std::size_t width = layer_->parameters()->linear(parameter_number::W_o).sizes.out;
  for_each_chosen_row(
      {}, mask.batch, num_heads, mask.num_queries,
      [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t number) {
        if (probe_->replaces(at(head_out), sample, head, row)) {
          kernels::add(output + (sample * mask.num_queries + row) * width,
                       buffers_.head_out + number * width, width);
        }
      });
}

template <typename Function>
void LayerGradientProbe::for_each_constant_row(ActivationName name, const PoolingArguments& pooling,
                                               const Function& function) const noexcept {
  const AttentionMask& mask = *pooling.mask;
  probe_->for_each_patch(at(name), [&](const ActivationPatch& patch) {
    for_each_chosen_row(patch, mask.batch, pooling.num_heads, mask.num_queries,
                        [&](std::size_t sample, std::size_t head, std::size_t row,
                            std::size_t number) { function(patch, sample, head, row, number); });
  });
}

void LayerGradientProbe::before_pooling(const PoolingArguments& pooling,
                                        const HeadsView<float>& pooled) noexcept {
  const std::size_t size = pooling.value_size;
  // What replaces pooled heads hides what replaces weights, and is hidden by their outputs.
  for (const ActivationName name : {head_out, z, pattern}) {
    const std::size_t kept_size = kept_floats(name, pooling.mask->num_keys, size);
    for_each_constant_row(name, pooling,
                          [&](const ActivationPatch& patch, std::size_t sample, std::size_t head,
                              std::size_t row, std::size_t number) {
                            float* gradient = pooled.head(sample, head) + row * pooled.row_stride;
                            if (name != head_out) {
                              std::copy_n(gradient, size,
                                          patch.kept + (number + 1) * kept_size - size);
                            }
                            write_zeros(gradient, size);
                          });
  }
}

void LayerGradientProbe::after_pooling(const PoolingArguments& pooling,
                                       const PoolingGradients& gradients) noexcept {
  const AttentionMask& mask = *pooling.mask;
  const std::size_t size = pooling.value_size;
  const std::size_t group = pooling.num_heads / pooling.num_kv_heads;
  for (const ActivationName name : {z, pattern}) {
    const std::size_t kept_size = kept_floats(name, mask.num_keys, size);
    for_each_constant_row(
        name, pooling,
        [&](const ActivationPatch& patch, std::size_t sample, std::size_t head, std::size_t row,
            std::size_t number) {
          const float* kept = patch.kept + number * kept_size;
          const float* gradient = kept + kept_size - size;
          const float* pooled = pooling.pooled.head(sample, head) + row * pooling.pooled.row_stride;
          gradients.head_gate[sample * pooling.num_heads + head] +=
              static_cast<float>(dot(pooled, gradient, size));
          if (name == pattern) {
            gemm_skipping_zeros(mask.num_keys, size, 1, {.data = kept, .row_stride = 1},
                                {.data = gradient, .stride = size},
                                gate_of(gradients.gates, gradients.gate_stride, sample, head),
                                gradients.values.head(sample, head / group),
                                gradients.values.row_stride);
          }
        });
  }
  const auto clear = [&](ActivationName name, const HeadsView<float>& heads, std::size_t num_heads,
                         std::size_t rows) {
    probe_->clear_patched(at(name), {.data = heads,
                                     .batch = mask.batch,
                                     .heads = num_heads,
                                     .rows = rows,
                                     .size = pooling.query_size});
  };
  clear(queries, gradients.queries, pooling.num_heads, mask.num_queries);
  clear(keys, gradients.keys, pooling.num_kv_heads, mask.num_keys);
  clear(values, gradients.values, pooling.num_kv_heads, mask.num_keys);
}

}  // namespace headwise
