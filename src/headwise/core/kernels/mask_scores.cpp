#include <headwise/core/kernels/mask_scores.hpp>
#include <limits>

namespace headwise::kernels {
namespace {

constexpr float hidden = -std::numeric_limits<float>::infinity();

}  // namespace

bool mask_scores(float* scores, std::size_t count, const std::uint8_t* allowed,
                 std::size_t stride) noexcept {
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_allowed = allowed[i * stride] != 0;
    any = any || is_allowed;
    scores[i] = is_allowed ? scores[i] : hidden;
  }
  return any;
}

bool add_mask_to_scores(float* scores, std::size_t count, const float* added,
                        std::size_t stride) noexcept {
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    const float addend = added[i * stride];
    const bool is_allowed = addend != hidden;
    any = any || is_allowed;
    scores[i] = is_allowed ? scores[i] + addend : hidden;
  }
  return any;
}

}  // namespace headwise::kernels
