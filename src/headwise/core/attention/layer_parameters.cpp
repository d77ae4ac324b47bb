#include <cmath>
#include <functional>
#include <headwise/core/attention/layer_parameters.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/random.hpp>
#include <numeric>

namespace headwise {

LayerParameters::LayerParameters(const LayerSettings& settings, const InputSizes& sizes) {
  const std::size_t query_width = settings.query_width();
  const std::size_t key_value_width = settings.key_value_width();
  if (settings.projection != Projection::none) {
    const std::size_t groups =
        settings.projection == Projection::convolution ? settings.num_heads : 1;
    const auto make = [&](std::size_t in, std::size_t out) {
      return Linear({.in = in, .out = out, .groups = groups}, settings.bias);
    };
    W_q = make(sizes.query_size, query_width);
    W_k = make(sizes.key_size, key_value_width);
    W_v = make(sizes.value_size, key_value_width);
  }
  if (settings.output_projection) {
    W_o = Linear({.in = query_width, .out = settings.output_size}, settings.bias);
  }
  if (settings.bias_kv) {
    bias_k = make_tensor<1>({key_value_width});
    bias_v = make_tensor<1>({key_value_width});
  }
  if (settings.pooling == Pooling::additive) {
    attention_W_q = make_tensor<2>({settings.attention_hiddens, settings.head_size});
    attention_W_k = make_tensor<2>({settings.attention_hiddens, settings.head_size});
    attention_w_v = make_tensor<1>({settings.attention_hiddens});
  }
}

void LayerParameters::initialize(std::uint64_t seed) noexcept {
  std::uint32_t stream = random_stream::parameters;
  for (std::optional<Linear>* linear : {&W_q, &W_k, &W_v, &W_o}) {
    if (linear->has_value()) {
      (*linear)->initialize(seed, stream);
    }
    stream += 2;  // weight and bias
  }
  for (std::optional<Tensor<1>>* bias : {&bias_k, &bias_v}) {
    if (bias->has_value()) {
      // xavier_normal_ of a (1, 1, width) tensor.
      float* numbers = (*bias)->data();
      fill_normal(numbers, (*bias)->size(), seed, stream);
      for (std::size_t i = 0; i < (*bias)->size(); ++i) {
        numbers[i] *= uniform_bound((*bias)->size());
      }
    }
    ++stream;
  }
  for (std::optional<Tensor<2>>* weight : {&attention_W_q, &attention_W_k}) {
    if (weight->has_value()) {
      fill_uniform((*weight)->data(), (*weight)->size(), uniform_bound((*weight)->shape(1)), seed,
                   stream);
    }
    ++stream;
  }
  if (attention_w_v.has_value()) {
    fill_uniform(attention_w_v->data(), attention_w_v->size(), uniform_bound(attention_w_v->size()),
                 seed, stream);
  }
}

float* LayerParameters::data(std::size_t number) noexcept {
  const std::array<std::optional<Linear>*, 4> linears = {&W_q, &W_k, &W_v, &W_o};
  if (number < 2 * linears.size()) {
    std::optional<Linear>& linear = *linears[number / 2];
    if (!linear.has_value()) {
      return nullptr;
    }
    return number % 2 == 0 ? linear->weight_data() : linear->bias_data();
  }
  const auto data_of = [](auto& tensor) { return tensor.has_value() ? tensor->data() : nullptr; };
  switch (number) {
    case parameter_number::bias_k:
      return data_of(bias_k);
    case parameter_number::bias_v:
      return data_of(bias_v);
    case parameter_number::attention_W_q:
      return data_of(attention_W_q);
    case parameter_number::attention_W_k:
      return data_of(attention_W_k);
    default:
      return data_of(attention_w_v);
  }
}

const float* LayerParameters::data(std::size_t number) const noexcept {
  // Looking a parameter up changes nothing.
  return const_cast<LayerParameters*>(this)->data(number);  // NOLINT(*-const-cast)
}

void LayerParameters::invalidate() noexcept {
  for (std::optional<Linear>* linear : {&W_q, &W_k, &W_v, &W_o}) {
    if (linear->has_value()) {
      (*linear)->invalidate();
    }
  }
}

std::size_t ParameterShape::columns() const noexcept {
  return std::accumulate(shape.begin() + 1, shape.end(), std::size_t{1}, std::multiplies<>());
}

std::vector<ParameterShape> parameter_shapes(const LayerSettings& settings,
                                             const InputSizes& sizes) {
  std::vector<ParameterShape> parameters;
  const auto add_linear = [&](std::size_t number, std::vector<std::size_t> weight) {
    const std::size_t out = weight.front();
    parameters.push_back({.number = number, .shape = std::move(weight)});
    if (settings.bias) {
      parameters.push_back({.number = number + 1, .shape = {out}});
    }
  };
  const auto add_projection = [&](std::size_t number, std::size_t out, std::size_t in) {
    if (settings.projection == Projection::linear) {
      add_linear(number, {out, in});
    } else if (settings.projection == Projection::convolution) {
      add_linear(number, {out, in / settings.num_heads, 1});
    }
  };
  add_projection(parameter_number::W_q, settings.query_width(), sizes.query_size);
  add_projection(parameter_number::W_k, settings.key_value_width(), sizes.key_size);
  add_projection(parameter_number::W_v, settings.key_value_width(), sizes.value_size);
  if (settings.output_projection) {
    add_linear(parameter_number::W_o, {settings.output_size, settings.query_width()});
  }
  if (settings.bias_kv) {
    parameters.push_back(
        {.number = parameter_number::bias_k, .shape = {1, 1, settings.key_value_width()}});
    parameters.push_back(
        {.number = parameter_number::bias_v, .shape = {1, 1, settings.key_value_width()}});
  }
  if (settings.pooling == Pooling::additive) {
    parameters.push_back({.number = parameter_number::attention_W_q,
                          .shape = {settings.attention_hiddens, settings.head_size}});
    parameters.push_back({.number = parameter_number::attention_W_k,
                          .shape = {settings.attention_hiddens, settings.head_size}});
    parameters.push_back(
        {.number = parameter_number::attention_w_v, .shape = {1, settings.attention_hiddens}});
  }
  return parameters;
}

}  // namespace headwise
