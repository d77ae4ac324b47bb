#include "memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <headwise/api/working_memory.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/random.hpp>
#include <new>

namespace headwise::bindings {
namespace {

constexpr double max_address = 4294967295.0;
/// Alignment of tensors in bytes, so that no vector straddles two cache lines.
constexpr std::size_t cache_line = 64;

double bytes_of(double floats) noexcept { return floats * sizeof(float); }

/// One block, which grows to the largest call so far, so that a second call of the same shapes
/// allocates nothing.
class Block {
 public:
  /// The address of a block of at least `floats` floats, 0 if memory does not suffice. The block's
  /// contents are lost.
  Address reserve(double floats) noexcept {
    const double bytes = bytes_of(floats);
    if (bytes > static_cast<double>(size_)) {
      std::free(block_);
      // Not by memalign, which asks for more than what it then gives back: after an attempt that
      // failed, the size before must be there again.
      const bool fits = bytes < max_address - cache_line;
      block_ = fits ? std::malloc(static_cast<std::size_t>(bytes) + cache_line) : nullptr;
      size_ = block_ != nullptr ? static_cast<std::size_t>(bytes) : 0;
      first_ = (address_of(block_) + cache_line - 1) / cache_line * cache_line;
    }
    return first_;
  }

  [[nodiscard]] bool has(Address address) const noexcept {
    return address >= first_ && address <= first_ + size_;
  }

 private:
  void* block_ = nullptr;
  Address first_ = 0;
  std::size_t size_ = 0;
};

// NOLINTBEGIN(*-avoid-non-const-global-variables)
Block working_memory;
/// What C++ lays out itself, while the arguments of the call lie in `working_memory`.
Block inner_memory;
// NOLINTEND(*-avoid-non-const-global-variables)

#if defined(HEADWISE_CHECKED)
/// The linker leaves these bytes unused, and nothing may write there.
constexpr std::size_t unused_bytes = 256;
#endif

}  // namespace

#if defined(HEADWISE_CHECKED)
void check(bool condition) noexcept {
  if (!condition) {
    __builtin_trap();
  }
}

void check_extent(Address address, std::size_t size) noexcept {
  constexpr std::uint64_t page = 65536;
  check(address != 0 && address % sizeof(std::uint32_t) == 0 &&
        std::uint64_t{address} + size <= page * __builtin_wasm_memory_size(0));
}

void check_working_address(const void* address, bool may_be_absent) noexcept {
  check_address(address, may_be_absent);
  check(address == nullptr ||
        (address_of(address) % cache_line == 0 && working_memory.has(address_of(address))));
}

void check_floats(const void* address, bool may_be_absent) noexcept {
  check_address(address, may_be_absent);
  if (working_memory.has(address_of(address))) {
    check_working_address(address, may_be_absent);
  }
}

void check_address(const void* address, bool may_be_absent) noexcept {
  if (address == nullptr) {
    check(may_be_absent);
  } else {
    check_extent(address_of(address), 0);
  }
}
#endif

Address reserve(double floats) { return working_memory.reserve(floats); }

Address new_tensor(double floats) {
  return address_of(LineAllocator<float>().allocate(checked_count(floats)));
}

void delete_tensor(Address tensor) noexcept {
  LineAllocator<float>().deallocate(at<float>(tensor), 0);
}

void end_call() noexcept {
#if defined(HEADWISE_CHECKED)
  const auto* const first = at<const volatile char>(1) - 1;
  check(std::all_of(first, first + unused_bytes, [](char byte) { return byte == 0; }));
#endif
}

}  // namespace headwise::bindings

// One block for all calls, as large as the largest needs.
headwise::WorkingMemory::WorkingMemory(std::size_t bytes)
    : memory_(bindings::at<std::byte>(bindings::inner_memory.reserve(
          static_cast<double>(std::max(bytes, bindings::cache_line)) / sizeof(float)))),
      arena_(memory_, bytes) {
  if (memory_ == nullptr) {
    throw std::bad_alloc();
  }
}

headwise::WorkingMemory::~WorkingMemory() = default;

/// JavaScript draws seeds, and gives every call one.
std::uint64_t headwise::random_seed() { return 0; }
