#include <headwise/core/parallel/job_board.hpp>
#include <headwise/core/parallel/waiting.hpp>

namespace headwise::parallel {

// A build that has no threads has nobody to post jobs for.
#if !defined(__wasm__) || defined(__wasm_atomics__)

namespace {

constexpr unsigned threads_shift = 32;
constexpr std::uint64_t threads_mask = 0xFF;
constexpr unsigned job_shift = 40;
constexpr std::uint64_t left_mask = 0xFFFFFFFF;

/// Turns of a waiting loop, some tens of microseconds: the pause between the parts of one forward
/// pass, for which waking up would take longer than the wait.
constexpr int idle_turns = 20000;
/// Turns after which a thread that waits for others lets them have its processor.
constexpr int impatient_turns = 4000;

}  // namespace

void JobBoard::run(std::size_t pieces, std::size_t threads, Work work,
                   const void* context) noexcept {
  work_ = work;
  context_ = context;
  pieces_ = pieces;
  finished_.store(0, std::memory_order_relaxed);
  const std::uint64_t job = (open_.load(std::memory_order_relaxed) >> job_shift) + 1;
  open_.store(job << job_shift | (threads & threads_mask) << threads_shift | pieces,
              std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  wake_all(calls_);
  while (take_piece(0, crew_.load(std::memory_order_relaxed))) {
  }
  for (int turn = 0; finished_.load(std::memory_order_acquire) != pieces;) {
    if (turn < impatient_turns) {
      ++turn;
      relax();
    } else {
      yield();
    }
  }
}

void JobBoard::serve(std::size_t thread, std::uint32_t crew) noexcept {
  for (;;) {
    const std::uint32_t seen = calls_.load(std::memory_order_acquire);
    if (crew_.load(std::memory_order_acquire) != crew) {
      return;
    }
    if (!take_piece(thread, crew)) {
      wait_for_call(seen);
    }
  }
}

void JobBoard::change_crew(std::uint32_t crew) noexcept {
  crew_.store(crew, std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  wake_all(calls_);
}

bool JobBoard::take_piece(std::size_t thread, std::uint32_t crew) noexcept {
  std::uint64_t open = open_.load(std::memory_order_acquire);
  // Who sees a later crew's job sees here that it is not its own.
  while ((open & left_mask) > 0 && thread < (open >> threads_shift & threads_mask) &&
         crew_.load(std::memory_order_relaxed) == crew) {
    if (open_.compare_exchange_weak(open, open - 1, std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      work_(context_, pieces_ - static_cast<std::size_t>(open & left_mask), thread);
      finished_.fetch_add(1, std::memory_order_release);
      return true;
    }
  }
  return false;
}

void JobBoard::wait_for_call(std::uint32_t seen) noexcept {
  for (int turn = 0; turn < idle_turns; ++turn) {
    if (calls_.load(std::memory_order_acquire) != seen) {
      return;
    }
    relax();
  }
  wait(calls_, seen);
}

#endif

}  // namespace headwise::parallel
