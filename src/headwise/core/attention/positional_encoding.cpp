#include <headwise/core/attention/positional_encoding.hpp>
#include <headwise/core/elementary_functions.hpp>
#include <numbers>

namespace headwise {

void positional_encoding_into(std::size_t length, std::size_t num_hiddens, float* P,
                              bool halves) noexcept {
  constexpr double ln_10000 = 4 * std::numbers::ln10;
  for (std::size_t column = 0; length > 0 && column < num_hiddens; column += 2) {
    const std::size_t sine = halves ? column / 2 : column;
    const std::size_t cosine = halves ? (num_hiddens + 1) / 2 + column / 2 : column + 1;
    const SinCos step =
        sin_cos(exp_neg(ln_10000 * static_cast<double>(column) / static_cast<double>(num_hiddens)));
    // Rotated from position to position, with an error of one rounding of a double per step.
    SinCos angle{.sine = 0, .cosine = 1};
    for (std::size_t i = 0; i < length; ++i, angle = angle + step) {
      float* row = P + i * num_hiddens;
      row[sine] = static_cast<float>(angle.sine);
      if (column + 1 < num_hiddens) {
        row[cosine] = static_cast<float>(angle.cosine);
      }
    }
  }
}

}  // namespace headwise
