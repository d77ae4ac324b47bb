#pragma once

#include <cstddef>

/// What `operator new` does in this program: it counts, and fails when it is told to. All of it
/// concerns the calling thread only, but for `live`.
namespace headwise::test::allocations {

/// Pieces of memory that were not given back yet, of all threads.
[[nodiscard]] std::size_t live() noexcept;

enum class Failing {
  one,  ///< a single allocation, those after it succeed
  all_from_then_on,
};

struct Scope {
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

/// Until the end of the scope, lets `successes` allocations succeed and the next one fail.
class Fail : Scope {
 public:
  Fail(std::size_t successes, Failing failing) noexcept;
  ~Fail();

  [[nodiscard]] static bool has_failed() noexcept;
};

/// Until the end of the scope, allocations neither fail nor count: for a caller's own functions
/// inside a call that is made to fail.
class Spare : Scope {
 public:
  Spare() noexcept;
  ~Spare();

 private:
  bool was_counting_;
};

/// Until the end of the scope, there are no more than so many bytes, given back or not: a small
/// machine, on any machine.
class Limit : Scope {
 public:
  explicit Limit(std::size_t bytes) noexcept;
  ~Limit();
};

}  // namespace headwise::test::allocations
