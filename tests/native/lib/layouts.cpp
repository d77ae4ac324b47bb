#include "layouts.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace headwise::test {
namespace {

using Array = xt::xarray<float>;

/// Tensors one above the other.
Array stack(const std::vector<Array>& tensors) {
  std::vector<std::size_t> shape(tensors.at(0).shape().begin(), tensors.at(0).shape().end());
  shape.at(0) = 0;
  std::vector<float> numbers;
  for (const Array& tensor : tensors) {
    shape.at(0) += tensor.shape(0);
    numbers.insert(numbers.end(), tensor.begin(), tensor.end());
  }
  Array result = Array::from_shape(shape);
  std::copy(numbers.begin(), numbers.end(), result.data());
  return result;
}

/// The dict under other names; what is not in it is left out.
StateDict renamed(const StateDict& d2l,
                  const std::vector<std::pair<std::string, std::string>>& names) {
  StateDict result;
  for (const auto& [from, to] : names) {
    if (d2l.contains(from)) {
      result.emplace(to, d2l.at(from));
    }
  }
  return result;
}

/// W_q, W_k, W_v and W_o with weight and bias.
StateDict renamed_linear(const StateDict& d2l, const std::array<std::string, 4>& names) {
  const std::array<std::string, 4> own = {"W_q", "W_k", "W_v", "W_o"};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < own.size(); ++i) {
    pairs.emplace_back(own.at(i) + ".weight", names.at(i) + ".weight");
    pairs.emplace_back(own.at(i) + ".bias", names.at(i) + ".bias");
  }
  return renamed(d2l, pairs);
}

/// The three weights or biases as one.
void add_packed(StateDict& dict, const std::string& name, const StateDict& d2l,
                const std::string& kind) {
  if (d2l.contains("W_q" + kind)) {
    dict[name] = stack({d2l.at("W_q" + kind), d2l.at("W_k" + kind), d2l.at("W_v" + kind)});
  }
}

StateDict torch(const StateDict& d2l) {
  StateDict result = renamed(d2l, {{"W_o.weight", "out_proj.weight"},
                                   {"W_o.bias", "out_proj.bias"},
                                   {"bias_k", "bias_k"},
                                   {"bias_v", "bias_v"}});
  add_packed(result, "in_proj_bias", d2l, ".bias");
  return result;
}

Array ones(const std::vector<std::size_t>& shape) {
  Array result = Array::from_shape(shape);
  result.fill(1);
  return result;
}

}  // namespace

StateDict random_parameters(const MultiHeadAttentionOptions& options) {
  StateDict dict = MultiHeadAttention(options).state_dict();
  std::uint64_t seed = 0;
  for (auto& [name, tensor] : dict) {
    fill_normal(tensor.data(), tensor.size(), ++seed);
  }
  return dict;
}

StateDict torch_packed(const StateDict& d2l) {
  StateDict result = torch(d2l);
  add_packed(result, "in_proj_weight", d2l, ".weight");
  return result;
}

StateDict torch_separate(const StateDict& d2l) {
  StateDict result = torch(d2l);
  result.merge(renamed(d2l, {{"W_q.weight", "q_proj_weight"},
                             {"W_k.weight", "k_proj_weight"},
                             {"W_v.weight", "v_proj_weight"}}));
  return result;
}

StateDict bert(const StateDict& d2l) {
  StateDict result = renamed_linear(d2l, {"self.query", "self.key", "self.value", "output.dense"});
  for (const char* name : {"weight", "bias"}) {
    result[std::string("output.LayerNorm.") + name] = ones({d2l.at("W_o.weight").shape(0)});
  }
  return result;
}

StateDict vit_old(const StateDict& d2l) {
  return renamed_linear(d2l,
                        {"attention.query", "attention.key", "attention.value", "output.dense"});
}

StateDict vit_new(const StateDict& d2l, const std::string& output) {
  return renamed_linear(d2l, {"q_proj", "k_proj", "v_proj", output});
}

StateDict timm(const StateDict& d2l) {
  StateDict result = renamed(d2l, {{"W_o.weight", "proj.weight"}, {"W_o.bias", "proj.bias"}});
  add_packed(result, "qkv.weight", d2l, ".weight");
  add_packed(result, "qkv.bias", d2l, ".bias");
  return result;
}

StateDict min_gpt(const StateDict& d2l) {
  StateDict result = renamed(d2l, {{"W_o.weight", "c_proj.weight"}, {"W_o.bias", "c_proj.bias"}});
  add_packed(result, "c_attn.weight", d2l, ".weight");
  add_packed(result, "c_attn.bias", d2l, ".bias");
  result["bias"] = ones({1, 1, 4, 4});
  return result;
}

StateDict gpt2(const StateDict& d2l) {
  StateDict result = min_gpt(d2l);
  for (const char* name : {"c_attn.weight", "c_proj.weight"}) {
    result[name] = Array(xt::transpose(result.at(name)));
  }
  result["masked_bias"] = ones({});
  return result;
}

StateDict buffers() {
  return {{"position_ids", ones({1, 3})},
          {"embeddings.position_ids", ones({1, 3})},
          {"bias", ones({1, 1, 2, 2})},
          {"attn.bias", ones({1, 1, 1, 1})},
          {"masked_bias", ones({})},
          {"rotary_emb.inv_freq", ones({2})},
          {"rotary_emb.cos_cached", ones({1, 1, 4, 2})},
          {"rotary_emb.sin_cached", ones({1, 1, 4, 2})}};
}

StateDict with_prefix(const StateDict& dict, const std::string& prefix) {
  StateDict result;
  for (const auto& [name, tensor] : dict) {
    result.emplace(prefix + name, tensor);
  }
  return result;
}

}  // namespace headwise::test
