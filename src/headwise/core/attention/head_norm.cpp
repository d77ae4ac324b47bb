#include <cmath>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/attention/head_norm.hpp>
#include <headwise/core/memory/zeros.hpp>

namespace headwise {
namespace {

struct HeadNorm {
  const float* weight;  ///< (size)
  double epsilon;
  std::size_t size;

  HeadNorm(const AttentionLayer& layer, std::size_t number) noexcept
      : weight(layer.parameters()->data(number)),
        epsilon(layer.settings().qk_norm->epsilon),
        size(layer.settings().head_size) {}

  /// 1 / √(mean of the squares + epsilon)
  [[nodiscard]] double factor_of(const float* head) const noexcept {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      sum += static_cast<double>(head[i]) * static_cast<double>(head[i]);
    }
    return 1 / std::sqrt(sum / static_cast<double>(size) + epsilon);
  }

  void forward(const float* head, float* to) const noexcept {
    const auto factor = static_cast<float>(factor_of(head));
    for (std::size_t i = 0; i < size; ++i) {
      to[i] = head[i] * factor * weight[i];
    }
  }

  void backward(const float* head, float* gradient, float* weight_gradient) const noexcept {
    bool is_zero = true;
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      is_zero = is_zero && gradient[i] == 0;
      sum += static_cast<double>(gradient[i] * weight[i]) * static_cast<double>(head[i]);
    }
    if (is_zero) {
      return;  // Nothing reads it, so that it may not be finite.
    }
    const double factor = factor_of(head);
    const double mean = sum * factor * factor / static_cast<double>(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto x = static_cast<double>(head[i]);
      const auto dy = static_cast<double>(gradient[i]);
      weight_gradient[i] += static_cast<float>(dy * x * factor);
      gradient[i] = static_cast<float>((dy * static_cast<double>(weight[i]) - x * mean) * factor);
    }
  }
};

}  // namespace

void normalize_heads(const AttentionLayer& layer, const ProjectedHeads& heads,
                     const std::uint8_t* read, float* Q, float* K) noexcept {
  const auto normalize = [&](std::size_t number, const float* from, std::size_t rows,
                             std::size_t num_heads, const std::uint8_t* read_rows, float* to) {
    const HeadNorm norm(layer, number);
    for (std::size_t head = 0; head < rows * num_heads; ++head) {
      if (read_rows == nullptr || read_rows[head / num_heads] != 0) {
        norm.forward(from + head * norm.size, to + head * norm.size);
      } else {
        write_zeros(to + head * norm.size, norm.size);
      }
    }
  };
  const LayerSettings& settings = layer.settings();
  normalize(parameter_number::q_norm, heads.Q, heads.query_rows, settings.num_heads, nullptr, Q);
  normalize(parameter_number::k_norm, heads.K, heads.key_rows, settings.num_kv_heads, read, K);
}

void normalize_heads_backward(AttentionLayer& layer, const ProjectedHeads& heads, float* grad_Q,
                              float* grad_K) noexcept {
  const auto backward = [&](std::size_t number, const float* from, std::size_t count,
                            float* gradient) {
    const HeadNorm norm(layer, number);
    for (std::size_t head = 0; head < count; ++head) {
      norm.backward(from + head * norm.size, gradient + head * norm.size, layer.gradient(number));
    }
  };
  const LayerSettings& settings = layer.settings();
  backward(parameter_number::q_norm, heads.Q, heads.query_rows * settings.num_heads, grad_Q);
  backward(parameter_number::k_norm, heads.K, heads.key_rows * settings.num_kv_heads, grad_K);
}

}  // namespace headwise
