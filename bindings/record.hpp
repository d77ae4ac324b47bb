#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// What passes between JavaScript and C++ besides plain numbers: addresses, and records of 32-bit
/// words that JavaScript lays into WebAssembly memory.
namespace headwise::bindings {

/// An address in WebAssembly memory, as a number that JavaScript can add to.
using Address = std::uintptr_t;

template <typename T>
T* at(Address address) noexcept {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

template <typename T>
Address address_of(const T* pointer) noexcept {
  return reinterpret_cast<Address>(pointer);
}

/// Reads a record's words one after the other.
class Record {
 public:
  explicit Record(Address address) noexcept : next_(at<std::int32_t>(address)) {}

  std::int32_t integer() noexcept { return *next_++; }
  std::size_t size() noexcept { return static_cast<std::uint32_t>(integer()); }
  bool flag() noexcept { return integer() != 0; }
  template <typename T>
  T* pointer() noexcept {
    return at<T>(size());
  }
  /// Two words, the lower one first.
  std::uint64_t wide() noexcept {
    const std::uint64_t low = size();
    return low | static_cast<std::uint64_t>(size()) << 32U;
  }
  /// Bytes behind their number, filled up to whole words. They stay where they are.
  std::span<char> bytes() noexcept {
    const std::size_t length = size();
    auto* const first = reinterpret_cast<char*>(next_);
    next_ += (length + sizeof(std::int32_t) - 1) / sizeof(std::int32_t);
    return {first, length};
  }
  std::string_view text() noexcept {
    const std::span<char> text = bytes();
    return {text.data(), text.size()};
  }

 private:
  std::int32_t* next_;
};

}  // namespace headwise::bindings
