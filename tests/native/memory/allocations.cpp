#include "allocations.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace headwise::test::allocations {
namespace {

struct State {
  bool counts = false;
  std::size_t successes = 0;
  Failing failing = Failing::one;
  bool has_failed = false;
  std::size_t bytes_left = std::numeric_limits<std::size_t>::max();
};

std::atomic<std::size_t> number_live = 0;
constinit thread_local State state;

bool must_fail(std::size_t bytes) noexcept {
  if (bytes > state.bytes_left) {
    return true;
  }
  if (state.bytes_left != std::numeric_limits<std::size_t>::max()) {
    state.bytes_left -= bytes;
  }
  if (!state.counts) {
    return false;
  }
  if (state.successes > 0) {
    --state.successes;
    return false;
  }
  const bool is_first = !state.has_failed;
  state.has_failed = true;
  return is_first || state.failing == Failing::all_from_then_on;
}

/// Null where it fails.
void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
  if (must_fail(bytes)) {
    return nullptr;
  }
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  void* memory =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(size)
          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  number_live += memory != nullptr ? 1 : 0;
  return memory;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  void* memory = allocate(bytes, alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

void release(void* memory) noexcept {
  number_live -= memory != nullptr ? 1 : 0;
  std::free(memory);
}

constexpr std::size_t number(std::align_val_t alignment) noexcept {
  return static_cast<std::size_t>(alignment);
}

}  // namespace

std::size_t live() noexcept { return number_live; }

Fail::Fail(std::size_t successes, Failing failing) noexcept {
  state.successes = successes;
  state.failing = failing;
  state.has_failed = false;
  state.counts = true;
}

Fail::~Fail() { state.counts = false; }

bool Fail::has_failed() noexcept { return state.has_failed; }

Spare::Spare() noexcept : was_counting_(state.counts) { state.counts = false; }
Spare::~Spare() { state.counts = was_counting_; }

Limit::Limit(std::size_t bytes) noexcept { state.bytes_left = bytes; }
Limit::~Limit() { state.bytes_left = std::numeric_limits<std::size_t>::max(); }

}  // namespace headwise::test::allocations

// The standard says of each form what it calls by default, but a sanitizer has
// forms of its own.
namespace to = headwise::test::allocations;

#define HEADWISE_REPLACE(new_form, delete_form)                                                   \
  void* new_form(std::size_t bytes) { return to::allocate_or_throw(bytes); }                      \
  void* new_form(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {                     \
    return to::allocate(bytes);                                                                   \
  }                                                                                               \
  void* new_form(std::size_t bytes, std::align_val_t alignment) {                                 \
    return to::allocate_or_throw(bytes, to::number(alignment));                                   \
  }                                                                                               \
  void* new_form(std::size_t bytes, std::align_val_t alignment,                                   \
                 const std::nothrow_t& /*tag*/) noexcept {                                        \
    return to::allocate(bytes, to::number(alignment));                                            \
  }                                                                                               \
  void delete_form(void* memory) noexcept { to::release(memory); }                                \
  void delete_form(void* memory, std::size_t) noexcept { to::release(memory); }                   \
  void delete_form(void* memory, const std::nothrow_t&) noexcept { to::release(memory); }         \
  void delete_form(void* memory, std::align_val_t) noexcept { to::release(memory); }              \
  void delete_form(void* memory, std::size_t, std::align_val_t) noexcept { to::release(memory); } \
  void delete_form(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {              \
    to::release(memory);                                                                          \
  }

HEADWISE_REPLACE(operator new, operator delete)
HEADWISE_REPLACE(operator new[], operator delete[])
