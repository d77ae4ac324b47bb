#include <headwise/api/make_tensor.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/core/attention/positional_encoding.hpp>
#include <headwise/positional_encoding.hpp>

namespace headwise {

Tensor<2> positional_encoding(std::int64_t length, std::int64_t num_hiddens) {
  return report_out_of_memory([&] {
    validation::check_positional_encoding(length, num_hiddens);
    const auto rows = static_cast<std::size_t>(length);
    const auto columns = static_cast<std::size_t>(num_hiddens);
    auto P = make_tensor<2>({rows, columns});
    positional_encoding_into(rows, columns, P.data());
    return P;
  });
}

}  // namespace headwise
