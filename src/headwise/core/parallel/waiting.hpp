#pragma once

#include <atomic>
#include <cstdint>
#if !defined(__wasm__)
#include <chrono>
#include <thread>
#endif

/// How threads wait: natively by the standard library; in WebAssembly, where it has no threads, by
/// atomic instructions.
namespace headwise::parallel {

/// Whether this build can have threads beside the caller's.
#if defined(__wasm__) && !defined(__wasm_atomics__)
inline constexpr bool has_threads = false;
#else
inline constexpr bool has_threads = true;
#endif

/// Hints to the processor that this is a spin loop.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Yields to another thread, where that is possible.
inline void yield() noexcept {
#if !defined(__wasm__)
  std::this_thread::yield();
#endif
}

/// Limits how long an idle thread spins before it sleeps: some tens of microseconds, the time
/// between the jobs of one forward pass, for which waking up would take longer than the wait.
/// Measured by the clock, since a pause instruction takes from 10 to 150 cycles.
class Spin {
 public:
  [[nodiscard]] bool should_continue() noexcept {
#if defined(__wasm__)
    // There is no clock; an iteration is little more than a load.
    constexpr int max_iterations = 20000;
    return iteration_++ < max_iterations;
#else
    return Clock::now() < end_;
#endif
  }

 private:
#if defined(__wasm__)
  int iteration_ = 0;
#else
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::now() + std::chrono::microseconds(50);
#endif
};

#if defined(__wasm__) && defined(__wasm_atomics__)

/// Sleeps until `word` is no longer `seen`; may wake spuriously. Not for a page's main thread,
/// where engines forbid it.
inline void wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  constexpr std::int64_t forever = -1;
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&word), static_cast<int>(seen),
                                      forever);
}

inline void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  constexpr std::uint32_t everyone = -1;
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&word), everyone);
}

#elif !defined(__wasm__)

inline void wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  word.wait(seen, std::memory_order_acquire);
}

inline void wake_all(std::atomic<std::uint32_t>& word) noexcept { word.notify_all(); }

#endif

}  // namespace headwise::parallel
