#include <algorithm>
#include <headwise/core/attention/layer_parameters.hpp>
#include <headwise/core/random.hpp>
#include <utility>
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
    : table_(parameter_table(settings, sizes)) {
  indices_.fill(StoredParameters::none);
  std::vector<StoredParameters::LinearMap> maps;
  for (std::size_t index = 0; index < table_.entries().size(); ++index) {
    const ParameterTable::Entry& entry = table_.entries()[index];
    const std::size_t number = number_of(entry);
    indices_[number] = index;
    if (is_linear(number) && number % 2 == 0) {
      const std::size_t groups =
          settings.projection == Projection::convolution && number != parameter_number::W_o
              ? settings.num_heads
              : 1;
      maps_[number / 2] = maps.size();
      maps.push_back(
          {.sizes = {.in = entry.columns() * groups, .out = entry.rows(), .groups = groups},
           .weight = index});
    } else if (is_linear(number)) {
      // A bias follows its weight.
      maps.back().bias = index;
    }
  }
  stored_ = StoredParameters(table_, std::move(maps), settings.weights);
}

void LayerParameters::initialize(std::uint64_t seed) {
  for (std::size_t index = 0; index < table_.entries().size(); ++index) {
    const ParameterTable::Entry& entry = table_.entries()[index];
    const std::size_t number = number_of(entry);
    const auto stream = random_stream::parameters + static_cast<std::uint32_t>(number);
    const std::size_t all = entry.size();
    const bool is_linear_bias = is_linear(number) && number % 2 == 1;
    const std::size_t inputs =
        is_linear_bias ? stored_.map(maps_[number / 2]).sizes.group_in() : entry.columns();
    stored_.fill(index, [&](float* values, std::size_t first, std::size_t count) {
      if (number == parameter_number::bias_k || number == parameter_number::bias_v) {
        // xavier_normal_ of a (1, 1, width) tensor.
        fill_normal(values, count, seed, stream, first);
        std::for_each_n(values, count, [&](float& value) { value *= inverse_root(all); });
      } else if (number >= parameter_number::q_norm) {
        std::fill_n(values, count, 1.0F);
      } else {
        fill_uniform(values, count, inverse_root(inputs), seed, stream, first);
      }
    });
  }
  stored_.changed();
}

}  // namespace headwise
