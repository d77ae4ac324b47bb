// The chapter's toy example: all keys are equal, so every head weighs the valid ones alike.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <headwise/headwise.hpp>

int main() {
  headwise::MultiHeadAttention attention({.num_hiddens = 100, .num_heads = 5});
  const xt::xtensor<float, 3> queries({2, 4, 100}, 1.0F);
  const xt::xtensor<float, 3> pairs({2, 6, 100}, 1.0F);
  const xt::xtensor<std::int64_t, 1> valid_lens{3, 2};

  const auto [output, attention_weights] =
      attention.forward(queries, pairs, pairs, {.valid_lens = valid_lens, .return_weights = true});
  if (output.shape() != queries.shape() || !attention_weights) {
    std::puts("unexpected shape of the output, or no weights");
    return 1;
  }
  for (std::size_t sample = 0; sample < 2; ++sample) {
    for (std::size_t head = 0; head < 5; ++head) {
      for (std::size_t query = 0; query < 4; ++query) {
        for (std::size_t key = 0; key < 6; ++key) {
          const auto valid = static_cast<std::size_t>(valid_lens(sample));
          const float expected = key < valid ? 1.0F / static_cast<float>(valid) : 0.0F;
          const float weight = (*attention_weights)(sample, head, query, key);
          if (std::abs(weight - expected) > 1e-6F) {
            std::printf("weight (%zu, %zu, %zu, %zu): expected %g, got %g\n", sample, head, query,
                        key, static_cast<double>(expected), static_cast<double>(weight));
            return 1;
          }
        }
      }
    }
  }
  std::printf("%g %g\n", static_cast<double>((*attention_weights)(0, 0, 0, 0)),
              static_cast<double>((*attention_weights)(1, 0, 0, 0)));
  return 0;
}
