#include <cmath>
#include <cstddef>
#include <headwise/attention/positional_encoding.hpp>
#include <headwise/attention/validation.hpp>

namespace headwise {

Tensor<2> positional_encoding(std::int64_t length, std::int64_t num_hiddens) {
  validation::check_positional_encoding(length, num_hiddens);
  const auto rows = static_cast<std::size_t>(length);
  const auto columns = static_cast<std::size_t>(num_hiddens);
  auto P = report_out_of_memory([&] { return Tensor<2>::from_shape({rows, columns}); });
  positional_encoding_into(rows, columns, P.data());
  return P;
}

void positional_encoding_into(std::size_t length, std::size_t num_hiddens, float* P) noexcept {
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t column = 0; column < num_hiddens; ++column) {
      const auto even = static_cast<double>(column - column % 2);
      const double angle =
          static_cast<double>(i) / std::pow(10000.0, even / static_cast<double>(num_hiddens));
      *P++ = static_cast<float>(column % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

}  // namespace headwise
