#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <headwise/caller_memory.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

/// Reading and writing of records and messages. ../records/table.mjs describes their fields;
/// records.hpp is generated from it.
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

/// Types of the fields of records: whole words.
class Flag {
 public:
  Flag() = default;
  constexpr Flag(bool value) noexcept : word_(value ? 1 : 0) {}    // NOLINT(*-explicit-*)
  constexpr operator bool() const noexcept { return word_ != 0; }  // NOLINT(*-explicit-*)

 private:
  std::uint32_t word_;
};

class Wide {
 public:
  Wide() = default;
  constexpr Wide(std::uint64_t value) noexcept  // NOLINT(*-explicit-*)
      : low_(static_cast<std::uint32_t>(value)), high_(static_cast<std::uint32_t>(value >> 32U)) {}
  constexpr operator std::uint64_t() const noexcept {  // NOLINT(*-explicit-*)
    return low_ | static_cast<std::uint64_t>(high_) << 32U;
  }

 private:
  std::uint32_t low_;
  std::uint32_t high_;
};

/// JavaScript writes inputs as these words: both addresses, and the rank.
static_assert(sizeof(InputTensor) == 12);
static_assert(offsetof(InputTensor, data) == 0);
static_assert(offsetof(InputTensor, shape) == 4);

#if defined(HEADWISE_CHECKED)
/// Traps if `condition` is false.
void check(bool condition) noexcept;
/// Checks that so many bytes lie in WebAssembly memory and begin at a word.
void check_extent(Address address, std::size_t size) noexcept;
/// Checks an address in working memory, aligned to a cache line.
void check_working_address(const void* address, bool may_be_absent) noexcept;
/// Checks an address in working memory, or that of a tensor with memory of its own.
void check_floats(const void* address, bool may_be_absent) noexcept;
/// Checks any other address.
void check_address(const void* address, bool may_be_absent) noexcept;
/// Checks the addresses in a record; generated for each of them.
template <typename Fields>
void check_record(const Fields& record) noexcept;
template <typename Number>
void check_input(const Input<Number>& input) noexcept {
  check_address(input.data, true);
  check_address(input.shape.data(), true);
}
#endif

/// The record at an address.
template <typename Fields>
const Fields& record_at(Address address) noexcept {
#if defined(HEADWISE_CHECKED)
  check_extent(address, sizeof(Fields));
  check_record(*at<const Fields>(address));
#endif
  return *at<const Fields>(address);
}

/// Reads a message's fields in order. Texts, bytes and sizes are views of the message.
class MessageReader {
 public:
  explicit MessageReader(Address address) noexcept : next_(at<std::uint32_t>(address)) {}

  std::size_t size() noexcept { return *next_++; }
  bool flag() noexcept { return size() != 0; }
  void* address() noexcept { return at<void>(size()); }
  std::uint64_t wide() noexcept {
    const std::size_t low = size();
    return low | std::uint64_t{size()} << 32U;
  }
  double number() noexcept { return std::bit_cast<double>(wide()); }
  std::optional<double> optional() noexcept {
    const bool is_given = flag();
    const double value = number();
    return is_given ? std::optional(value) : std::nullopt;
  }
  std::span<char> bytes() noexcept {
    const std::size_t length = size();
    auto* const first = reinterpret_cast<char*>(next_);
    next_ += (length + sizeof(*next_) - 1) / sizeof(*next_);
    return {first, length};
  }
  std::string_view text() noexcept {
    const std::span<char> text = bytes();
    return {text.data(), text.size()};
  }
  std::span<const std::size_t> sizes() noexcept {
    static_assert(sizeof(std::size_t) == sizeof(*next_));
    const std::size_t count = size();
    const auto* const first = reinterpret_cast<const std::size_t*>(next_);
    next_ += count;
    return {first, count};
  }
  template <typename Item>
  void list(std::vector<Item>& items) {
    items = std::vector<Item>(size());
    for (Item& item : items) {
      read(*this, item);
    }
  }

  template <typename Item>
  void list(std::optional<Item>& item) {
    if (flag()) {
      read(*this, item.emplace());
    }
  }

  [[nodiscard]] Address position() const noexcept { return address_of(next_); }

 private:
  std::uint32_t* next_;
};

/// An item of a list, for C++ types whose items may be missing.
template <typename Item>
void read(MessageReader& stream, std::optional<Item>& item) {
  read(stream, item.emplace());
}

/// The message at an address.
template <typename Message>
Message message_at(Address address) {
  MessageReader reader(address);
  [[maybe_unused]] const std::size_t words = reader.size();
#if defined(HEADWISE_CHECKED)
  check_extent(address, words * sizeof(std::uint32_t));
#endif
  Message message;
  read(reader, message);
#if defined(HEADWISE_CHECKED)
  check(reader.position() == address + words * sizeof(std::uint32_t));
#endif
  return message;
}

/// Writes a message's fields in order.
class MessageWriter {
 public:
  void size(std::size_t value) { words_.push_back(static_cast<std::uint32_t>(value)); }
  void flag(bool value) { size(value ? 1 : 0); }
  void wide(std::uint64_t value) { append(&value, sizeof(value)); }
  void number(double value) { wide(std::bit_cast<std::uint64_t>(value)); }
  void bytes(std::string_view bytes) {
    size(bytes.size());
    append(bytes.data(), bytes.size());
  }
  void text(std::string_view text) { bytes(text); }
  void sizes(std::span<const std::size_t> sizes) {
    size(sizes.size());
    for (const std::size_t value : sizes) {
      size(value);
    }
  }
  void wides(std::span<const std::uint64_t> wides) {
    size(wides.size());
    for (const std::uint64_t value : wides) {
      wide(value);
    }
  }
  template <typename Items>
  void list(const Items& items) {
    size(items.size());
    for (const auto& item : items) {
      write(*this, item);
    }
  }

  std::vector<std::uint32_t> words() {
    words_.front() = static_cast<std::uint32_t>(words_.size());
    return std::move(words_);
  }

 private:
  /// Fills up to whole words.
  void append(const void* bytes, std::size_t count) {
    const std::size_t first = words_.size();
    words_.resize(first + (count + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t));
    if (count > 0) {
      std::memcpy(words_.data() + first, bytes, count);
    }
  }

  std::vector<std::uint32_t> words_ = {0};
};

}  // namespace headwise::bindings
