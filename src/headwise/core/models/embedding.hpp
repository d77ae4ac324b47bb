#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/models/model_parameters.hpp>

/// From tokens or pixels to the input of the first layer, and back.
namespace headwise {

/// The tokens of an encoder or decoder; the memory is the caller's.
struct EmbeddedTokens {
  const std::int32_t* tokens = nullptr;    ///< (batch, length); null for given embeddings
  const std::int32_t* segments = nullptr;  ///< (batch, length); null is all 0
  // In place of tokens, as in `TransformerPass`.
  const float* pixels = nullptr;
  const float* embeddings = nullptr;
  const float* stream = nullptr;
  std::size_t batch = 0;
  std::size_t length = 0;
  std::size_t num_cached = 0;  ///< tokens before them, which `keys` include
  AllowedKeys keys = {};       ///< the tokens that are not padding
  /// (batch, length), of `positions_into`
  const std::int32_t* positions = nullptr;

  [[nodiscard]] std::size_t rows() const noexcept { return batch * length; }
};

/// Where each token stands, (batch, length): real tokens are counted from 0 on, and a padded one
/// has the position of the token before it. In models with a padding token, padding is what it is,
/// at position −1; else it is what a key mask does not allow.
void positions_into(const TransformerSettings& settings, const EmbeddedTokens& tokens,
                    std::int32_t* positions) noexcept;

/// x (batch, length, num_hiddens) = embedding · scale.
void embed(const ModelParameters& parameters, const EmbeddedTokens& tokens, float* x) noexcept;
/// Adds to the gradient of the embeddings; overwrites `gradient`.
void embed_backward(ModelParameters& parameters, const EmbeddedTokens& tokens,
                    float* gradient) noexcept;

/// x (batch, length, num_hiddens) += position + segment, in models that have them.
void add_positions(const ModelParameters& parameters, const ModelParameters::Stack& stack,
                   const EmbeddedTokens& tokens, float* x) noexcept;
/// Adds to the gradients of positions and segments.
void add_positions_backward(ModelParameters& parameters, const ModelParameters::Stack& stack,
                            const EmbeddedTokens& tokens, const float* gradient) noexcept;

/// pixels (batch, channels, height, width) → patches (batch, patches, channels · height · width of
/// a patch), row by row of the image.
void cut_patches(const TransformerSettings& settings, const float* pixels, std::size_t batch,
                 float* patches) noexcept;
/// The gradient of the pixels from that of the patches.
void join_patches(const TransformerSettings& settings, const float* patches, std::size_t batch,
                  float* pixels) noexcept;

/// x (batch, length, num_hiddens): the class token, if there is one, and the patches, projected.
void embed_patches(const ModelParameters& parameters, const float* patches, std::size_t batch,
                   std::size_t num_threads, float* x) noexcept;

/// Adds to the gradients of class token and projection, and writes that of the patches.
/// Overwrites `gradient`, whose first rows then are the patches' alone.
void embed_patches_backward(ModelParameters& parameters, const float* patches, std::size_t batch,
                            std::size_t num_threads, float* gradient, float* patch_gradient,
                            Arena& arena) noexcept;

}  // namespace headwise
