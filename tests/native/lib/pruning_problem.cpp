#include "pruning_problem.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace headwise::test {
namespace {

std::int64_t num_kv_heads(const MultiHeadAttentionOptions& options) {
  return options.num_kv_heads.value_or(options.num_heads);
}

/// The rows, or columns, `kept` of a (rows, columns) matrix.
xt::xarray<float> part_of(const xt::xarray<float>& matrix, const std::vector<std::size_t>& kept,
                          bool is_of_rows) {
  const std::size_t rows = is_of_rows ? kept.size() : matrix.shape(0);
  const std::size_t columns = is_of_rows ? matrix.shape(1) : kept.size();
  auto result = xt::xarray<float>::from_shape({rows, columns});
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      result(i, j) = is_of_rows ? matrix(kept[i], j) : matrix(i, kept[j]);
    }
  }
  return result;
}

}  // namespace

bool PruningProblem::removes(std::size_t head) const {
  return std::ranges::find(heads, static_cast<std::int64_t>(head)) != heads.end();
}

MultiHeadAttention PruningProblem::layer() const { return MultiHeadAttention(options); }

MultiHeadAttention PruningProblem::small_layer() const {
  MultiHeadAttentionOptions small = options;
  const std::int64_t group_size = options.num_heads / num_kv_heads(options);
  small.num_heads -= static_cast<std::int64_t>(heads.size());
  small.num_kv_heads = small.num_heads / group_size;
  small.num_hiddens = options.num_hiddens / options.num_heads * small.num_heads;
  small.output_size = options.output_size.value_or(options.num_hiddens);
  MultiHeadAttention result(small);
  result.load_state_dict(without_heads(layer().state_dict()));
  return result;
}

Tensor<1> PruningProblem::gates() const {
  auto result = full<1>({static_cast<std::size_t>(options.num_heads)}, 1);
  for (const std::int64_t head : heads) {
    result(head) = 0;
  }
  return result;
}

StateDict PruningProblem::without_heads(const StateDict& dict) const {
  const auto num_heads = static_cast<std::size_t>(options.num_heads);
  const std::size_t head_size = static_cast<std::size_t>(options.num_hiddens) / num_heads;
  const std::size_t group_size = num_heads / static_cast<std::size_t>(num_kv_heads(options));
  // The places that stay on an axis of all heads, or of all key-value heads.
  const auto kept = [&](std::size_t heads_of_row) {
    std::vector<std::size_t> places;
    for (std::size_t row = 0; row < num_heads / heads_of_row * head_size; ++row) {
      if (!removes(row / head_size * heads_of_row)) {
        places.push_back(row);
      }
    }
    return places;
  };
  StateDict result;
  for (const auto& [parameter, tensor] : dict) {
    xt::xarray<float> matrix = tensor;
    if (parameter.starts_with("attention.") || parameter == "W_o.bias") {
      result[parameter] = matrix;
    } else if (parameter.starts_with("bias_")) {
      matrix.reshape({1, static_cast<int>(tensor.size())});
      result[parameter] = part_of(matrix, kept(group_size), false);
      result[parameter].reshape({1, 1, -1});
    } else if (parameter == "W_o.weight") {
      result[parameter] = part_of(matrix, kept(1), false);
    } else {
      matrix.reshape({static_cast<int>(tensor.shape(0)), -1});
      result[parameter] =
          part_of(matrix, kept(parameter.starts_with("W_q") ? 1 : group_size), true);
      if (tensor.dimension() == 1) {
        result[parameter].reshape({-1});
      }
    }
  }
  return result;
}

std::vector<PruningProblem> pruning_problems() {
  const auto with_sizes = [](MultiHeadAttentionOptions options, const InputShape& shape) {
    options.query_size = static_cast<std::int64_t>(shape.query_size);
    options.key_size = static_cast<std::int64_t>(shape.key_size);
    options.value_size = static_cast<std::int64_t>(shape.value_size);
    options.seed = 5;
    return options;
  };
  const InputShape odd{2, 3, 5, 5, 4, 3};
  const InputShape one{1, 1, 1, 1, 1, 1};
  const InputShape long_rows{1, 33, 129, 7, 7, 7};
  return {{"sizes that differ",
           with_sizes({.num_hiddens = 12, .num_heads = 4, .bias = true, .output_size = 7}, odd),
           {0, 2},
           odd},
          {"no bias, the last heads",
           with_sizes({.num_hiddens = 35, .num_heads = 5}, long_rows),
           {3, 4},
           long_rows},
          {"all heads but one, head size 1, one output",
           with_sizes({.num_hiddens = 3, .num_heads = 3, .bias = true, .output_size = 1}, one),
           {0, 2},
           one},
          {"scale and softcap",
           with_sizes({.num_hiddens = 21, .num_heads = 3, .scale = 0.7, .softcap = 1.5}, odd),
           {1},
           odd},
          {"groups",
           with_sizes({.num_hiddens = 18, .num_heads = 6, .bias = true, .num_kv_heads = 3}, odd),
           {2, 3},
           odd},
          {"groups with extra slots",
           with_sizes({.num_hiddens = 18,
                       .num_heads = 6,
                       .num_kv_heads = 3,
                       .bias_kv = true,
                       .zero_attention = true},
                      odd),
           {0, 1, 4, 5},
           odd},
          {"additive",
           with_sizes({.num_hiddens = 12,
                       .num_heads = 4,
                       .bias = true,
                       .pooling = Pooling::additive,
                       .attention_hiddens = 5,
                       .bias_kv = true},
                      odd),
           {1, 2},
           odd}};
}

void check_same(const StateDict& a, const StateDict& b, double tolerance) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, tensor] : a) {
    CAPTURE(name);
    CHECK(tensor.shape() == b.at(name).shape());
    CHECK(max_difference(tensor, b.at(name)) <= tolerance);
  }
}

}  // namespace headwise::test
