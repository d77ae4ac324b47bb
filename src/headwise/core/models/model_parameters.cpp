#include <algorithm>
#include <headwise/core/attention/positional_encoding.hpp>
#include <headwise/core/io/message.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/random.hpp>
#include <string_view>

namespace headwise {

std::string prefix_of_layer(std::size_t layer) {
  std::string prefix = "layers.";
  prefix += io::Decimal(layer).text();
  return prefix += ".";
}

std::string name_of_side(Side side, std::string_view name) {
  return std::string(side == Side::self    ? ""
                     : side == Side::cross ? "cross_"
                                           : "encoder_")
      .append(name);
}

std::string attention_prefix(Side side, std::size_t layer) {
  return (side == Side::encoder ? "encoder." : "") + prefix_of_layer(layer) +
         (side == Side::cross ? "cross_attention." : "attention.");
}

ModelParameters::ModelParameters(const TransformerSettings& settings, LayoutOnly /*layout_only*/)
    : settings_(settings) {
  const std::size_t size = settings.num_hiddens;
  if (settings.has_patches()) {
    patches_ = add_linear(
        "", "patches", {size, settings.channels, settings.patch_size, settings.patch_size}, true);
    if (settings.class_token) {
      class_token_ = add("", "class_token", {size});
    }
  } else {
    embedding_ = add("", "embedding.weight", {settings.vocabulary_size, size});
  }
  if (settings.segments > 0) {
    segment_ = add("", "segment.weight", {settings.segments, size});
  }
  decoder_ = add_stack("", settings.decoder);
  if (settings.has_encoder()) {
    encoder_ = add_stack("encoder.", settings.encoder);
  }
  if (settings.head) {
    const std::size_t weight =
        settings.tied_embeddings ? embedding_
                                 : add("", "unembedding.weight", {settings.vocabulary_size, size});
    const std::size_t bias =
        settings.logits_bias ? add("", "unembedding.bias", {settings.vocabulary_size}) : none;
    unembedding_ = add_linear(weight, bias);
  }
  if (holds_integers(settings.weights) && embedding_ != none && !embedding_is_unembedding()) {
    // No product reads it, but it is held as integers like the weights of linear maps.
    static_cast<void>(add_linear(embedding_, none));
  }
}

ParameterTable ModelParameters::table_of(const TransformerSettings& settings) {
  return ModelParameters(settings, LayoutOnly{}).table_;
}

ModelParameters::ModelParameters(const TransformerSettings& settings, InitialParameters initial)
    : ModelParameters(settings, LayoutOnly{}) {
  const std::size_t size = settings.num_hiddens;
  if (settings.positions == Positions::sinusoidal ||
      settings.positions == Positions::sinusoidal_halves) {
    sinusoids_ = AlignedFloats(saturating_product(settings.max_length, size));
    positional_encoding_into(settings.max_length, size, sinusoids_.data(),
                             settings.positions == Positions::sinusoidal_halves);
  }
  stored_ = StoredParameters(table_, maps_, settings.weights);
  if (initial == InitialParameters::random) {
    initialize();
  }
  parameters_changed();
}

std::size_t ModelParameters::add(const std::string& prefix, std::string_view name,
                                 std::initializer_list<std::size_t> shape) {
  table_.add(std::string(prefix).append(name), shape);
  return table_.entries().size() - 1;
}

ModelParameters::NormIndices ModelParameters::add_norm(const std::string& prefix,
                                                       std::string_view name) {
  NormIndices norm;
  if (settings_.norm != Norm::none) {
    const std::string full_name = std::string(prefix).append(name);
    norm.weight = add(full_name, ".weight", {settings_.num_hiddens});
    norm.bias = settings_.norm_bias ? add(full_name, ".bias", {settings_.num_hiddens}) : none;
  }
  return norm;
}

std::size_t ModelParameters::add_linear(std::size_t weight, std::size_t bias) {
  const ParameterTable::Entry& entry = table_.entries()[weight];
  maps_.push_back(
      {.sizes = {.in = entry.columns(), .out = entry.rows()}, .weight = weight, .bias = bias});
  return maps_.size() - 1;
}

std::size_t ModelParameters::add_linear(const std::string& prefix, std::string_view name,
                                        std::initializer_list<std::size_t> shape, bool bias) {
  const std::string full_name = std::string(prefix).append(name);
  const std::size_t weight = add(full_name, ".weight", shape);
  return add_linear(weight, bias ? add(full_name, ".bias", {*shape.begin()}) : none);
}

ModelParameters::Stack ModelParameters::add_stack(const std::string& prefix,
                                                  const StackSettings& settings) {
  const std::size_t size = settings_.num_hiddens;
  Stack stack;
  if (settings_.positions == Positions::learned) {
    stack.position =
        add(prefix, "position.weight", {settings_.max_length + settings_.position_offset, size});
  }
  if (settings_.embedding_norm) {
    stack.embedding_norm = add_norm(prefix, "embedding_norm");
  }
  for (std::size_t i = 0; i < settings.num_layers; ++i) {
    const std::string name = prefix + prefix_of_layer(i);
    Layer layer;
    const auto add_norms = [&](const std::string& sublayer) {
      const NormIndices norm = add_norm(sublayer, "norm");
      return SublayerNorms{norm,
                           settings_.post_norms ? add_norm(sublayer, "post_norm") : NormIndices{}};
    };
    layer.attention = add_norms(name);
    if (settings.has_cross_attention) {
      layer.cross_attention = add_norms(name + "cross_");
    }
    if (const std::size_t hiddens = settings.ffn_hiddens; hiddens > 0) {
      layer.feed_forward = add_norms(name + "ffn_");
      if (settings_.gated) {
        layer.ffn.gate = add_linear(name, "ffn.gate", {hiddens, size}, settings_.ffn_bias);
      }
      layer.ffn.dense1 = add_linear(name, "ffn.dense1", {hiddens, size}, settings_.ffn_bias);
      layer.ffn.dense2 = add_linear(name, "ffn.dense2", {size, hiddens}, settings_.ffn_bias);
    }
    stack.layers.push_back(layer);
  }
  if (settings_.final_norm) {
    stack.final_norm = add_norm(prefix, "norm");
  }
  return stack;
}

/// PyTorch's defaults: N(0, 1) for `nn.Embedding`, 1 and 0 for norms, U(−1/√n, 1/√n) for
/// `nn.Linear` of n inputs. Embeddings that are the unembedding, too, are drawn from N(0, 0.02²),
/// as GPT-2's: with 1, first logits would be in the tens.
void ModelParameters::initialize() {
  const float deviation = embedding_is_unembedding() ? 0.02F : 1.0F;
  const std::size_t untied_weight = settings_.head ? maps_[unembedding_].weight : none;
  // The streams of models without feed-forward layers came first.
  constexpr std::uint32_t first_stream = random_stream::model + 16;
  std::size_t inputs = 0;
  for (std::size_t index = 0; index < table_.entries().size(); ++index) {
    const ParameterTable::Entry& entry = table_.entries()[index];
    const std::string_view name = entry.name;
    const auto stream = first_stream + static_cast<std::uint32_t>(index);
    const auto fill_embedding = [&](std::uint32_t of) {
      stored_.fill(index, [&](float* numbers, std::size_t first, std::size_t count) {
        fill_normal(numbers, count, settings_.seed, of, first);
        std::for_each_n(numbers, count, [&](float& number) { number *= deviation; });
      });
    };
    const auto fill_weight = [&](std::size_t summed, std::uint32_t of) {
      stored_.fill(index, [&](float* numbers, std::size_t first, std::size_t count) {
        fill_uniform(numbers, count, inverse_root(summed), settings_.seed, of, first);
      });
    };
    const auto fill_with = [&](float number) {
      stored_.fill(index, [&](float* numbers, std::size_t /*first*/, std::size_t count) {
        std::fill_n(numbers, count, number);
      });
    };
    if (index == embedding_) {
      fill_embedding(random_stream::model);
    } else if (index == decoder_.position) {
      fill_embedding(random_stream::model + 1);
    } else if (index == untied_weight) {
      fill_weight(entry.columns(), random_stream::model + 2);
    } else if (index == segment_ || index == encoder_.position || index == class_token_) {
      fill_embedding(stream);
    } else if (name.ends_with("norm.weight")) {
      fill_with(1);
    } else if (name.ends_with("norm.bias") || name == "unembedding.bias") {
      fill_with(0);
    } else {
      // A linear map's bias follows its weight.
      inputs = name.ends_with(".weight") ? entry.columns() : inputs;
      fill_weight(inputs, stream);
    }
  }
}

void ModelParameters::parameters_changed() noexcept {
  stored_.changed();
  Trainable::parameters_changed();
}

LinearBackward ModelParameters::linear_backward(std::size_t number, const float* inputs,
                                                const float* gradient, std::size_t rows,
                                                float* input_gradient,
                                                std::size_t num_threads) noexcept {
  const StoredParameters::LinearMap& map = stored_.map(number);
  return {.inputs = inputs,
          .gradient = gradient,
          .rows = rows,
          .input_gradient = input_gradient,
          .weight_gradient = this->gradient(map.weight),
          .bias_gradient = this->gradient(map.bias),
          .num_threads = num_threads};
}

const float* ModelParameters::positions(const Stack& stack) const noexcept {
  if (stack.position != none) {
    return values(stack.position) + settings_.position_offset * settings_.num_hiddens;
  }
  return sinusoids_.empty() ? nullptr : sinusoids_.data();
}

}  // namespace headwise
