#pragma once

#include <atomic>
#include <cstdint>
#if !defined(__wasm__)
#include <chrono>
#include <thread>
#endif

/// How a thread waits. Natively the standard library knows; in WebAssembly its threads do not
/// exist, only the instructions below them.
namespace headwise::parallel {

/// Whether this build can have threads beside the caller's.
#if defined(__wasm__) && !defined(__wasm_atomics__)
inline constexpr bool has_threads = false;
#else
inline constexpr bool has_threads = true;
#endif

/// Tells the processor that this is a loop that waits.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Lets another thread have the processor, if there is a way to say so.
inline void yield() noexcept {
#if !defined(__wasm__)
  std::this_thread::yield();
#endif
}

/// How long an idle thread turns in a loop before it sleeps: some tens of microseconds, the time
/// between the parts of one forward pass, for which waking up would take longer than the wait.
/// Turns are no measure of it: a processor's pause takes from 10 to 150 cycles.
class Spin {
 public:
  [[nodiscard]] bool goes_on() noexcept {
#if defined(__wasm__)
    // No clock, and a turn is next to nothing but a load.
    constexpr int turns = 20000;
    return turn_++ < turns;
#else
    return Clock::now() < end_;
#endif
  }

 private:
#if defined(__wasm__)
  int turn_ = 0;
#else
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::now() + std::chrono::microseconds(50);
#endif
};

#if defined(__wasm__) && defined(__wasm_atomics__)

/// Sleeps until `word` is no longer `seen`, or for no reason. Not for a page's main thread, where
/// engines forbid it.
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
