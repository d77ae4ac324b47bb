#include <algorithm>
#include <headwise/attention/validation.hpp>
#include <headwise/io/file_tensors.hpp>
#include <headwise/io/from_state_dict.hpp>
#include <headwise/io/state_dict_layouts.hpp>

namespace headwise {
namespace {

/// A size that the dict settles, if nothing was given.
std::optional<std::int64_t> settle(const std::optional<std::int64_t>& given, std::size_t settled) {
  return given || settled == 0 ? given : std::optional(static_cast<std::int64_t>(settled));
}

/// Options given stand as they are: where they contradict the dict, its parameters do not fit.
/// Input sizes are left to the parameters, so that the layer draws none at random first.
MultiHeadAttentionOptions options_of(const FromStateDictOptions& given,
                                     const io::StateDictPlan& plan) {
  return {.num_hiddens = settle(given.num_hiddens, plan.num_hiddens).value_or(0),
          .num_heads = given.num_heads,
          .dropout = given.dropout,
          .bias = given.bias.value_or(plan.bias),
          .query_size = given.query_size,
          .key_size = given.key_size,
          .value_size = given.value_size,
          .output_size = settle(given.output_size, plan.output_size),
          .output_projection = given.output_projection.value_or(plan.output_projection),
          .num_kv_heads = settle(given.num_kv_heads, plan.num_kv_heads),
          .pooling = given.pooling.value_or(plan.pooling),
          .attention_hiddens = settle(given.attention_hiddens, plan.attention_hiddens),
          .projection = given.projection.value_or(plan.projection),
          .scale = given.scale,
          .softcap = given.softcap,
          .bias_kv = given.bias_kv.value_or(plan.bias_kv),
          .zero_attention = given.zero_attention,
          .seed = given.seed};
}

xt::xarray<float> make_parameter(const io::PlannedParameter& plan,
                                 const std::vector<const xt::xarray<float>*>& tensors) {
  if (plan.source == io::PlannedParameter::zeros) {
    return xt::zeros<float>({plan.rows});
  }
  const xt::xarray<float>& source = *tensors[plan.source];
  auto shape = source.shape();
  shape[0] = plan.rows;
  if (!plan.transposed) {
    auto parameter = xt::xarray<float>::from_shape(shape);
    const std::size_t row_size = plan.rows > 0 ? parameter.size() / plan.rows : 0;
    std::copy_n(source.data() + plan.first_row * row_size, parameter.size(), parameter.data());
    return parameter;
  }
  const std::size_t stride = source.shape(1);
  const std::size_t columns = shape[1] = source.shape(0);
  auto parameter = xt::xarray<float>::from_shape(shape);
  for (std::size_t row = 0; row < plan.rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      parameter.data()[row * columns + column] =
          source.data()[column * stride + plan.first_row + row];
    }
  }
  return parameter;
}

}  // namespace

MultiHeadAttention from_state_dict(const StateDict& state_dict,
                                   const FromStateDictOptions& options) {
  return validation::report_out_of_memory([&] {
    const io::NamedShapes shapes(state_dict);
    std::vector<const xt::xarray<float>*> tensors;
    for (const auto& [name, tensor] : state_dict) {
      tensors.push_back(&tensor);
    }
    io::StateDictPlan plan;
    io::throw_if(io::plan_state_dict(
        {.dict = shapes.all(),
         .prefix = options.prefix,
         .num_heads = static_cast<std::size_t>(std::max<std::int64_t>(options.num_heads, 0)),
         .may_be_empty = options.projection == Projection::none},
        plan));
    MultiHeadAttention layer(options_of(options, plan));
    StateDict parameters;
    for (std::size_t number = 0; number < plan.parameters.size(); ++number) {
      if (plan.parameters[number].source != io::PlannedParameter::none) {
        parameters.emplace(LayerParameters::names[number],
                           make_parameter(plan.parameters[number], tensors));
      }
    }
    layer.load_state_dict(parameters);
    return layer;
  });
}

}  // namespace headwise
