#include <headwise/core/parallel/fork_join_queue.hpp>
#include <headwise/core/parallel/waiting.hpp>

namespace headwise::parallel {

// Unused in builds without threads.
#if !defined(__wasm__) || defined(__wasm_atomics__)

namespace {

constexpr unsigned threads_shift = 32;
constexpr std::uint64_t threads_mask = 0xFF;
constexpr unsigned job_shift = 40;
constexpr std::uint64_t left_mask = 0xFFFFFFFF;

/// Iterations of a spin loop after which a thread yields its processor.
constexpr int max_spins = 4000;

}  // namespace

void ForkJoinQueue::run(std::size_t pieces, std::size_t threads, Work work,
                        const void* context) noexcept {
  work_ = work;
  context_ = context;
  pieces_ = pieces;
  finished_.store(0, std::memory_order_relaxed);
  const std::uint64_t job = (open_.load(std::memory_order_relaxed) >> job_shift) + 1;
  open_.store(job << job_shift | (threads & threads_mask) << threads_shift | pieces,
              std::memory_order_release);
  wake_epoch_.fetch_add(1, std::memory_order_release);
  wake_all(wake_epoch_);
  while (take_piece(0, generation_.load(std::memory_order_relaxed))) {
  }
  for (int spins = 0; finished_.load(std::memory_order_acquire) != pieces;) {
    if (spins < max_spins) {
      ++spins;
      relax();
    } else {
      yield();
    }
  }
}

void ForkJoinQueue::worker_loop(std::size_t thread, std::uint32_t generation) noexcept {
  for (;;) {
    const std::uint32_t seen = wake_epoch_.load(std::memory_order_acquire);
    if (generation_.load(std::memory_order_acquire) != generation) {
      return;
    }
    if (!take_piece(thread, generation)) {
      wait_for_wake(seen);
    }
  }
}

void ForkJoinQueue::set_generation(std::uint32_t generation) noexcept {
  generation_.store(generation, std::memory_order_release);
  wake_epoch_.fetch_add(1, std::memory_order_release);
  wake_all(wake_epoch_);
}

bool ForkJoinQueue::take_piece(std::size_t thread, std::uint32_t generation) noexcept {
  std::uint64_t open = open_.load(std::memory_order_acquire);
  // A worker that sees a job of a later generation sees the new generation here, too.
  while ((open & left_mask) > 0 && thread < (open >> threads_shift & threads_mask) &&
         generation_.load(std::memory_order_relaxed) == generation) {
    if (open_.compare_exchange_weak(open, open - 1, std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      work_(context_, pieces_ - static_cast<std::size_t>(open & left_mask), thread);
      finished_.fetch_add(1, std::memory_order_release);
      return true;
    }
  }
  return false;
}

void ForkJoinQueue::wait_for_wake(std::uint32_t seen) noexcept {
  for (Spin spin; spin.should_continue();) {
    if (wake_epoch_.load(std::memory_order_acquire) != seen) {
      return;
    }
    relax();
  }
  wait(wake_epoch_, seen);
}

#endif

}  // namespace headwise::parallel
