#include "memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <headwise/core/memory/checked_sizes.hpp>
#include <limits>
#include <new>
#include <utility>

// Emscripten's runtime: sets the stack pointer. The linker: the address where the stack begins.
// NOLINTBEGIN(*-identifier-naming, bugprone-*, cert-*)
extern "C" void _emscripten_stack_restore(void* stack);
extern "C" char __stack_high;
// NOLINTEND(*-identifier-naming, bugprone-*, cert-*)

namespace headwise::bindings {
namespace {

constexpr double max_address = 4294967295.0;
/// Alignment of tensors in bytes, so that no vector straddles two cache lines.
constexpr std::size_t cache_line = 64;

/// memalign, which near the end of 4 GB returns blocks that run past the end of memory; null for
/// those.
void* aligned_block(std::size_t alignment, std::size_t bytes) noexcept {
  constexpr std::uint64_t page = 65536;
  void* const block = memalign(alignment, bytes);
  if (std::uint64_t{address_of(block)} + bytes <= page * __builtin_wasm_memory_size(0)) {
    return block;
  }
  std::free(block);
  return nullptr;
}

/// A block of so many floats from a cache line on, null if memory does not suffice.
void* block_of(double floats) noexcept {
  const double bytes = floats * sizeof(float);
  return bytes < max_address ? aligned_block(cache_line, static_cast<std::size_t>(bytes)) : nullptr;
}

/// One block, which grows to the largest call so far, so that a second call of the same shapes
/// allocates nothing.
class WorkingMemory {
 public:
  /// The address of a block of at least `floats` floats, 0 if memory does not suffice. The block's
  /// contents are lost.
  Address reserve(double floats) noexcept {
    const double bytes = floats * sizeof(float);
    if (bytes > static_cast<double>(size_)) {
      std::free(block_);
      block_ = block_of(floats);
      size_ = block_ != nullptr ? static_cast<std::size_t>(bytes) : 0;
    }
    return address_of(block_);
  }

  [[nodiscard]] std::size_t bytes_from(Address address) const noexcept {
    return address_of(block_) + size_ - address;
  }

  [[nodiscard]] bool has(Address address) const noexcept {
    return address >= address_of(block_) && address <= address_of(block_) + size_;
  }

 private:
  void* block_ = nullptr;
  std::size_t size_ = 0;
};

/// Precedes each block that C++ allocates: links it to the others that the same call has allocated.
struct Header {
  Header* previous;
  Header* next;
  std::uint32_t call;
  void* block;  ///< as malloc returned it
};
/// Alignment of blocks shorter than a cache line.
constexpr std::size_t small_alignment = 16;
static_assert(sizeof(Header) == small_alignment);

/// The blocks that the current call has allocated and not freed.
class CallBlocks {
 public:
  void begin() noexcept {
    ++call_;
    latest_ = nullptr;
  }

  void add(Header& header) noexcept {
    header.previous = latest_;
    header.next = nullptr;
    header.call = call_;
    if (latest_ != nullptr) {
      latest_->next = &header;
    }
    latest_ = &header;
  }

  void remove(Header& header) noexcept {
    if (header.call != call_) {
      return;
    }
    if (header.previous != nullptr) {
      header.previous->next = header.next;
    }
    (header.next != nullptr ? header.next->previous : latest_) = header.previous;
  }

  void free_all() noexcept {
    while (latest_ != nullptr) {
      std::free(std::exchange(latest_, latest_->previous)->block);
    }
  }

 private:
  std::uint32_t call_ = 0;
  Header* latest_ = nullptr;
};

// NOLINTBEGIN(*-avoid-non-const-global-variables)
WorkingMemory working_memory;
CallBlocks call_blocks;
bool has_failed = false;
// NOLINTEND(*-avoid-non-const-global-variables)

Header* header_of(void* numbers) noexcept { return static_cast<Header*>(numbers) - 1; }

/// malloc alone aligns to 8 bytes. What it skips to align a block stays with the block before, so
/// that short ones are not aligned to a cache line.
void* allocate(std::size_t size, std::size_t alignment) noexcept {
  void* const block = size <= std::numeric_limits<std::size_t>::max() - 2 * cache_line
                          ? aligned_block(alignment, size + alignment)
                          : nullptr;
  if (block == nullptr) {
    fail_allocation();
  }
  void* const numbers = static_cast<char*>(block) + alignment;
  Header& header = *header_of(numbers);
  header.block = block;
  call_blocks.add(header);
  return numbers;
}

void deallocate(void* numbers) noexcept {
  if (numbers != nullptr) {
    Header& header = *header_of(numbers);
    call_blocks.remove(header);
    std::free(header.block);
  }
}

/// Not inlined, since its caller, which moves the stack, must have nothing on it.
[[gnu::noinline]] std::size_t free_call_blocks() noexcept {
  if (!has_failed) {
    return 0;
  }
  call_blocks.free_all();
  has_failed = false;
  return 1;
}

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

Address new_tensor(double floats) noexcept { return address_of(block_of(floats)); }

void delete_tensor(Address tensor) noexcept { std::free(at<void>(tensor)); }

Arena working_arena(float* memory) noexcept {
  return {memory, working_memory.bytes_from(address_of(memory))};
}

void begin_call() noexcept { call_blocks.begin(); }

void end_call() noexcept {
#if defined(HEADWISE_CHECKED)
  const auto* const first = at<const volatile char>(1) - 1;
  check(std::all_of(first, first + unused_bytes, [](char byte) { return byte == 0; }));
#endif
}

std::size_t recover() noexcept {
  _emscripten_stack_restore(&__stack_high);
  return free_call_blocks();
}

}  // namespace headwise::bindings

void headwise::fail_allocation() {
  bindings::has_failed = true;
  __builtin_trap();
}

// NOLINTBEGIN(misc-use-internal-linkage): they replace the library's.
void* operator new(std::size_t size) {
  using namespace headwise::bindings;  // NOLINT(google-build-using-namespace)
  return allocate(size, size < cache_line ? small_alignment : cache_line);
}
void operator delete(void* block) noexcept { headwise::bindings::deallocate(block); }
void* operator new(std::size_t size, std::align_val_t /*at most a line*/) {
  return headwise::bindings::allocate(size, headwise::bindings::cache_line);
}
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept {
  headwise::bindings::deallocate(block);
}
/// JavaScript draws seeds, and gives every call one.
extern "C" int getentropy(void* /*bytes*/, std::size_t /*count*/) { return -1; }
// NOLINTEND(misc-use-internal-linkage)
