#include <headwise/core/kernels/rotary.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// The two halves of `count` floats each against each other; `direction` is −1 to rotate back.
void rotate_halves(float* HEADWISE_RESTRICT head, const float* HEADWISE_RESTRICT rotation,
                   std::size_t count, float direction) noexcept {
  const float* cosines = rotation;
  const float* sines = rotation + count;
  float* second = head + count;
  // −x of xsimd is a function that objects of all instruction sets would share at -O1.
  const Batch directions(direction);
  const Batch against(-direction);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    const Batch cosine = load_at_most(cosines + i, left);
    const Batch sine = load_at_most(sines + i, left);
    const Batch x = load_at_most(head + i, left);
    const Batch y = load_at_most(second + i, left);
    store_at_most(multiply_add(x, cosine, y * (sine * against)), left, head + i);
    store_at_most(multiply_add(y, cosine, x * (sine * directions)), left, second + i);
  }
}

/// `count` pairs of neighbours. Native compilers vectorize it.
void rotate_neighbours(float* HEADWISE_RESTRICT head, const float* HEADWISE_RESTRICT rotation,
                       std::size_t count, float direction) noexcept {
  const float* cosines = rotation;
  const float* sines = rotation + count;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = head[2 * i];
    const float y = head[2 * i + 1];
    const float sine = direction * sines[i];
    head[2 * i] = x * cosines[i] - y * sine;
    head[2 * i + 1] = y * cosines[i] + x * sine;
  }
}

}  // namespace

void rotate(float* row, std::size_t num_heads, std::size_t head_size, const float* rotation,
            std::size_t size, bool interleaved, bool inverse) noexcept {
  assert(size % 2 == 0 && size <= head_size);
  assert(holds(row, num_heads * head_size) && holds(rotation, size));
  assert(disjoint(row, num_heads * head_size, rotation, size));
  const float direction = inverse ? -1.0F : 1.0F;
  for (std::size_t head = 0; head < num_heads; ++head, row += head_size) {
    if (interleaved) {
      rotate_neighbours(row, rotation, size / 2, direction);
    } else {
      rotate_halves(row, rotation, size / 2, direction);
    }
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
