#include <algorithm>
#include <cstring>
#include <headwise/core/models/row_norms.hpp>
#include <headwise/core/models/unchecked_transformer.hpp>

namespace headwise {
namespace {

double dot(const double* u, const float* x, std::size_t size) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum += u[i] * static_cast<double>(x[i]);
  }
  return sum;
}

/// A pass that runs several times side by side, as one pass with that many times the batch. Inputs
/// are repeated; captures and patches are left out.
class RepeatedPass {
 public:
  /// Of a pass without a cache that a stream enters.
  RepeatedPass(const TransformerPass& given, std::size_t copies, std::size_t num_hiddens)
      : pass_(given), copies_(copies) {
    const std::size_t batch = given.batch;
    pass_.batch = batch * copies;
    pass_.probe = {};
    repeat(pass_.stream, given.rows() * num_hiddens);
    repeat(pass_.tokens, given.rows());
    repeat(pass_.valid_lens, batch * given.valid_lens_sample_stride);
    repeat(pass_.source, batch * given.source_length);
    repeat(pass_.source_valid_lens, batch);
    repeat(pass_.key_mask.ranges, batch);
    repeat(pass_.key_mask.each, given.rows());
    repeat(pass_.source_key_mask.ranges, batch);
    repeat(pass_.source_key_mask.each, batch * given.source_length);
    for (const Side side : all_sides) {
      for (const AttentionPass& layer : given.layers[side]) {
        layers_[side].push_back({.head_gate = layer.head_gate, .gate_stride = layer.gate_stride});
        repeat(layers_[side].back().head_gate, batch * layer.gate_stride);
      }
      pass_.layers[side] = layers_[side];
    }
  }

  [[nodiscard]] const TransformerPass& pass() const noexcept { return pass_; }

 private:
  /// Points to `size` numbers of each copy; null remains null.
  template <typename Number>
  void repeat(const Number*& numbers, std::size_t size) {
    if (numbers == nullptr || size == 0) {
      return;
    }
    const std::size_t bytes = size * sizeof(Number);
    std::byte* const to = memory_.emplace_back(copies_ * bytes).data();
    for (std::size_t copy = 0; copy < copies_; ++copy) {
      std::memcpy(to + copy * bytes, numbers, bytes);
    }
    numbers = reinterpret_cast<const Number*>(to);
  }

  TransformerPass pass_;
  std::size_t copies_;
  BySide<std::vector<AttentionPass>> layers_;
  std::vector<AlignedBytes> memory_;  ///< of each array
};

}  // namespace

UncheckedTransformer::LensBuffers UncheckedTransformer::lay_out_lens(
    Arena& arena, const ModelPassSizes& sizes, std::size_t rows) const noexcept {
  const LensBuffers buffers{.streams = arena.take(rows, settings().num_hiddens),
                            .features = arena.take(rows, settings().num_hiddens)};
  const Arena::Scope scope(arena);
  lay_out_forward(arena, sizes, false);
  return buffers;
}

void UncheckedTransformer::logit_lens_into(const TransformerPass& given, const LogitLens& lens) {
  const Arena::Scope scope(*given.arena);
  const std::size_t rows_of_layer = given.batch * lens.num_positions;
  const std::size_t rows = lens.num_layers * rows_of_layer;
  const LensBuffers buffers = lay_out_lens(*given.arena, given, rows);
  std::vector<ActivationCapture> captures;
  captures.reserve(lens.num_layers);
  for (std::size_t i = 0; i < lens.num_layers; ++i) {
    const auto layer = static_cast<std::size_t>(lens.layers[i]);
    const bool is_last = layer == settings().decoder.num_layers;
    captures.push_back(
        {.place = is_last ? ActivationPlace{ActivationName::resid_post, Side::self, layer - 1}
                          : ActivationPlace{ActivationName::resid_pre, Side::self, layer},
         .to = buffers.streams + i * rows_of_layer * settings().num_hiddens});
  }
  TransformerPass pass = given;
  pass.probe = {.captures = captures,
                .patches = {},
                .positions = lens.positions,
                .num_positions = lens.num_positions};
  forward_into(pass);
  final_norm(decoder_, buffers.streams, rows, buffers.features, pass.num_threads);
  unembed(buffers.features, rows, lens.logits, pass.num_threads);
}

std::size_t UncheckedTransformer::heads_at_once(std::size_t num_heads, std::size_t rows,
                                                std::size_t logits) noexcept {
  constexpr std::size_t most_rows = 256;
  constexpr std::size_t most_logits = std::size_t{1} << 24U;
  const std::size_t most = std::max(std::min(most_rows / std::max<std::size_t>(rows, 1),
                                             most_logits / std::max<std::size_t>(logits, 1)),
                                    std::size_t{1});
  const std::size_t batches = std::max<std::size_t>((num_heads + most - 1) / most, 1);
  return (num_heads + batches - 1) / batches;
}

void UncheckedTransformer::patch_heads_into(const TransformerPass& given) {
  const ActivationPatch& patch = given.probe.patches.front();
  const LayerSettings& layer = layers(patch.place.side)[patch.place.layer]->settings();
  const ActivationAxes axes = axes_of(patch.place.at, {.num_heads = layer.num_heads,
                                                       .num_kv_heads = layer.num_kv_heads,
                                                       .rows = given.length,
                                                       .new_keys = given.length,
                                                       .keys = given.length,
                                                       .head_size = layer.head_size,
                                                       .num_hiddens = settings().num_hiddens});
  const RepeatedPass repeated(given, patch.num_heads, settings().num_hiddens);
  std::vector<ActivationPatch> patches(patch.num_heads * given.batch, patch);
  for (std::size_t head = 0; head < patch.num_heads; ++head) {
    for (std::size_t sample = 0; sample < given.batch; ++sample) {
      const std::size_t number = head * given.batch + sample;
      patches[number].first_sample = number;
      patches[number].end_sample = number + 1;
      patches[number].heads = patch.heads + head;
      patches[number].num_heads = 1;
      patches[number].value =
          patch.value + (sample * patch.num_heads + head) * axes.rows * axes.size;
    }
  }
  TransformerPass pass = repeated.pass();
  pass.probe.patches = patches;
  forward_into(pass);
}

UncheckedTransformer::AttributionBuffers UncheckedTransformer::lay_out_attribution(
    Arena& arena, ModelPassSizes sizes) const noexcept {
  const std::size_t size = settings().num_hiddens;
  const std::size_t num_layers = settings().decoder.num_layers;
  const std::size_t cross_layers = settings().has_encoder() ? num_layers : 0;
  const AttributionBuffers buffers{
      .heads = arena.take(num_layers + cross_layers, sizes.batch, max_heads(), size),
      .mlps = arena.take(num_layers, sizes.batch, size),
      .first = arena.take(sizes.batch, size),
      .last = arena.take(sizes.batch, size),
      .scales = arena.take(sizes.batch),
      .direction = arena.take<double>(size),
      .before_norm = arena.take<double>(size),
      .sum = arena.take(size)};
  sizes.probed = bit_of(ActivationName::final_norm_scale);
  const Arena::Scope scope(arena);
  lay_out_forward(arena, sizes, false);
  return buffers;
}

double UncheckedTransformer::direction_into(std::int32_t target, std::int32_t against, float scale,
                                            double* direction) const noexcept {
  const std::size_t size = settings().num_hiddens;
  const ModelParameters::NormIndices& norm = decoder_.indices().final_norm;
  const Linear unembedding = parameters_->linear(parameters_->unembedding());
  const auto weight_of = [&](std::int32_t token, std::size_t i) {
    float number = 0;
    copy_weights(unembedding,
                 {.row = static_cast<std::size_t>(token), .rows = 1, .first = i, .count = 1},
                 &number, 1);
    return static_cast<double>(number);
  };
  const auto bias_of = [&](std::int32_t token) {
    return unembedding.bias != nullptr ? static_cast<double>(unembedding.bias[token]) : 0;
  };
  for (std::size_t i = 0; i < size; ++i) {
    direction[i] = weight_of(target, i) - (against >= 0 ? weight_of(against, i) : 0);
  }
  return bias_of(target) - (against >= 0 ? bias_of(against) : 0) +
         (norm.exists() ? direction_before(norm, scale, direction) : 0);
}

double UncheckedTransformer::direction_before(const ModelParameters::NormIndices& norm, float scale,
                                              double* direction) const noexcept {
  const std::size_t size = settings().num_hiddens;
  const float* weight = parameters_->values(norm.weight);
  const float* bias = parameters_->values(norm.bias);
  double constant = 0;
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    constant += bias != nullptr ? static_cast<double>(bias[i]) * direction[i] : 0;
    direction[i] *= static_cast<double>(weight[i]) / static_cast<double>(scale);
    sum += direction[i];
  }
  for (std::size_t i = 0; settings().norm == Norm::layer && i < size; ++i) {
    // Taking the mean off the stream takes it off the direction.
    direction[i] -= sum / static_cast<double>(size);
  }
  return constant;
}

void UncheckedTransformer::attribute_logits_into(const TransformerPass& given,
                                                 const LogitAttribution& attribution) {
  using enum ActivationName;
  const Arena::Scope scope(*given.arena);
  const AttributionBuffers buffers = lay_out_attribution(*given.arena, given.sizes());
  const std::size_t size = settings().num_hiddens;
  const std::size_t num_layers = settings().decoder.num_layers;
  const std::size_t heads = max_heads();
  const std::size_t batch = given.batch;
  const bool has_mlps = settings().decoder.ffn_hiddens > 0;
  const bool has_norm = decoder_.indices().final_norm.exists();
  std::vector<ActivationCapture> captures;
  captures.reserve(3 * num_layers + 3);
  for (std::size_t layer = 0; layer < num_layers; ++layer) {
    for (const Side side : {Side::self, Side::cross}) {
      const std::size_t place = side == Side::self ? layer : num_layers + layer;
      if (side == Side::self || settings().has_encoder()) {
        captures.push_back(
            {.place = {head_out, side, layer}, .to = buffers.heads + place * batch * heads * size});
      }
    }
    if (has_mlps) {
      captures.push_back(
          {.place = {mlp_out, Side::self, layer}, .to = buffers.mlps + layer * batch * size});
    }
  }
  captures.push_back({.place = {resid_pre, Side::self, 0}, .to = buffers.first});
  captures.push_back({.place = {resid_post, Side::self, num_layers - 1}, .to = buffers.last});
  if (has_norm) {
    captures.push_back({.place = {final_norm_scale, Side::self, 0}, .to = buffers.scales});
  }
  TransformerPass pass = given;
  pass.probed = bit_of(final_norm_scale);
  pass.probe = {
      .captures = captures, .patches = {}, .positions = &attribution.position, .num_positions = 1};
  forward_into(pass);

  double* u = buffers.direction;
  for (std::size_t sample = 0; sample < batch; ++sample) {
    const std::int32_t target = attribution.targets[sample];
    const std::int32_t against =
        attribution.against != nullptr ? attribution.against[sample] : std::int32_t{-1};
    const double constant =
        direction_into(target, against, has_norm ? buffers.scales[sample] : 1.0F, u);
    double biases = constant;
    const double total = constant + dot(u, buffers.last + sample * size, size);
    for (const Side side : {Side::self, Side::cross}) {
      const std::span<AttentionLayer* const> of_side = layers(side);
      float* results = side == Side::self ? attribution.heads : attribution.cross_heads;
      for (std::size_t layer = 0; layer < of_side.size(); ++layer) {
        const std::size_t place = side == Side::self ? layer : num_layers + layer;
        const std::size_t of_layer = of_side[layer]->num_heads();
        const float* outputs =
            buffers.heads + place * batch * heads * size + sample * of_layer * size;
        const Linear W_o = of_side[layer]->parameters()->linear(parameter_number::W_o);
        const ModelParameters::Layer& indices = decoder_.indices().layers[layer];
        const ModelParameters::NormIndices& norm =
            (side == Side::self ? indices.attention : indices.cross_attention).post_norm;
        const double* of_output = u;
        if (norm.exists()) {
          for (std::size_t i = 0; i < size; ++i) {
            double sum = W_o.bias != nullptr ? static_cast<double>(W_o.bias[i]) : 0;
            for (std::size_t head = 0; head < of_layer; ++head) {
              sum += static_cast<double>(outputs[head * size + i]);
            }
            buffers.sum[i] = static_cast<float>(sum);
          }
          float scale = 0;
          norm_scales_into(*parameters_, buffers.sum, 1, &scale);
          std::copy_n(u, size, buffers.before_norm);
          biases += direction_before(norm, scale, buffers.before_norm);
          of_output = buffers.before_norm;
        }
        for (std::size_t head = 0; head < heads; ++head) {
          results[(sample * num_layers + layer) * heads + head] =
              head < of_layer ? static_cast<float>(dot(of_output, outputs + head * size, size))
                              : 0.0F;
        }
        biases += W_o.bias != nullptr ? dot(of_output, W_o.bias, size) : 0;
      }
    }
    for (std::size_t layer = 0; layer < num_layers; ++layer) {
      attribution.mlps[sample * num_layers + layer] =
          has_mlps
              ? static_cast<float>(dot(u, buffers.mlps + (layer * batch + sample) * size, size))
              : 0.0F;
    }
    attribution.embeddings[sample] =
        static_cast<float>(dot(u, buffers.first + sample * size, size));
    attribution.biases[sample] = static_cast<float>(biases);
    attribution.total[sample] = static_cast<float>(total);
  }
}

}  // namespace headwise
