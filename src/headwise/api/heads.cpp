#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/heads.hpp>

namespace headwise {

Tensor<4> split_heads(const TensorView<3>& X, std::int64_t num_heads) {
  return report_out_of_memory([&] {
    validation::check_divides(num_heads, "the last axis of X", X.shape(2));
    const auto heads = static_cast<std::size_t>(num_heads);
    const std::size_t batch = X.shape(0);
    const std::size_t length = X.shape(1);
    const std::size_t head_size = X.shape(2) / heads;
    auto result = make_tensor<4>({batch, heads, length, head_size});
    copy_heads(split_heads_view(X.data(), length, heads, head_size),
               separate_heads_view(result.data(), heads, length, head_size), batch, heads, length,
               head_size);
    return result;
  });
}

Tensor<3> transpose_qkv(const TensorView<3>& X, std::int64_t num_heads) {
  Tensor<4> heads = split_heads(X, num_heads);
  auto result = report_out_of_memory([&] {
    return make_tensor<3>({heads.shape(0) * heads.shape(1), heads.shape(2), heads.shape(3)});
  });
  std::copy_n(heads.data(), heads.size(), result.data());
  return result;
}

Tensor<3> transpose_output(const TensorView<3>& X, std::int64_t num_heads) {
  return report_out_of_memory([&] {
    validation::check_divides(num_heads, "the first axis of X", X.shape(0));
    const auto heads = static_cast<std::size_t>(num_heads);
    const std::size_t batch = X.shape(0) / heads;
    const std::size_t length = X.shape(1);
    const std::size_t head_size = X.shape(2);
    auto result = make_tensor<3>({batch, length, heads * head_size});
    copy_heads(separate_heads_view(X.data(), heads, length, head_size),
               split_heads_view(result.data(), length, heads, head_size), batch, heads, length,
               head_size);
    return result;
  });
}

}  // namespace headwise
