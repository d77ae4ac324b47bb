#include "model_reference.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "activation_references.hpp"

namespace headwise::test::reference {
namespace {

/// One pass of one model.
class Pass {
 public:
  Pass(const TransformerCall& call, const StateDict& parameters, const Hook& hook)
      : call_(call), options_(call.options), parameters_(parameters), hook_(hook) {}

  ModelOutput run() {
    Doubles<3> source;
    if (options_.encoder) {
      const Tokens& tokens = call_.pass.source.value();
      const auto x = embed(Side::encoder, tokens, {}, call_.pass.source_key_mask);
      source = final_norm(Side::encoder, stack(Side::encoder, x, {}));
      output_.encoder_hidden = source;
    }
    const Doubles<3> x = call_.has_images() ? embed_patches()
                                            : embed(Side::self, call_.tokens, call_.pass.segments,
                                                    call_.pass.key_mask);
    output_.hidden = final_norm(Side::self, stack(Side::self, x, source));
    if (call_.has_logits()) {
      const std::string name = options_.tied_embeddings ? "embedding" : "unembedding";
      StateDict linear = {{"x.weight", parameters_.at(name + ".weight")}};
      if (options_.logits_bias) {
        linear.emplace("x.bias", parameters_.at("unembedding.bias"));
      }
      output_.logits = project(linear, "x", output_.hidden);
      if (const double cap = options_.logits_softcap; cap > 0) {
        output_.logits = cap * xt::tanh(output_.logits / cap);
      }
    }
    return std::move(output_);
  }

 private:
  [[nodiscard]] double parameter(const std::string& name, std::size_t i) const {
    return static_cast<double>(parameters_.at(name).data()[i]);
  }

  void visit(ActivationName at, Side side, std::size_t layer, Doubles<4>& activation) const {
    if (hook_) {
      hook_(at, side, layer, activation);
    }
  }
  void visit(ActivationName at, Side side, std::size_t layer, Doubles<3>& stream) const {
    Doubles<4> activation = xt::expand_dims(stream, 1);
    visit(at, side, layer, activation);
    stream = xt::view(activation, xt::all(), 0);
  }

  static std::string prefix_of(Side side) { return side == Side::encoder ? "encoder." : ""; }

  /// The position of token i of a sample, counting tokens that are not padding.
  [[nodiscard]] std::int64_t place(const Tokens& tokens, const headwise::Mask& key_mask,
                                   std::size_t sample, std::size_t i) const {
    const bool is_decoder = &tokens == &call_.tokens;
    const bool by_token = options_.padding_token && !(call_.embeddings && is_decoder);
    const auto is_real = [&](std::size_t key) {
      return by_token ? tokens(sample, key) != *options_.padding_token
                      : has_key(key_mask, tokens.shape(1), sample, key);
    };
    std::int64_t count = 0;
    for (std::size_t key = 0; key <= i; ++key) {
      count += is_real(key) ? 1 : 0;
    }
    return by_token && !is_real(i) ? -1 : std::max<std::int64_t>(count - 1, 0);
  }

  [[nodiscard]] Tokens places(const Tokens& tokens, const headwise::Mask& key_mask) const {
    Tokens result = tokens;
    for (std::size_t i = 0; i < result.size(); ++i) {
      result.data()[i] = place(tokens, key_mask, i / tokens.shape(1), i % tokens.shape(1));
    }
    return result;
  }

  [[nodiscard]] double position(const std::string& stack, std::int64_t i, std::size_t j) const {
    const auto size = static_cast<std::size_t>(options_.num_hiddens);
    const bool halves = options_.positions == Positions::sinusoidal_halves;
    if (options_.positions == Positions::learned) {
      return parameter(stack + "position.weight",
                       static_cast<std::size_t>(options_.position_offset + i) * size + j);
    }
    if (options_.positions != Positions::sinusoidal && !halves) {
      return 0;
    }
    const bool is_sine = halves ? j < (size + 1) / 2 : j % 2 == 0;
    const std::size_t pair = halves ? j % ((size + 1) / 2) : j / 2;
    const double angle = static_cast<double>(i) / std::pow(10000.0, static_cast<double>(2 * pair) /
                                                                        static_cast<double>(size));
    return is_sine ? std::sin(angle) : std::cos(angle);
  }

  /// A norm, whose scales are an activation if it is the last of a side.
  [[nodiscard]] Doubles<3> normalized(const std::string& name, Doubles<3> x,
                                      std::optional<Side> last_of = {}) const {
    if (options_.norm == Norm::layer) {
      x -= Doubles<3>(xt::mean(x, {2}, xt::keep_dims));
    }
    Doubles<3> scales = xt::mean(x * x, {2}, xt::keep_dims);
    scales = xt::sqrt(scales + options_.norm_epsilon);
    if (last_of) {
      visit(ActivationName::final_norm_scale, *last_of, 0, scales);
    }
    x *= parameters_.at(name + ".weight") / scales;
    if (options_.norm == Norm::layer && options_.norm_bias) {
      x += parameters_.at(name + ".bias");
    }
    return x;
  }

  [[nodiscard]] Doubles<3> final_norm(Side side, const Doubles<3>& x) const {
    const bool has_norm = options_.final_norm.value_or(options_.norm_first);
    return has_norm && options_.norm != Norm::none ? normalized(prefix_of(side) + "norm", x, side)
                                                   : x;
  }

  /// What the layers read: embeddings with positions, segments and a norm.
  [[nodiscard]] Doubles<3> positioned(Side side, Doubles<3> x, const Tokens& positions,
                                      const std::optional<Tokens>& segments) const {
    visit(ActivationName::embeddings, side, 0, x);
    const std::size_t size = x.shape(2);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t row = i / size;
      const auto segment = static_cast<std::size_t>(segments ? segments->data()[row] : 0);
      x.data()[i] +=
          position(prefix_of(side), positions.data()[row], i % size) +
          (options_.segments > 0 ? parameter("segment.weight", segment * size + i % size) : 0);
    }
    return options_.embedding_norm && options_.norm != Norm::none
               ? normalized(prefix_of(side) + "embedding_norm", x)
               : x;
  }

  [[nodiscard]] Doubles<3> embed(Side side, const Tokens& tokens,
                                 const std::optional<Tokens>& segments,
                                 const headwise::Mask& key_mask) const {
    const auto size = static_cast<std::size_t>(options_.num_hiddens);
    Doubles<3> x(std::array{tokens.shape(0), tokens.shape(1), size}, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto token = static_cast<std::size_t>(tokens.data()[i / size]);
      x.data()[i] =
          call_.embeddings && side == Side::self
              ? static_cast<double>(call_.embeddings->data()[i])
              : options_.embedding_scale * parameter("embedding.weight", token * size + i % size);
    }
    return positioned(side, x, places(tokens, key_mask), segments);
  }

  [[nodiscard]] Doubles<3> embed_patches() const {
    const PatchOptions& patches = *options_.patches;
    const auto size = static_cast<std::size_t>(patches.patch_size);
    const auto channels = static_cast<std::size_t>(patches.channels);
    const auto side = static_cast<std::size_t>(patches.image_size) / size;
    const std::size_t batch = call_.batch();
    const Doubles<6> split =
        xt::reshape_view(call_.pixels, {batch, channels, side, size, side, size});
    const Doubles<6> by_patch = xt::transpose(split, {0, 2, 4, 1, 3, 5});
    const Doubles<3> rows =
        xt::reshape_view(by_patch, {batch, side * side, channels * size * size});
    StateDict linear = {{"x.weight", parameters_.at("patches.weight")},
                        {"x.bias", parameters_.at("patches.bias")}};
    linear.at("x.weight").reshape({static_cast<std::size_t>(options_.num_hiddens), rows.shape(2)});
    const Doubles<3> projected = project(linear, "x", rows);
    const std::size_t first = patches.class_token ? 1 : 0;
    Doubles<3> x(std::array{batch, first + side * side, projected.shape(2)}, 0.0);
    xt::view(x, xt::all(), xt::range(first, x.shape(1))) = projected;
    if (patches.class_token) {
      xt::view(x, xt::all(), 0) = xt::flatten(parameters_.at("class_token"));
    }
    const Tokens numbers = xt::broadcast(xt::arange(static_cast<std::int64_t>(x.shape(1))),
                                         std::array{batch, x.shape(1)});
    return positioned(Side::self, x, numbers, {});
  }

  [[nodiscard]] Doubles<3> feed_forward(const std::string& name, const Doubles<3>& x) const {
    const auto activation =
        activations().at(static_cast<std::size_t>(options_.activation)).reference;
    Doubles<3> hiddens = project(parameters_, name + ".dense1", x);
    const Doubles<3> gate = options_.gated ? project(parameters_, name + ".gate", x) : hiddens;
    for (std::size_t i = 0; i < hiddens.size(); ++i) {
      hiddens.data()[i] =
          activation(gate.data()[i]).value * (options_.gated ? hiddens.data()[i] : 1.0);
    }
    return project(parameters_, name + ".dense2", hiddens);
  }

  /// The layer's own parameters and options; what else it takes is in `masks`.
  Doubles<3> attend(Side side, std::size_t number, const std::string& name, const Doubles<3>& x,
                    const Doubles<3>& keys, ForwardOptions masks) {
    StateDict parameters;
    for (const auto& [parameter, tensor] : parameters_) {
      if (parameter.starts_with(name)) {
        parameters.emplace(parameter.substr(name.size()), tensor);
      }
    }
    const std::int64_t whole_heads = side == Side::encoder
                                         ? options_.encoder->num_heads.value_or(options_.num_heads)
                                         : options_.num_heads;
    const std::int64_t head_size = options_.head_size.value_or(options_.num_hiddens / whole_heads);
    const auto heads_in = [&](const std::string& matrix) {
      return static_cast<std::int64_t>(parameters.at(matrix).shape(0)) / head_size;
    };
    MultiHeadAttentionOptions layer{.num_hiddens = heads_in("W_q.weight") * head_size,
                                    .num_heads = heads_in("W_q.weight"),
                                    .num_kv_heads = heads_in("W_k.weight"),
                                    .scale = options_.scale,
                                    .softcap = options_.softcap,
                                    .qk_norm = layer_options_of(options_, side).qk_norm};
    if (options_.scale_by_layer) {
      layer.scale = layer.scale.value_or(1 / std::sqrt(static_cast<double>(head_size))) /
                    static_cast<double>(number + 1);
    }
    if (options_.positions == Positions::rotary && side != Side::cross) {
      layer.rotary = options_.rotary;
      if (!call_.has_images()) {
        masks.positions =
            places(side == Side::encoder ? *call_.pass.source : call_.tokens, masks.key_mask);
      }
    }
    TransformerForwardOptions pass = call_.pass;
    if (const auto& gates = gates_of(pass, side); !gates.empty()) {
      masks.head_gate = gates.at(number);
    }
    const Heads projected =
        project_heads(layer, parameters, x, keys, keys,
                      positions_of(masks, x.shape(0), x.shape(1), keys.shape(1), 0));
    return attend_heads(side, number, layer, parameters, projected, masks);
  }

  /// Pools the heads and adds up what each gives to the output.
  Doubles<3> attend_heads(Side side, std::size_t number, const MultiHeadAttentionOptions& layer,
                          const StateDict& parameters, Heads heads, const ForwardOptions& masks) {
    const auto visit_each = [&](std::initializer_list<std::pair<ActivationName, Doubles<4>*>> all) {
      for (const auto& [name, activation] : all) {
        visit(name, side, number, *activation);
      }
    };
    visit_each({{ActivationName::queries, &heads.Q},
                {ActivationName::keys, &heads.K},
                {ActivationName::values, &heads.V}});
    Pooled pooled = pool(scores_of(layer, parameters, heads), heads.V,
                         {.masks = masks_of(masks, 0, false), .softcap = layer.softcap});
    Doubles<4>& scores = pooled.scores;
    Doubles<4>& pattern = pooled.weights;
    visit_each({{ActivationName::scores, &scores}, {ActivationName::pattern, &pattern}});
    const auto [batch, num_heads, queries, keys] = pattern.shape();
    const std::size_t size = heads.V.shape(3);
    const xt::xarray<float>& W_o = parameters.at("W_o.weight");
    const auto bias = parameters.find("W_o.bias");
    const std::size_t width = W_o.shape(0);
    Doubles<4> z = dot_product_scores(pattern, xt::transpose(heads.V, {0, 1, 3, 2}), 1);
    Doubles<4> head_out(std::array{batch, num_heads, queries, width}, 0.0);
    const Doubles<3> sums = xt::sum(pattern, {2});
    Doubles<4> key_mass = xt::expand_dims(sums, 3);
    Doubles<4> row_entropy(std::array{batch, num_heads, queries, std::size_t{1}}, 0.0);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const double weight = pattern.data()[i];
      row_entropy.data()[i / keys] -= weight > 0 ? weight * std::log(weight) : 0;
    }
    const Doubles<4> gates = gate_factors(masks.head_gate, batch, num_heads);
    Doubles<4> dropped = pattern;
    visit_each({{ActivationName::dropped_weights, &dropped},
                {ActivationName::key_mass, &key_mass},
                {ActivationName::row_entropy, &row_entropy},
                {ActivationName::z, &z}});
    for (std::size_t i = 0; i < head_out.size(); ++i) {
      const std::size_t row = i / width;
      const std::size_t head = row / queries % num_heads;
      for (std::size_t e = 0; e < size; ++e) {
        head_out.data()[i] += static_cast<double>(W_o(i % width, head * size + e)) *
                              gates.data()[row / queries] * z.data()[row * size + e];
      }
    }
    visit(ActivationName::head_out, side, number, head_out);
    Doubles<3> output = xt::sum(head_out, {1});
    if (bias != parameters.end()) {
      output += bias->second;
    }
    output_.weights.at(static_cast<std::size_t>(side)).push_back(std::move(pattern));
    return output;
  }

  /// What a sublayer adds to the stream, as an activation.
  struct Added {
    ActivationName name;
    Side side;
    std::size_t layer;
  };

  /// function(norm(x)), and its norm.
  template <typename Function>
  Doubles<3> sublayer(const std::string& layer, const std::string& kind, const Added& added,
                      const Doubles<3>& x, const Function& function) {
    const bool has_norm = options_.norm != Norm::none;
    Doubles<3> y =
        function(has_norm && options_.norm_first ? normalized(layer + kind + "norm", x) : x);
    y = has_norm && options_.post_norms ? normalized(layer + kind + "post_norm", y) : y;
    visit(added.name, added.side, added.layer, y);
    return y;
  }

  /// x + function(norm(x)), or norm(x + function(x)).
  template <typename Function>
  void add(const std::string& layer, const std::string& kind, const Added& added, Doubles<3>& x,
           const Function& function) {
    x = x + sublayer(layer, kind, added, x, function);
    x = options_.norm != Norm::none && !options_.norm_first ? normalized(layer + kind + "norm", x)
                                                            : x;
  }

  Doubles<3> stack(Side side, Doubles<3> x, const Doubles<3>& source) {
    const bool is_encoder = side == Side::encoder;
    const std::int64_t num_layers = is_encoder ? options_.encoder->num_layers : options_.num_layers;
    const std::int64_t own_hiddens = options_.ffn_hiddens.value_or(4 * options_.num_hiddens);
    const std::int64_t ffn_hiddens =
        is_encoder ? options_.encoder->ffn_hiddens.value_or(own_hiddens) : own_hiddens;
    for (std::size_t number = 0; number < static_cast<std::size_t>(num_layers); ++number) {
      const std::string name = prefix_of(side) + "layers." + std::to_string(number) + ".";
      visit(ActivationName::resid_pre, side, number, x);
      const Doubles<3> before = x;
      add(name, "", {ActivationName::attn_out, side, number}, x, [&](const Doubles<3>& inputs) {
        return attend(
            side, number, name + "attention.", inputs, inputs,
            {.valid_lens = is_encoder ? call_.pass.source_valid_lens : call_.pass.valid_lens,
             .key_mask = is_encoder ? call_.pass.source_key_mask : call_.pass.key_mask,
             .causal = options_.causal && !is_encoder ? Causal::top_left : Causal::none,
             .window = options_.windows.empty() || is_encoder ? options_.window
                                                              : options_.windows.at(number)});
      });
      if (options_.encoder && !is_encoder) {
        const Added of_cross{ActivationName::attn_out, Side::cross, number};
        add(name, "cross_", of_cross, x, [&](const Doubles<3>& inputs) {
          return attend(
              Side::cross, number, name + "cross_attention.", inputs, source,
              {.valid_lens = call_.pass.source_valid_lens, .key_mask = call_.pass.source_key_mask});
        });
      }
      if (!options_.parallel_residual || ffn_hiddens == 0) {
        visit(ActivationName::resid_mid, side, number, x);
      }
      const Added of_ffn_layer{ActivationName::mlp_out, side, number};
      const auto of_ffn = [&](const Doubles<3>& inputs) {
        return feed_forward(name + "ffn", inputs);
      };
      if (ffn_hiddens > 0 && options_.parallel_residual) {
        x = x + sublayer(name, "ffn_", of_ffn_layer, before, of_ffn);
      } else if (ffn_hiddens > 0) {
        add(name, "ffn_", of_ffn_layer, x, of_ffn);
      }
      visit(ActivationName::resid_post, side, number, x);
    }
    return x;
  }

  const TransformerCall& call_;
  const TransformerOptions& options_;
  const StateDict& parameters_;
  const Hook& hook_;
  ModelOutput output_;
};

}  // namespace

ModelOutput forward(const TransformerCall& call, const StateDict& parameters, const Hook& hook) {
  return Pass(call, parameters, hook).run();
}

double sum_of_losses(const Doubles<3>& logits, const Tokens& targets, std::size_t sample) {
  double loss = 0;
  for (std::size_t i = 0; i < logits.shape(1); ++i) {
    if (targets(sample, i) >= 0) {
      double sum = 0;
      for (std::size_t token = 0; token < logits.shape(2); ++token) {
        sum += std::exp(logits(sample, i, token));
      }
      loss += std::log(sum) - logits(sample, i, static_cast<std::size_t>(targets(sample, i)));
    }
  }
  return loss;
}

double mean_loss(const Doubles<3>& logits, const Tokens& targets) {
  double sum = 0;
  for (std::size_t sample = 0; sample < logits.shape(0); ++sample) {
    sum += sum_of_losses(logits, targets, sample);
  }
  const auto ignored = std::count(targets.begin(), targets.end(), ignored_target);
  const auto count = static_cast<double>(targets.size()) - static_cast<double>(ignored);
  return count > 0 ? sum / count : 0;
}

}  // namespace headwise::test::reference
