#include <atomic>
#include <headwise/core/attention/layer_cache.hpp>

namespace headwise {

std::uint64_t LayerIdentity::next() noexcept {
  static std::atomic<std::uint64_t> count = 0;
  return ++count;
}

}  // namespace headwise
