#include <algorithm>
#include <headwise/core/attention/layer_parameters.hpp>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/random.hpp>
#include <vector>

namespace headwise {
namespace {

std::size_t number_of(const ParameterTable::Entry& entry) noexcept {
  return static_cast<std::size_t>(std::ranges::find(parameter_names, entry.name) -
                                  parameter_names.begin());
}

bool is_linear(std::size_t number) noexcept { return number < parameter_number::bias_k; }

}  // namespace

ParameterTable parameter_table(const LayerSettings& settings, const InputSizes& sizes) {
  ParameterTable table;
  const auto add = [&](std::size_t number, std::initializer_list<std::size_t> shape) {
    table.add(std::string(parameter_names[number]), shape);
  };
  const auto add_linear = [&](std::size_t number, std::initializer_list<std::size_t> weight) {
    add(number, weight);
    if (number == parameter_number::W_o ? settings.output_bias : settings.bias) {
      add(number + 1, {*weight.begin()});
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
    add(parameter_number::bias_k, {1, 1, settings.key_value_width()});
    add(parameter_number::bias_v, {1, 1, settings.key_value_width()});
  }
  if (settings.pooling == Pooling::additive) {
    add(parameter_number::attention_W_q, {settings.attention_hiddens, settings.head_size});
    add(parameter_number::attention_W_k, {settings.attention_hiddens, settings.head_size});
    add(parameter_number::attention_w_v, {1, settings.attention_hiddens});
  }
  for (std::size_t number = parameter_number::q_norm;
       settings.qk_norm && number <= parameter_number::k_norm; ++number) {
    add(number, {settings.head_size});
  }
  return table;
}

LayerParameters::LayerParameters(const LayerSettings& settings, const InputSizes& sizes)
    : precision_(settings.weights),
      table_(parameter_table(settings, sizes)),
      values_(table_.size()) {
  offsets_.fill(absent);
  for (const ParameterTable::Entry& entry : table_.entries()) {
    const std::size_t number = number_of(entry);
    offsets_[number] = entry.offset;
    if (is_linear(number) && number % 2 == 0) {
      const std::size_t groups =
          settings.projection == Projection::convolution && number != parameter_number::W_o
              ? settings.num_heads
              : 1;
      linears_[number / 2] = {
          .in = entry.columns() * groups, .out = entry.rows(), .groups = groups};
    }
  }
  Arena packed;
  for (std::size_t i = 0; i < num_linears; ++i) {
    packed_offsets_[i] = packed.bytes() / sizeof(float);
    static_cast<void>(packed.take(linears_[i].out > 0 ? linears_[i].packed_size(precision_) : 0));
  }
  packed_ = AlignedFloats(packed.bytes() / sizeof(float));
}

void LayerParameters::initialize(std::uint64_t seed) noexcept {
  for (const ParameterTable::Entry& entry : table_.entries()) {
    const std::size_t number = number_of(entry);
    const auto stream = random_stream::parameters + static_cast<std::uint32_t>(number);
    float* const values = values_.data() + entry.offset;
    const std::size_t count = entry.size();
    if (number == parameter_number::bias_k || number == parameter_number::bias_v) {
      // xavier_normal_ of a (1, 1, width) tensor.
      fill_normal(values, count, seed, stream);
      std::for_each_n(values, count, [&](float& value) { value *= inverse_root(count); });
      continue;
    }
    if (number >= parameter_number::q_norm) {
      std::fill_n(values, count, 1.0F);
      continue;
    }
    const bool is_linear_bias = is_linear(number) && number % 2 == 1;
    const Linear::Sizes* linear = is_linear(number) ? &linears_[number / 2] : nullptr;
    fill_uniform(values, count, inverse_root(is_linear_bias ? linear->group_in() : entry.columns()),
                 seed, stream);
  }
  invalidate();
}

Linear LayerParameters::linear(std::size_t number) const noexcept {
  return {.sizes = linears_[number / 2],
          .weight = data(number),
          .bias = data(number + 1),
          .packed = packed_.data() + packed_offsets_[number / 2],
          .precision = precision_};
}

void LayerParameters::invalidate() noexcept {
  for (const ParameterTable::Entry& entry : table_.entries()) {
    const std::size_t number = number_of(entry);
    if (precision_ != Precision::float32 && is_linear(number) && number % 2 == 0) {
      round_weights(precision_, entry.rows(), entry.columns(), values_.data() + entry.offset);
    }
  }
  packed_is_current_ = false;
}

void LayerParameters::pack() noexcept {
  if (packed_is_current_) {
    return;
  }
  for (const std::size_t number : {parameter_number::W_q, parameter_number::W_k,
                                   parameter_number::W_v, parameter_number::W_o}) {
    if (has(number)) {
      headwise::pack(linears_[number / 2], precision_, data(number),
                     packed_.data() + packed_offsets_[number / 2]);
    }
  }
  packed_is_current_ = true;
}

}  // namespace headwise
