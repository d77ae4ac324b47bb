#pragma once

#include <algorithm>
#include <cstddef>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <memory>
#include <new>
#include <utility>

namespace headwise {

/// Uninitialized heap memory, aligned to a cache line.
class AlignedBytes {
 public:
  AlignedBytes() noexcept = default;
  /// Fails as `operator new` does.
  explicit AlignedBytes(std::size_t bytes)
      : memory_(checked_count({&bytes, 1}, 1) > 0
                    ? ::operator new(bytes, std::align_val_t{Arena::alignment})
                    : nullptr),
        size_(bytes) {}
  AlignedBytes(AlignedBytes&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  AlignedBytes& operator=(AlignedBytes&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  ~AlignedBytes() = default;

  [[nodiscard]] void* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct Delete {
    void operator()(void* memory) const noexcept {
      ::operator delete(memory, std::align_val_t{Arena::alignment});
    }
  };

  std::unique_ptr<void, Delete> memory_;
  std::size_t size_ = 0;
};

/// Uninitialized floats on the heap, aligned to a cache line.
class AlignedFloats {
 public:
  AlignedFloats() noexcept = default;
  explicit AlignedFloats(std::size_t count)
      : bytes_(checked_count({&count, 1}, sizeof(float)) * sizeof(float)) {}
  AlignedFloats(const AlignedFloats& other) : bytes_(other.bytes_.size()) {
    std::copy_n(other.data(), other.size(), data());
  }
  AlignedFloats(AlignedFloats&&) noexcept = default;
  AlignedFloats& operator=(const AlignedFloats& other) {
    if (this != &other) {
      *this = AlignedFloats(other);
    }
    return *this;
  }
  AlignedFloats& operator=(AlignedFloats&&) noexcept = default;
  ~AlignedFloats() = default;

  [[nodiscard]] static AlignedFloats zeros(std::size_t count) {
    AlignedFloats floats(count);
    write_zeros(floats.data(), count);
    return floats;
  }

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / sizeof(float); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] float* data() noexcept { return static_cast<float*>(bytes_.data()); }
  [[nodiscard]] const float* data() const noexcept {
    return static_cast<const float*>(bytes_.data());
  }

 private:
  AlignedBytes bytes_;
};

}  // namespace headwise
