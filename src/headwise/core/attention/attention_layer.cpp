#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <utility>

namespace headwise {

AttentionLayer::AttentionLayer(const MultiHeadAttentionOptions& options, InitialParameters initial)
    : settings_(settings_of(options)),
      query_size_(to_size(options.query_size)),
      key_size_(to_size(options.key_size)),
      value_size_(to_size(options.value_size)) {
  if (settings_.projection == Projection::none) {
    query_size_ = key_size_ = value_size_ = settings_.num_hiddens;
  }
  if (query_size_ && key_size_ && value_size_) {
    initialize(input_sizes(), initial);
  }
}

void AttentionLayer::initialize(const InputSizes& sizes, InitialParameters initial) {
  LayerParameters parameters(settings_, sizes);
  if (initial == InitialParameters::random) {
    parameters.initialize(settings_.seed);
  }
  set_parameters(std::move(parameters), sizes);
}

void AttentionLayer::set_parameters(LayerParameters&& parameters,
                                    const InputSizes& sizes) noexcept {
  parameters_ = std::move(parameters);
  query_size_ = sizes.query_size;
  key_size_ = sizes.key_size;
  value_size_ = sizes.value_size;
  parameters_changed();
}

void AttentionLayer::parameters_changed() noexcept {
  Trainable::parameters_changed();
  if (parameters_) {
    parameters_->stored().changed();
  }
  if (pending_ == PendingBackward::ready) {
    pending_ = PendingBackward::outdated;
  }
}

const ParameterTable& AttentionLayer::parameter_table() const noexcept {
  static const ParameterTable none;
  return parameters_ ? parameters_->table() : none;
}

SavedActivations::Sizes AttentionLayer::saved_sizes(
    const InputSizes& inputs, const ForwardArguments& arguments) const noexcept {
  return {.query_size = inputs.query_size,
          .key_size = inputs.key_size,
          .value_size = inputs.value_size,
          .query_width = settings_.query_width(),
          .key_value_width = settings_.key_value_width(),
          .versions =
              (settings_.projection != Projection::none ? 1U : 0U) + (settings_.qk_norm ? 1U : 0U),
          .rotation_rows = rotation_rows(arguments),
          .rotation_size = settings_.rotary ? settings_.rotary->size : 0,
          .rotation_sample_stride = arguments.positions_sample_stride};
}

PoolingSizes AttentionLayer::pooling_sizes(const PassSizes& sizes) const noexcept {
  const std::size_t size = settings_.head_size;
  const std::size_t slots = settings_.num_extra_slots();
  return {
      .columns = saturating_sum(sizes.num_keys, slots),
      .num_extra_slots = slots,
      .query_size = size,
      .key_size = size,
      .value_size = size,
      .attention_hiddens = settings_.pooling == Pooling::additive ? settings_.attention_hiddens : 0,
      .summed_heads = sizes.key_mass ? saturating_product(sizes.batch, settings_.num_heads) : 0,
      .summed_queries = sizes.num_queries,
      .quantized = sizes.quantized};
}

Dropout AttentionLayer::dropout() const noexcept {
  return {.probability = training_ ? settings_.dropout : 0,
          .seed = settings_.seed,
          .call = dropout_calls_};
}

PoolingArguments AttentionLayer::pooling_arguments(const AttentionMask& mask, const float* Q,
                                                   const HeadsView<const float>& keys,
                                                   const HeadsView<const float>& values,
                                                   float* pooled) const noexcept {
  const std::size_t head_size = settings_.head_size;
  const auto query_heads = [&](auto* data) {
    return split_heads_view(data, mask.num_queries, settings_.num_heads, head_size);
  };
  PoolingArguments pooling{.mask = &mask,
                           .num_heads = settings_.num_heads,
                           .num_kv_heads = settings_.num_kv_heads,
                           .query_size = head_size,
                           .key_size = head_size,
                           .value_size = head_size,
                           .queries = query_heads(Q),
                           .keys = keys,
                           .values = values,
                           .pooled = query_heads(pooled)};
  if (settings_.bias_kv) {
    pooling.extra_slots[0] = {.key = parameters_->data(parameter_number::bias_k),
                              .value = parameters_->data(parameter_number::bias_v)};
  }
  return pooling;
}

Scoring AttentionLayer::scoring() const noexcept {
  if (settings_.pooling == Pooling::additive) {
    return {.additive = {.W_q = parameters_->data(parameter_number::attention_W_q),
                         .W_k = parameters_->data(parameter_number::attention_W_k),
                         .w_v = parameters_->data(parameter_number::attention_w_v),
                         .hiddens = settings_.attention_hiddens}};
  }
  return {.dot_product = {.scale = settings_.scale, .softcap = settings_.softcap}};
}

void AttentionLayer::gate_heads(const AttentionMask& mask, const float* heads,
                                const float* head_gate, std::size_t gate_stride,
                                float* gated) const noexcept {
  const std::size_t floats = mask.num_queries * settings_.query_width();
  for (std::size_t sample = 0; floats > 0 && sample < mask.batch; ++sample) {
    const float* gates = head_gate != nullptr ? head_gate + sample * gate_stride : nullptr;
    kernels::scale_heads(heads + sample * floats, gates, mask.num_queries, settings_.num_heads,
                         settings_.head_size, gated + sample * floats);
  }
}

}  // namespace headwise
