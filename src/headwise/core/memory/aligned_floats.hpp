#pragma once

// xtensor moved its headers into folders with 0.26; both layouts are in use.
#if __has_include(<xtensor/containers/xstorage.hpp>)
#include <xtensor/containers/xstorage.hpp>
#else
#include <xtensor/xstorage.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <new>

namespace headwise {

/// Allocates memory that begins at a cache line.
template <typename Element>
class LineAllocator {
 public:
  // Names of the standard's allocators. NOLINTBEGIN(*-identifier-naming)
  using value_type = Element;
  using pointer = Element*;
  using const_pointer = const Element*;
  using reference = Element&;
  using const_reference = const Element&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  // NOLINTEND(*-identifier-naming)

  /// Fails as `operator new` does. Not by the aligned one, whose blocks in WebAssembly do not fit
  /// again where they were.
  [[nodiscard]] Element* allocate(std::size_t count) {
    const std::size_t bytes = checked_count({&count, 1}, sizeof(Element)) * sizeof(Element);
    auto* const block = static_cast<char*>(::operator new(bytes + line));
    char* const begin = block + line - reinterpret_cast<std::uintptr_t>(block) % line;
    // Blocks begin at multiples of a pointer's size, so there is room for one before the line.
    std::memcpy(begin - sizeof(block), static_cast<const void*>(&block), sizeof(block));
    return reinterpret_cast<Element*>(begin);
  }
  void deallocate(Element* memory, std::size_t /*count*/) noexcept {
    if (memory != nullptr) {
      void* block = nullptr;
      std::memcpy(static_cast<void*>(&block), reinterpret_cast<char*>(memory) - sizeof(block),
                  sizeof(block));
      ::operator delete(block);
    }
  }

  friend bool operator==(const LineAllocator&, const LineAllocator&) = default;

 private:
  static constexpr std::size_t line = Arena::alignment;
};

/// Uninitialized heap memory, as xtensor's containers have it, from a cache line on.
using AlignedBytes = xt::uvector<std::byte, LineAllocator<std::byte>>;
using AlignedFloats = xt::uvector<float, LineAllocator<float>>;

[[nodiscard]] inline AlignedFloats zero_floats(std::size_t count) {
  AlignedFloats floats(count);
  write_zeros(floats.data(), count);
  return floats;
}

}  // namespace headwise
