#include <algorithm>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/models/embedding.hpp>
#include <optional>

namespace headwise {
namespace {

std::size_t length_of(const TransformerSettings& settings) noexcept {
  return settings.num_patches() + (settings.class_token ? 1 : 0);
}

/// copy(pixels, patches) for every run of pixels that lies in one row of a patch.
template <typename Copy>
void for_each_run(const TransformerSettings& settings, std::size_t batch,
                  const Copy& copy) noexcept {
  const std::size_t size = settings.patch_size;
  const std::size_t side = settings.image_size / size;
  const std::size_t rows = batch * settings.channels * settings.image_size;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t y = row % settings.image_size;
    const std::size_t channel = row / settings.image_size % settings.channels;
    const std::size_t sample = row / settings.image_size / settings.channels;
    for (std::size_t column = 0; column < side; ++column) {
      const std::size_t patch = (sample * side + y / size) * side + column;
      const std::size_t run = (patch * settings.channels + channel) * size + y % size;
      copy(row * settings.image_size + column * size, run * size);
    }
  }
}

}  // namespace

void positions_into(const TransformerSettings& settings, const EmbeddedTokens& tokens,
                    std::int32_t* positions) noexcept {
  const std::size_t num_keys = tokens.num_cached + tokens.length;
  const auto& padding =
      tokens.tokens != nullptr ? settings.padding_token : std::optional<std::int64_t>();
  for (std::size_t sample = 0; sample < tokens.batch; ++sample) {
    std::int32_t count = 0;
    for (std::size_t key = 0; key < num_keys; ++key) {
      const bool is_new = key >= tokens.num_cached;
      const std::size_t row = sample * tokens.length + key - tokens.num_cached;
      const bool is_real = padding ? !is_new || tokens.tokens[row] != *padding
                                   : tokens.keys.allow(sample, key, num_keys);
      count += is_real ? 1 : 0;
      if (is_new) {
        positions[row] = padding && !is_real ? -1 : std::max(count - 1, 0);
      }
    }
  }
}

void embed(const ModelParameters& parameters, const EmbeddedTokens& tokens, float* x) noexcept {
  const std::size_t size = parameters.settings().num_hiddens;
  const float scale = parameters.settings().embedding_scale;
  for (std::size_t row = 0; row < tokens.rows(); ++row, x += size) {
    const auto token = static_cast<std::size_t>(tokens.tokens[row]);
    parameters.stored().read(parameters.embedding(), token, 1, x);
    if (scale != 1.0F) {
      kernels::scale(x, size, scale);
    }
  }
}

void embed_backward(ModelParameters& parameters, const EmbeddedTokens& tokens,
                    float* gradient) noexcept {
  const TransformerSettings& settings = parameters.settings();
  const std::size_t size = settings.num_hiddens;
  float* embeddings = parameters.gradient(parameters.embedding());
  for (std::size_t row = 0; row < tokens.rows(); ++row, gradient += size) {
    if (settings.embedding_scale != 1.0F) {
      kernels::scale(gradient, size, settings.embedding_scale);
    }
    const auto token = static_cast<std::size_t>(tokens.tokens[row]);
    kernels::add(embeddings + token * size, gradient, size);
  }
}

void add_positions(const ModelParameters& parameters, const ModelParameters::Stack& stack,
                   const EmbeddedTokens& tokens, float* x) noexcept {
  const std::size_t size = parameters.settings().num_hiddens;
  const float* positions = parameters.positions(stack);
  const float* segments = parameters.values(parameters.segment());
  for (std::size_t row = 0; row < tokens.rows(); ++row, x += size) {
    if (positions != nullptr) {
      const std::ptrdiff_t first = tokens.positions[row] * static_cast<std::ptrdiff_t>(size);
      kernels::add(x, positions + first, size);
    }
    if (segments != nullptr) {
      const auto segment =
          tokens.segments != nullptr ? static_cast<std::size_t>(tokens.segments[row]) : 0;
      kernels::add(x, segments + segment * size, size);
    }
  }
}

void add_positions_backward(ModelParameters& parameters, const ModelParameters::Stack& stack,
                            const EmbeddedTokens& tokens, const float* gradient) noexcept {
  const TransformerSettings& settings = parameters.settings();
  const std::size_t size = settings.num_hiddens;
  float* positions = parameters.gradient(stack.position);
  float* segments = parameters.gradient(parameters.segment());
  for (std::size_t row = 0; row < tokens.rows(); ++row, gradient += size) {
    if (positions != nullptr) {
      const auto position =
          static_cast<std::ptrdiff_t>(settings.position_offset) + tokens.positions[row];
      kernels::add(positions + position * static_cast<std::ptrdiff_t>(size), gradient, size);
    }
    if (segments != nullptr) {
      const auto segment =
          tokens.segments != nullptr ? static_cast<std::size_t>(tokens.segments[row]) : 0;
      kernels::add(segments + segment * size, gradient, size);
    }
  }
}

void cut_patches(const TransformerSettings& settings, const float* pixels, std::size_t batch,
                 float* patches) noexcept {
  for_each_run(settings, batch, [&](std::size_t from, std::size_t to) {
    std::copy_n(pixels + from, settings.patch_size, patches + to);
  });
}

void join_patches(const TransformerSettings& settings, const float* patches, std::size_t batch,
                  float* pixels) noexcept {
  for_each_run(settings, batch, [&](std::size_t to, std::size_t from) {
    std::copy_n(patches + from, settings.patch_size, pixels + to);
  });
}

void embed_patches(const ModelParameters& parameters, const float* patches, std::size_t batch,
                   std::size_t num_threads, float* x) noexcept {
  const TransformerSettings& settings = parameters.settings();
  const std::size_t size = settings.num_hiddens;
  const std::size_t length = length_of(settings);
  const std::size_t floats = settings.num_patches() * size;
  // Projected side by side, then moved apart from the last sample on, to make room for class
  // tokens.
  const RowProjection projection{.linear = parameters.linear(parameters.patches()),
                                 .inputs = patches,
                                 .outputs = x,
                                 .rows = batch * settings.num_patches()};
  project({&projection, 1}, num_threads);
  for (std::size_t sample = batch; settings.class_token && sample-- > 0;) {
    float* first = x + sample * length * size;
    float* projected = x + sample * floats;
    std::copy_backward(projected, projected + floats, first + size + floats);
    std::copy_n(parameters.values(parameters.class_token()), size, first);
  }
}

void embed_patches_backward(ModelParameters& parameters, const float* patches, std::size_t batch,
                            std::size_t num_threads, float* gradient, float* patch_gradient,
                            Arena& arena) noexcept {
  const TransformerSettings& settings = parameters.settings();
  const std::size_t size = settings.num_hiddens;
  const std::size_t length = length_of(settings);
  const std::size_t floats = settings.num_patches() * size;
  for (std::size_t sample = 0; settings.class_token && sample < batch; ++sample) {
    const float* first = gradient + sample * length * size;
    kernels::add(parameters.gradient(parameters.class_token()), first, size);
    std::copy(first + size, first + size + floats, gradient + sample * floats);
  }
  linear_backward(
      parameters.linear(parameters.patches()),
      parameters.linear_backward(parameters.patches(), patches, gradient,
                                 batch * settings.num_patches(), patch_gradient, num_threads),
      arena);
}

}  // namespace headwise
