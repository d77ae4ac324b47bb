#include <atomic>
#include <headwise/core/attention/layer_cache.hpp>

namespace headwise {

std::uint64_t LayerIdentity::next() noexcept {
  static std::atomic<std::uint64_t> count = 0;
  return ++count;
}

LayerCache::LayerCache(std::uint64_t layer, const Sizes& sizes, Precision precision)
    : layer_(layer), sizes_(sizes), precision_(precision) {
  if (precision != Precision::float32) {
    quantized_ = QuantizedHeads(sizes, precision);
    return;
  }
  const std::size_t count =
      saturating_product(sizes.batch, sizes.num_heads, sizes.max_length, sizes.head_size);
  keys_ = AlignedFloats(count);
  values_ = AlignedFloats(count);
}

}  // namespace headwise
