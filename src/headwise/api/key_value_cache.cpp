#include <atomic>
#include <headwise/api/validation.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/key_value_cache.hpp>

namespace headwise {

std::uint64_t LayerIdentity::next() noexcept {
  static std::atomic<std::uint64_t> count = 0;
  return ++count;
}

KeyValueCache::KeyValueCache(std::uint64_t layer, std::size_t batch_size, std::size_t max_length,
                             std::size_t num_heads, std::size_t head_size)
    : layer_(layer),
      keys_(make_tensor<4>({batch_size, num_heads, max_length, head_size})),
      values_(make_tensor<4>({batch_size, num_heads, max_length, head_size})) {}

KeyValueCache::KeyValueCache(const KeyValueCache& other)
    : in_use_(other.in_use_),
      layer_(other.layer_),
      keys_(copied(other.keys_)),
      values_(copied(other.values_)),
      length_(other.length_) {}

KeyValueCache& KeyValueCache::operator=(const KeyValueCache& other) {
  if (this != &other) {
    *this = KeyValueCache(other);
  }
  return *this;
}

void KeyValueCache::truncate(std::int64_t length) {
  if constexpr (validation::enabled) {
    report_out_of_memory([&] {
      validation::check_in_use(in_use(), "cache");
      validation::check_truncate(length, length_);
    });
  }
  length_ = static_cast<std::size_t>(length);
}

}  // namespace headwise
