#include <array>
#include <headwise/core/attention/rotary.hpp>
#include <headwise/core/elementary_functions.hpp>
#include <headwise/core/kernels/dispatch.hpp>

namespace headwise {
namespace {

/// A position is `rotation_stride` · a + b: the rotations by either part are few.
constexpr std::int64_t rotation_stride = 64;

/// The rotations e^{iωp} of one frequency ω, as e^{iω·64a} · e^{iωb}, whichever was computed
/// before: the result depends on p alone.
class Frequency {
 public:
  explicit Frequency(double radians) noexcept : radians_(radians) {}

  SinCos at(std::int64_t position) noexcept {
    const std::int64_t a = position / rotation_stride;
    const auto b = static_cast<std::size_t>(position % rotation_stride);
    if (a != a_) {
      a_ = a;
      of_a_ = sin_cos_of(radians_ * static_cast<double>(rotation_stride * a));
    }
    if ((known_ >> b & 1U) == 0) {
      known_ |= std::uint64_t{1} << b;
      of_b_[b] = sin_cos_of(radians_ * static_cast<double>(b));
    }
    return of_a_ + of_b_[b];
  }

 private:
  double radians_;
  std::int64_t a_ = 0;
  SinCos of_a_{.sine = 0, .cosine = 1};
  std::uint64_t known_ = 0;  ///< a bit for each b
  std::array<SinCos, rotation_stride> of_b_{};
};

}  // namespace

void rotations_into(const std::int32_t* positions, std::int64_t first, std::size_t count,
                    const RotarySettings& rotary, float* table) noexcept {
  const std::size_t pairs = rotary.size / 2;
  const double logarithm = natural_logarithm(rotary.base);
  for (std::size_t i = 0; i < pairs; ++i) {
    const double part = static_cast<double>(2 * i) / static_cast<double>(rotary.size);
    const double unscaled = exponential_of(-logarithm * part);
    Frequency frequency(rotary.scaled_frequency != nullptr
                            ? rotary.scaled_frequency(rotary, i, unscaled)
                            : unscaled);
    for (std::size_t row = 0; row < count; ++row) {
      const SinCos rotation = frequency.at(
          positions != nullptr ? positions[row] : first + static_cast<std::int64_t>(row));
      table[row * rotary.size + i] = static_cast<float>(rotation.cosine * rotary.attention_factor);
      table[row * rotary.size + pairs + i] =
          static_cast<float>(rotation.sine * rotary.attention_factor);
    }
  }
}

void rotate_heads(const RotatedHeads& heads, const float* table, std::size_t sample_stride,
                  const RotarySettings& rotary, bool inverse) noexcept {
  const std::size_t width = heads.num_heads * heads.head_size;
  for (std::size_t sample = 0; heads.length > 0 && sample < heads.batch; ++sample) {
    for (std::size_t i = 0; i < heads.length; ++i) {
      const std::size_t row = sample * heads.length + i;
      if (heads.read == nullptr || heads.read[row] != 0) {
        kernels::rotate(heads.rows + row * width, heads.num_heads, heads.head_size,
                        table + (sample * sample_stride + i) * rotary.size, rotary.size,
                        rotary.interleaved, inverse);
      }
    }
  }
}

}  // namespace headwise
