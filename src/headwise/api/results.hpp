#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <headwise/caller_memory.hpp>
#include <headwise/core/memory/arena.hpp>
#include <initializer_list>
#include <span>

namespace headwise {

/// A result of a call.
class Result {
 public:
  /// Not wanted.
  Result() = default;
  Result(ResultName name, bool is_wanted, std::initializer_list<std::size_t> shape) noexcept
      : name_(name), is_wanted_(is_wanted), rank_(shape.size()) {
    std::ranges::copy(shape, shape_.begin());
  }

  /// Asks for its memory. May throw.
  void place_in(ResultMemory& results) {
    if (is_wanted_) {
      to_ = results.of(name_, shape());
      is_own_ = to_ == nullptr;
    }
  }
  /// Takes memory for it if it got none.
  void lay_out(Arena& arena) noexcept {
    if (is_own_) {
      to_ = arena.take(shape_[0], shape_[1], shape_[2], shape_[3]);
    }
  }
  /// Gives away what the call has written there.
  void give(ResultMemory& results) const noexcept {
    if (is_own_) {
      results.take(name_, to_);
    }
  }

  /// Null if it is not wanted.
  [[nodiscard]] float* to() const noexcept { return to_; }

 private:
  static constexpr std::size_t max_rank = 4;

  [[nodiscard]] std::span<const std::size_t> shape() const noexcept {
    return std::span(shape_).first(rank_);
  }

  ResultName name_ = ResultName::output;
  bool is_wanted_ = false;
  bool is_own_ = false;
  std::size_t rank_ = 0;
  std::array<std::size_t, max_rank> shape_ = {1, 1, 1, 1};
  float* to_ = nullptr;
};

}  // namespace headwise
