#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <headwise/core/parallel/fork_join_queue.hpp>
#include <headwise/core/parallel/waiting.hpp>

/// Work in numbered pieces, which one thread or several may do. Pieces write to places of their own
/// and no sum runs over more than one of them, so results are the same for any number of threads.
namespace headwise::parallel {

/// Threads that a call may compute on, the caller's among them; at least 1.
[[nodiscard]] std::size_t num_threads() noexcept;

/// More than these are never used.
inline constexpr std::size_t most_threads = 64;

/// Sets their number natively, from 1 on. Waits for a call of another thread that uses them.
void set_num_threads(std::size_t threads);

/// As ForkJoinQueue::run; on the calling thread alone where another call has the threads.
void run(std::size_t pieces, std::size_t threads, Work work, const void* context) noexcept;

/// Additions and multiplications that pay for calling another thread.
inline constexpr double smallest_share = 1e6;

/// As many of the threads as have something to gain by a job of so many additions and
/// multiplications.
[[nodiscard]] inline std::size_t threads_worth(double operations, std::size_t threads) noexcept {
  const double shares = operations / smallest_share;
  return shares < static_cast<double>(threads)
             ? std::max<std::size_t>(1, static_cast<std::size_t>(shares))
             : threads;
}

#if !defined(NDEBUG)
/// Whether this thread is at work on a piece that threads share.
inline thread_local bool is_in_piece = false;  // NOLINT(*-avoid-non-const-global-variables)
#endif

/// work(piece, thread) for every piece from 0 to `pieces`, `thread` below `threads`. Not from
/// within a piece of another job: threads are shared out once.
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

}  // namespace headwise::parallel
