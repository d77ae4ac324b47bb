#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <headwise/core/parallel/fork_join_queue.hpp>
#include <headwise/core/parallel/waiting.hpp>

/// Parallel loops over numbered pieces of work. Pieces write to disjoint memory and no sum spans
/// several of them, so results are the same for any number of threads.
namespace headwise::parallel {

/// Number of threads that a call may compute on, the caller's included; at least 1.
[[nodiscard]] std::size_t num_threads() noexcept;

/// Upper limit of the number of threads.
inline constexpr std::size_t max_threads = 64;

/// Sets the number of threads natively, at least 1. Waits while a call of another thread uses them.
void set_num_threads(std::size_t threads);

/// As ForkJoinQueue::run, but on the calling thread alone while another call uses the threads.
void run(std::size_t pieces, std::size_t threads, Work work, const void* context) noexcept;

/// Floating-point operations that are worth another thread: one token's projection by 768 × 768
/// weights, which waits for memory, takes half the time on two.
inline constexpr double min_operations_per_thread = 5e5;

/// Number of threads that are worth using for so many floating-point operations.
[[nodiscard]] inline std::size_t threads_worth(double operations, std::size_t threads) noexcept {
  const double shares = operations / min_operations_per_thread;
  return shares < static_cast<double>(threads)
             ? std::max<std::size_t>(1, static_cast<std::size_t>(shares))
             : threads;
}

#if !defined(NDEBUG)
/// Whether this thread is running a piece of a job.
inline thread_local bool is_in_piece = false;  // NOLINT(*-avoid-non-const-global-variables)
#endif

/// work(piece, thread) for every piece from 0 to `pieces`, `thread` below `threads`. Must not be
/// called from a piece of another job.
template <typename Function>
void for_each(std::size_t pieces, std::size_t threads, const Function& work) noexcept {
#if !defined(NDEBUG)
  assert(!is_in_piece);
#endif
  if constexpr (has_threads) {
    if (threads > 1 && pieces > 1) {
      const Work call = [](const void* context, std::size_t piece, std::size_t thread) noexcept {
#if !defined(NDEBUG)
        is_in_piece = true;
#endif
        (*static_cast<const Function*>(context))(piece, thread);
#if !defined(NDEBUG)
        is_in_piece = false;
#endif
      };
      run(pieces, threads, call, &work);
      return;
    }
  }
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    work(piece, std::size_t{0});
  }
}

/// work(first, end) for blocks that together are [0, count).
template <typename Function>
void for_each_block(std::size_t count, std::size_t threads, const Function& work) noexcept {
  // Several per thread, for threads that finish at nearly the same time.
  constexpr std::size_t blocks_per_thread = 4;
  const std::size_t blocks = threads > 1 ? std::min(count, threads * blocks_per_thread) : 1;
  for_each(blocks, threads, [&](std::size_t block, std::size_t /*thread*/) {
    const auto begin = [&](std::size_t number) {
      return number * (count / blocks) + std::min(number, count % blocks);
    };
    work(begin(block), begin(block + 1));
  });
}

}  // namespace headwise::parallel
