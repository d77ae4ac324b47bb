#include "memory.hpp"

#include <malloc.h>

#include <cstddef>
#include <cstdlib>

namespace headwise::bindings {
namespace {

constexpr double address_space = 4294967295.0;
/// Bytes: what numbers begin at, so that no vector of theirs lies across two lines.
constexpr std::size_t cache_line = 64;

/// One block, which grows to the largest call so far, so that a second call of the same shapes
/// allocates nothing.
class WorkingMemory {
 public:
  /// The address of a block of at least `floats` floats, 0 if there is no room. What the block held
  /// is lost.
  Address reserve(double floats) noexcept {
    const double bytes = floats * sizeof(float);
    if (bytes > static_cast<double>(size_)) {
      std::free(block_);
      block_ =
          bytes < address_space ? memalign(cache_line, static_cast<std::size_t>(bytes)) : nullptr;
      size_ = block_ != nullptr ? static_cast<std::size_t>(bytes) : 0;
    }
    return address_of(block_);
  }

 private:
  void* block_ = nullptr;
  std::size_t size_ = 0;
};

WorkingMemory working_memory;  // NOLINT(*-avoid-non-const-global-variables)

}  // namespace

Address reserve(double floats) { return working_memory.reserve(floats); }

bool can_allocate(double bytes) {
  if (bytes >= address_space) {
    return false;
  }
  void* volatile block =
      std::malloc(static_cast<std::size_t>(bytes));  // volatile: not optimized away
  const bool possible = block != nullptr;
  std::free(block);
  return possible;
}

}  // namespace headwise::bindings

// All that C++ allocates, tensors among it: malloc would give them multiples of 8 bytes.
// NOLINTBEGIN(misc-use-internal-linkage): they replace the library's.
void* operator new(std::size_t size) { return memalign(headwise::bindings::cache_line, size); }
void operator delete(void* block) noexcept { std::free(block); }
// NOLINTEND(misc-use-internal-linkage)
