#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace headwise {

/// a · b · …, saturated at the largest std::size_t, for which no memory suffices.
template <typename... Sizes>
[[nodiscard]] constexpr std::size_t saturating_product(Sizes... sizes) noexcept {
  std::size_t product = 1;
  const auto multiply = [&](std::size_t size) {
    product = size != 0 && product > std::numeric_limits<std::size_t>::max() / size
                  ? std::numeric_limits<std::size_t>::max()
                  : product * size;
  };
  // One size of 0 makes the product 0, even if the others overflow.
  if (((static_cast<std::size_t>(sizes) == 0) || ...)) {
    return 0;
  }
  (multiply(static_cast<std::size_t>(sizes)), ...);
  return product;
}

[[nodiscard]] constexpr std::size_t saturating_sum(std::size_t a, std::size_t b) noexcept {
  return a > std::numeric_limits<std::size_t>::max() - b ? std::numeric_limits<std::size_t>::max()
                                                         : a + b;
}

/// A bump allocator over the working memory of a call. The function that lays out a pass runs
/// twice: with an arena that measures, whose parts are null, and with one that carves memory of the
/// measured size. Since it is the same function, the two cannot disagree. Source: llm.c's size
/// tables.
class Arena {
 public:
  /// Alignment of every part in bytes: a cache line, so that no vector straddles two.
  static constexpr std::size_t alignment = 64;

  /// An arena that measures.
  Arena() noexcept = default;
  /// An arena that carves [memory, memory + bytes), which is aligned to `alignment`.
  Arena(void* memory, std::size_t bytes) noexcept
      : memory_(static_cast<char*>(memory)), bytes_(bytes) {
    assert(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
  }

  /// Uninitialized memory for a tensor of this shape; null while measuring.
  template <typename Number = float, typename... Sizes>
  [[nodiscard]] Number* take(Sizes... sizes) noexcept {
    const std::size_t bytes = saturating_product(sizeof(Number), sizes...);
    auto* const part = memory_ != nullptr ? reinterpret_cast<Number*>(memory_ + used_) : nullptr;
    used_ = saturating_sum(used_, saturating_sum(bytes, alignment - 1)) / alignment * alignment;
    max_used_ = std::max(max_used_, used_);
    assert(memory_ == nullptr || used_ <= bytes_);
    return part;
  }

  /// Peak of the bytes in use; the largest multiple of `alignment` if that overflows.
  [[nodiscard]] std::size_t bytes() const noexcept { return max_used_; }

  /// Releases at its end what was taken within it, for the next stage of the pass.
  class Scope {
   public:
    explicit Scope(Arena& arena) noexcept : arena_(arena), used_(arena.used_) {}
    Scope(const Scope&) = delete;
    Scope(Scope&&) = delete;
    Scope& operator=(const Scope&) = delete;
    Scope& operator=(Scope&&) = delete;
    ~Scope() { arena_.used_ = used_; }

   private:
    Arena& arena_;
    std::size_t used_;
  };

 private:
  char* memory_ = nullptr;
  [[maybe_unused]] std::size_t bytes_ = 0;  ///< asserted only
  std::size_t used_ = 0;
  std::size_t max_used_ = 0;
};

/// A part of the same size for each thread of a job.
class ThreadArenas {
 public:
  /// `lay_out(arena)` takes what one thread needs at most.
  template <typename LayOut>
  ThreadArenas(Arena& arena, std::size_t num_threads, const LayOut& lay_out) noexcept {
    Arena measuring;
    lay_out(measuring);
    bytes_ = measuring.bytes();
    memory_ = arena.take<char>(num_threads, bytes_);
  }

  [[nodiscard]] Arena of(std::size_t thread) const noexcept {
    return {memory_ + thread * bytes_, bytes_};
  }

 private:
  char* memory_;
  std::size_t bytes_;
};

/// The bytes that `lay_out(arena)` takes.
template <typename LayOut>
[[nodiscard]] std::size_t measure(const LayOut& lay_out) noexcept {
  Arena arena;
  lay_out(arena);
  return arena.bytes();
}

}  // namespace headwise
