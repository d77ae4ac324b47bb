#include "layouts.hpp"

#include <vector>

namespace headwise::test {
namespace {

using Array = xt::xarray<float>;

using Names = std::array<std::string, 4>;

/// Adds what the layer has of this kind of W_q, W_k, W_v and W_o under these names; what has one
/// name is one above the other.
void add(StateDict& dict, const StateDict& d2l, const std::string& kind, const Names& names) {
  const Names own = {"W_q.", "W_k.", "W_v.", "W_o."};
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (const auto found = d2l.find(own.at(i) + kind); found != d2l.end()) {
      const auto [place, is_new] = dict.try_emplace(names.at(i), found->second);
      if (!is_new) {
        place->second = Array(xt::concatenate(xt::xtuple(place->second, found->second)));
      }
    }
  }
}

StateDict torch(const StateDict& d2l, const Names& weights) {
  StateDict result;
  add(result, d2l, "weight", weights);
  add(result, d2l, "bias", {"in_proj_bias", "in_proj_bias", "in_proj_bias", "out_proj.bias"});
  for (const char* name : {"bias_k", "bias_v"}) {
    if (d2l.contains(name)) {
      result[name] = d2l.at(name);
    }
  }
  return result;
}

Array ones(const std::vector<std::size_t>& shape) { return xt::ones<float>(shape); }

}  // namespace

StateDict random_parameters(const MultiHeadAttentionOptions& options) {
  StateDict dict = MultiHeadAttention(options).state_dict();
  std::uint64_t seed = 0;
  for (auto& [name, tensor] : dict) {
    fill_normal(tensor.data(), tensor.size(), ++seed);
  }
  return dict;
}

StateDict named(const StateDict& d2l, const std::array<std::string, 4>& names) {
  StateDict result;
  for (const std::string kind : {"weight", "bias"}) {
    Names of_kind = names;
    for (std::string& name : of_kind) {
      name += "." + kind;
    }
    add(result, d2l, kind, of_kind);
  }
  return result;
}

StateDict torch_packed(const StateDict& d2l) {
  return torch(d2l, {"in_proj_weight", "in_proj_weight", "in_proj_weight", "out_proj.weight"});
}

StateDict torch_separate(const StateDict& d2l) {
  return torch(d2l, {"q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"});
}

StateDict bert(const StateDict& d2l) {
  StateDict result = named(d2l, {"self.query", "self.key", "self.value", "output.dense"});
  for (const char* name : {"weight", "bias"}) {
    result[std::string("output.LayerNorm.") + name] = ones({d2l.at("W_o.weight").shape(0)});
  }
  return result;
}

StateDict min_gpt(const StateDict& d2l) {
  StateDict result = named(d2l, {"c_attn", "c_attn", "c_attn", "c_proj"});
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

StateDict with_prefix(const StateDict& dict, const std::string& prefix) {
  StateDict result;
  for (const auto& [name, tensor] : dict) {
    result.emplace(prefix + name, tensor);
  }
  return result;
}

}  // namespace headwise::test
