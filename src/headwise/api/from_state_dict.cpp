#include <headwise/api/make_tensor.hpp>
#include <headwise/api/parameter_tensors.hpp>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/core/layouts/state_dict_layouts.hpp>
#include <headwise/multi_head_attention.hpp>
#include <vector>

namespace headwise {
namespace {

/// The layer's options: from the plan, and the caller's where a state dict does not determine them.
MultiHeadAttentionOptions options_of(const io::LayerPlan& plan,
                                     const FromStateDictOptions& options) {
  const auto integer = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  MultiHeadAttentionOptions result{
      .num_hiddens = integer(plan.num_hiddens),
      .num_heads = options.num_heads,
      .dropout = options.dropout,
      .bias = plan.bias,
      .output_bias = plan.output_bias,
      .query_size = integer(plan.query_size),
      .key_size = integer(plan.key_size),
      .value_size = integer(plan.value_size),
      .output_size = integer(plan.output_size),
      .output_projection = plan.output_projection,
      .num_kv_heads = integer(plan.num_kv_heads),
      .projection = plan.convolution ? Projection::convolution : Projection::linear,
      .scale = options.scale,
      .softcap = options.softcap,
      .rotary = options.rotary,
      .bias_kv = plan.bias_kv,
      .zero_attention = options.zero_attention,
      .weights = options.weights,
      .seed = options.seed};
  if (plan.attention_hiddens > 0) {
    result.pooling = Pooling::additive;
    result.attention_hiddens = integer(plan.attention_hiddens);
  }
  return result;
}

}  // namespace

MultiHeadAttention MultiHeadAttention::from_state_dict(const StateDict& state_dict,
                                                       const FromStateDictOptions& options) {
  return report_out_of_memory([&] {
    const std::vector<io::NamedTensor> given = names_and_shapes(state_dict);
    const io::LayerPlan plan = validation::check_layout(given, options.prefix, options.num_heads);
    MultiHeadAttention layer(options_of(plan, options));
    for (const io::PlannedParameter& planned : plan.parameters) {
      auto parameter = make_array(planned.axes.shape());
      if (planned.source == io::no_source) {
        parameter.fill(0.0F);
      } else {
        const auto& [name, shape, dtype] = given[planned.source];
        io::copy_planned(planned, state_dict.at(std::string(name)).data(), shape, parameter.data());
      }
      LayerParameters& parameters = *layer.parameters();
      parameters.stored().write(parameters.index_of(planned.parameter), 0, parameter.shape(0),
                                parameter.data());
    }
    layer.parameters_changed();
    return layer;
  });
}

}  // namespace headwise
