#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/attention/attention_probe.hpp>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/models/activations.hpp>

/// What the pass of a model captures and patches inside one attention layer.
namespace headwise {

/// Working memory of `LayerProbe`; null where nothing is captured or patched.
struct LayerProbeBuffers {
  std::int32_t* query_places = nullptr;  ///< (queries,), as in `WeightRows`
  float* pattern = nullptr;              ///< (batch, heads, queries, keys), of a patched layer
  float* row_entropy = nullptr;          ///< (batch, heads, queries)
  float* head_out = nullptr;  ///< (batch, heads, queries, num_hiddens), of a patched layer

  /// `names` as in `ModelPassSizes::probed`.
  static LayerProbeBuffers lay_out(Arena& arena, std::uint32_t names, std::size_t batch,
                                   std::size_t heads, std::size_t queries, std::size_t keys,
                                   std::size_t num_hiddens) noexcept;
};

/// What a pass captures and patches in one attention layer.
class LayerProbe final : public AttentionProbe {
 public:
  LayerProbe(const PassProbe& probe, Side side, std::size_t number, AttentionLayer& layer,
             const ForwardArguments& arguments, const LayerProbeBuffers& buffers) noexcept
      : probe_(&probe),
        side_(side),
        number_(number),
        layer_(&layer),
        arguments_(&arguments),
        buffers_(buffers) {}

  [[nodiscard]] bool reads_all_keys() const noexcept override;
  void projected(const HeadsOfPass& heads) noexcept override;
  void before_pooling(PoolingArguments& pooling) noexcept override;
  void after_pooling(const PoolingArguments& pooling) noexcept override;
  void after_output(float* output) noexcept override;

 private:
  [[nodiscard]] ActivationPlace at(ActivationName name) const noexcept {
    return {.at = name, .side = side_, .layer = number_};
  }
  [[nodiscard]] ActivationView view(const HeadsView<float>& heads, std::size_t num_heads,
                                    std::size_t rows, std::size_t size) const noexcept;
  [[nodiscard]] ActivationView weights_view(float* weights) const noexcept;
  void capture_keys(const PoolingArguments& pooling, ActivationName name) const noexcept;
  void pool_patched_rows(const PoolingArguments& pooling) const noexcept;
  void return_weights(const PoolingArguments& pooling) const noexcept;
  void project_heads(const HeadsView<float>& pooled, const std::int32_t* positions,
                     std::size_t num_positions, float* to) const noexcept;

  const PassProbe* probe_;
  Side side_;
  std::size_t number_;
  AttentionLayer* layer_;
  const ForwardArguments* arguments_;
  LayerProbeBuffers buffers_;
};

/// The same in its backward pass.
class LayerGradientProbe final : public AttentionGradientProbe {
 public:
  LayerGradientProbe(const PassProbe& probe, Side side, std::size_t number) noexcept
      : probe_(&probe), side_(side), number_(number) {}

  void before_pooling(const PoolingArguments& pooling,
                      const HeadsView<float>& pooled) noexcept override;
  void after_pooling(const PoolingArguments& pooling,
                     const PoolingGradients& gradients) noexcept override;

 private:
  [[nodiscard]] ActivationPlace at(ActivationName name) const noexcept {
    return {.at = name, .side = side_, .layer = number_};
  }
  /// function(patch, sample, head, row, number) for the rows of pooled heads that are constants.
  template <typename Function>
  void for_each_constant_row(ActivationName name, const PoolingArguments& pooling,
                             const Function& function) const noexcept;

  const PassProbe* probe_;
  Side side_;
  std::size_t number_;
};

}  // namespace headwise
