#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/attention/stored_parameters.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <headwise/core/training/trainable.hpp>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwise {

/// The prefix of the names of a layer's parameters, `layers.0.`.
[[nodiscard]] std::string prefix_of_layer(std::size_t layer);
/// The name of one side's part: `heads`, `cross_heads`, `encoder_heads`.
[[nodiscard]] std::string name_of_side(Side side, std::string_view name);
/// The prefix of the names of an attention layer's parameters, `layers.0.attention.`.
[[nodiscard]] std::string attention_prefix(Side side, std::size_t layer);

/// The parameters of a transformer outside its attention layers: embeddings, norms, feed-forward
/// layers, unembedding; and their gradients.
class ModelParameters final : public Trainable {
 public:
  /// An index in the table, or a linear map, that the model does not have.
  static constexpr std::size_t none = StoredParameters::none;

  /// Indices of a norm's parameters.
  struct NormIndices {
    std::size_t weight = none;
    std::size_t bias = none;

    [[nodiscard]] bool exists() const noexcept { return weight != none; }
  };
  /// Linear maps of a feed-forward layer, by their number.
  struct FeedForward {
    std::size_t gate = none;
    std::size_t dense1 = none;
    std::size_t dense2 = none;
  };
  /// The norm of a sublayer, and the one behind it.
  struct SublayerNorms {
    NormIndices norm;
    NormIndices post_norm;
  };
  struct Layer {
    SublayerNorms attention;
    SublayerNorms cross_attention;
    SublayerNorms feed_forward;
    FeedForward ffn;
  };
  /// An encoder or a decoder.
  struct Stack {
    std::size_t position = none;
    NormIndices embedding_norm;
    std::vector<Layer> layers;
    NormIndices final_norm;
  };

  ModelParameters(const TransformerSettings& settings, InitialParameters initial);

  /// Names and shapes of a model's parameters, for which nothing is allocated.
  [[nodiscard]] static ParameterTable table_of(const TransformerSettings& settings);

  [[nodiscard]] const TransformerSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] const Stack& decoder() const noexcept { return decoder_; }
  [[nodiscard]] const Stack& encoder() const noexcept { return encoder_; }

  /// Indices in the table.
  [[nodiscard]] std::size_t embedding() const noexcept { return embedding_; }
  [[nodiscard]] std::size_t segment() const noexcept { return segment_; }
  [[nodiscard]] std::size_t class_token() const noexcept { return class_token_; }
  /// Numbers of linear maps.
  [[nodiscard]] std::size_t patches() const noexcept { return patches_; }
  [[nodiscard]] std::size_t unembedding() const noexcept { return unembedding_; }

  [[nodiscard]] StoredParameters& stored() noexcept { return stored_; }
  [[nodiscard]] const StoredParameters& stored() const noexcept { return stored_; }
  /// A parameter by its index in the table, other than the weight of a linear map; null for `none`.
  [[nodiscard]] const float* values(std::size_t index) const noexcept {
    return stored_.values(index);
  }
  /// Its gradient; null for `none`. Requires `have_gradients`.
  [[nodiscard]] float* gradient(std::size_t index) noexcept {
    return index != none ? gradients_.data() + table_.entries()[index].offset : nullptr;
  }
  [[nodiscard]] bool have_gradients() const noexcept { return !gradients_.empty(); }
  /// Zeros if there are no gradients yet, else empty. Holds the weights row-major, too.
  [[nodiscard]] AlignedFloats allocate_gradients() {
    static_cast<void>(stored_.row_major());
    return zero_floats(have_gradients() ? 0 : table_.size());
  }
  /// Keeps what `allocate_gradients` returned.
  void keep_gradients(AlignedFloats&& gradients) noexcept {
    if (!have_gradients()) {
      gradients_ = std::move(gradients);
    }
  }

  /// A linear map by its number. Its packed weights are valid after `stored().pack()`.
  [[nodiscard]] Linear linear(std::size_t number) const noexcept { return stored_.linear(number); }
  /// Its backward pass for these rows, with the gradients of its parameters.
  [[nodiscard]] LinearBackward linear_backward(std::size_t number, const float* inputs,
                                               const float* gradient, std::size_t rows,
                                               float* input_gradient,
                                               std::size_t num_threads) noexcept;

  /// (max_length, num_hiddens) of a stack, learned or not; null without.
  [[nodiscard]] const float* positions(const Stack& stack) const noexcept;

  [[nodiscard]] std::string_view weights_precision() const noexcept override {
    return name_of(settings_.weights);
  }
  [[nodiscard]] const ParameterTable& parameter_table() const noexcept override { return table_; }
  [[nodiscard]] float* parameter_values() override { return stored_.row_major(); }
  [[nodiscard]] float* parameter_gradients() noexcept override { return gradients_.data(); }
  void parameters_changed() noexcept override;
  [[nodiscard]] std::span<const RemovedSlice> removed_slices() const noexcept override {
    return {};
  }

 private:
  /// Lays out the parameters and allocates none.
  struct LayoutOnly {};
  ModelParameters(const TransformerSettings& settings, LayoutOnly layout_only);

  std::size_t add(const std::string& prefix, std::string_view name,
                  std::initializer_list<std::size_t> shape);
  NormIndices add_norm(const std::string& prefix, std::string_view name);
  std::size_t add_linear(std::size_t weight, std::size_t bias);
  std::size_t add_linear(const std::string& prefix, std::string_view name,
                         std::initializer_list<std::size_t> shape, bool bias);
  Stack add_stack(const std::string& prefix, const StackSettings& stack);
  void initialize();
  [[nodiscard]] bool embedding_is_unembedding() const noexcept {
    return settings_.head && settings_.tied_embeddings;
  }

  TransformerSettings settings_;
  ParameterTable table_;
  Stack decoder_;
  Stack encoder_;
  std::size_t embedding_ = none;
  std::size_t segment_ = none;
  std::size_t class_token_ = none;
  std::size_t patches_ = none;
  std::size_t unembedding_ = none;
  std::vector<StoredParameters::LinearMap> maps_;
  StoredParameters stored_;
  AlignedFloats sinusoids_;
  AlignedFloats gradients_;
};

}  // namespace headwise
