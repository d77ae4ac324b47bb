// The toy example of d2l's chapter "Multi-Head Attention": all keys are equal, so every head
// spreads its attention evenly over the valid ones.
#include <cstdint>
#include <cstdio>
#include <headwise/headwise.hpp>

int main() {
  headwise::MultiHeadAttention attention({.num_hiddens = 100, .num_heads = 5, .dropout = 0.5});
  const headwise::Tensor<3> X({2, 4, 100}, 1.0F);  // (batch, queries, num_hiddens)
  const headwise::Tensor<3> Y({2, 6, 100}, 1.0F);  // (batch, key-value pairs, num_hiddens)
  // Of the 6 keys, those each sample may attend to.
  const xt::xtensor<std::int64_t, 1> valid_lens{3, 2};

  const auto result =
      attention.forward(X, Y, Y, {.valid_lens = valid_lens, .return_weights = true});
  const headwise::Tensor<3>& output = result.output;
  const headwise::Tensor<4>& weights = result.attention_weights.value();

  std::printf("output: (%zu, %zu, %zu)\n", output.shape(0), output.shape(1), output.shape(2));
  for (std::size_t sample = 0; sample < weights.shape(0); ++sample) {
    std::printf("\nsample %zu, %d valid keys\n", sample, static_cast<int>(valid_lens(sample)));
    for (std::size_t head = 0; head < weights.shape(1); ++head) {
      std::printf("  head %zu\n", head);
      for (std::size_t query = 0; query < weights.shape(2); ++query) {
        std::printf("   ");
        for (std::size_t key = 0; key < weights.shape(3); ++key) {
          std::printf(" %.3f", static_cast<double>(weights(sample, head, query, key)));
        }
        std::printf("\n");
      }
    }
  }
}
