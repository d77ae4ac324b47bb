#include <algorithm>
#include <headwise/attention/layer_parameters.hpp>
#include <headwise/attention/validation.hpp>
#include <headwise/io/layout_table.hpp>
#include <headwise/io/text_writer.hpp>

namespace headwise::io {
namespace {

// Sources: d2l, chapter Multi-Head Attention; PyTorch, torch/nn/modules/activation.py; Hugging Face
// transformers, modeling_bert.py, modeling_vit.py (q_proj since 5.0) and modeling_gpt2.py, whose
// Conv1D holds (in, out); timm, vision_transformer.py.
constexpr std::array<Layout, 8> layouts = {{
    {.weights = {"W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight"},
     .biases = {"W_q.bias", "W_k.bias", "W_v.bias", "W_o.bias"},
     .has_bias_kv = true,
     .is_d2l = true},
    {.weights = {"in_proj_weight", "in_proj_weight", "in_proj_weight", "out_proj.weight"},
     .biases = {"in_proj_bias", "in_proj_bias", "in_proj_bias", "out_proj.bias"},
     .has_bias_kv = true},
    {.weights = {"q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"},
     .biases = {"in_proj_bias", "in_proj_bias", "in_proj_bias", "out_proj.bias"},
     .has_bias_kv = true},
    {.weights = {"self.query.weight", "self.key.weight", "self.value.weight",
                 "output.dense.weight"},
     .biases = {"self.query.bias", "self.key.bias", "self.value.bias", "output.dense.bias"}},
    {.weights = {"attention.query.weight", "attention.key.weight", "attention.value.weight",
                 "output.dense.weight"},
     .biases = {"attention.query.bias", "attention.key.bias", "attention.value.bias",
                "output.dense.bias"},
     .bias_varies = true},
    {.weights = {"q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight"},
     .biases = {"q_proj.bias", "k_proj.bias", "v_proj.bias", "o_proj.bias"},
     .bias_varies = true},
    {.weights = {"qkv.weight", "qkv.weight", "qkv.weight", "proj.weight"},
     .biases = {"qkv.bias", "qkv.bias", "qkv.bias", "proj.bias"},
     .bias_varies = true},
    {.weights = {"c_attn.weight", "c_attn.weight", "c_attn.weight", "c_proj.weight"},
     .biases = {"c_attn.bias", "c_attn.bias", "c_attn.bias", "c_proj.bias"},
     .transposed = true},
}};

constexpr std::string_view known_layouts =
    "names of d2l (W_q.weight), nn.MultiheadAttention (in_proj_weight or q_proj_weight), BERT "
    "(self.query.weight), ViT (attention.query.weight, q_proj.weight or qkv.weight) or GPT-2 "
    "(c_attn.weight) under the prefix ";

/// Whether names that only this layout has are there.
bool is_there(const Layout& layout, std::span<const NamedShape> dict, std::string_view prefix) {
  const auto has = [&](std::string_view name) {
    return find_tensor(dict, prefix, name).has_value();
  };
  const auto inputs = std::span(layout.weights).first<3>();
  if (std::any_of(inputs.begin(), inputs.end(), has)) {
    return true;
  }
  const auto& own = LayerParameters::names;
  return layout.is_d2l && std::any_of(own.begin(), own.end(), [&](std::string_view name) {
           return !name.starts_with("bias") && has(name);
         });
}

/// Some of the dict's names, those under the prefix if there are any.
TextWriter names_text(std::span<const NamedShape> dict, std::string_view prefix) {
  constexpr int most = 4;
  TextWriter text;
  int count = 0;
  for (const std::string_view start : {prefix, std::string_view()}) {
    for (const NamedShape& tensor : dict) {
      if (count < most && tensor.name.starts_with(start)) {
        (text << (count > 0 ? ", " : "")).name(tensor.name);
        ++count;
      }
    }
    if (count > 0) {
      return text << " of " << dict.size();
    }
  }
  return text << "no names";
}

}  // namespace

Outcome<FoundLayout> find_layout(std::span<const NamedShape> dict, std::string_view prefix,
                                 bool absent_is_d2l) {
  const Layout* found = absent_is_d2l ? layouts.data() : nullptr;
  std::string_view found_between;
  bool is_found = false;
  for (const Layout& layout : layouts) {
    for (const std::string_view between : {"", "attention.", "attn.", "self_attn."}) {
      // attention. is d2l's own name for what additive pooling holds.
      if ((layout.is_d2l && !between.empty()) ||
          !is_there(layout, dict, TextWriter() << prefix << between)) {
        continue;
      }
      if (is_found) {
        return failure(ErrorCode::invalid_state_dict, spell("state_dict"), "one layer's names",
                       TextWriter() << prefix << found_between << found->weights[0] << " and "
                                    << prefix << between << layout.weights[0]);
      }
      is_found = true;
      found = &layout;
      found_between = between;
    }
  }
  if (found == nullptr) {
    return failure(ErrorCode::invalid_state_dict, spell("state_dict"),
                   (TextWriter() << known_layouts).name(prefix), names_text(dict, prefix));
  }
  return FoundLayout{.layout = found, .prefix = (TextWriter() << prefix << found_between).text()};
}

std::optional<std::size_t> find_tensor(std::span<const NamedShape> dict, std::string_view prefix,
                                       std::string_view name) noexcept {
  for (std::size_t i = 0; i < dict.size(); ++i) {
    const std::string_view candidate = dict[i].name;
    if (candidate.size() == prefix.size() + name.size() && candidate.starts_with(prefix) &&
        candidate.ends_with(name)) {
      return i;
    }
  }
  return std::nullopt;
}

std::string spell(std::string_view name) {
  std::string spelled(name);
  // Arguments that were checked before the call are those of JavaScript.
  if constexpr (!validation::enabled) {
    for (std::size_t i = spelled.find('_'); i != std::string::npos; i = spelled.find('_')) {
      spelled.erase(i, 1);
      spelled[i] = static_cast<char>(spelled[i] - 'a' + 'A');
    }
  }
  return spelled;
}

}  // namespace headwise::io
