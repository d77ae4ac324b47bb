#pragma once

#include <array>
#include <cstddef>
#include <headwise/caller_memory.hpp>
#include <headwise/core/memory/arena.hpp>
#include <span>

namespace headwise {

/// A result of a call: where it is written, in the caller's memory or in the call's own.
class Result {
 public:
  Result(ResultName name, bool is_wanted, std::size_t a, std::size_t b) noexcept
      : Result(name, is_wanted, a, b, 1) {
    rank_ = 2;
  }
  Result(ResultName name, bool is_wanted, std::size_t batch, std::size_t a, std::size_t b) noexcept
      : Result(name, is_wanted, batch, a, b, 1) {
    rank_ = 3;
  }
  Result(ResultName name, bool is_wanted, std::size_t batch, std::size_t a, std::size_t b,
         std::size_t c) noexcept
      : name_(name), is_wanted_(is_wanted), shape_({batch, a, b, c}) {}

  /// Asks for the memory of each result that is wanted. May throw.
  static void place(std::span<Result> results, ResultMemory& memory) {
    for (Result& each : results) {
      if (each.is_wanted_) {
        each.to_ = memory.of(each.name_, each.shape());
        each.is_own_ = each.to_ == nullptr;
      }
    }
  }
  /// Takes memory for each result that got none. Called with an arena that measures, then with one
  /// that carves.
  static void lay_out(std::span<Result> results, Arena& arena) noexcept {
    for (Result& each : results) {
      if (each.is_own_) {
        each.to_ = arena.take(each.shape_[0], each.shape_[1], each.shape_[2], each.shape_[3]);
      }
    }
  }
  /// Hands over what the call has written to that memory.
  static void give(std::span<const Result> results, ResultMemory& memory) noexcept {
    for (const Result& each : results) {
      if (each.is_own_) {
        memory.take(each.name_, each.to_);
      }
    }
  }

  /// Null if it is not wanted.
  [[nodiscard]] float* to() const noexcept { return to_; }

 private:
  [[nodiscard]] std::span<const std::size_t> shape() const noexcept {
    return std::span(shape_).first(rank_);
  }

  ResultName name_;
  bool is_wanted_;
  bool is_own_ = false;
  std::size_t rank_ = 4;
  std::array<std::size_t, 4> shape_ = {};
  float* to_ = nullptr;
};

}  // namespace headwise
