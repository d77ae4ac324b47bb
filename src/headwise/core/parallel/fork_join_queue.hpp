#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headwise::parallel {

/// Runs one piece of a job. `thread` is 0 for the caller; pieces that run at the same time have
/// different thread numbers.
using Work = void (*)(const void* context, std::size_t piece, std::size_t thread) noexcept;

/// Fork-join: one thread posts jobs and joins them, worker threads help. Pieces are taken one by
/// one, so that a thread that starts late or is preempted leaves its share to the others; no thread
/// waits for one that has taken no piece.
class ForkJoinQueue {
 public:
  /// Runs the pieces 0, 1, … of a job on the threads below `threads`, and returns when all are
  /// done. One call at a time.
  void run(std::size_t pieces, std::size_t threads, Work work, const void* context) noexcept;

  /// The loop of worker thread `thread`, from 1 on: takes pieces of every job while `generation` is
  /// the current one, and sleeps between jobs.
  void worker_loop(std::size_t thread, std::uint32_t generation) noexcept;

  /// Sets the generation of worker threads that may take pieces, 0 at first. Those of an earlier
  /// one return from `worker_loop`. Not during a job.
  void set_generation(std::uint32_t generation) noexcept;

 private:
  bool take_piece(std::size_t thread, std::uint32_t generation) noexcept;
  void wait_for_wake(std::uint32_t seen) noexcept;

  /// The job's number, the number of threads that may help, and the number of pieces left, in one
  /// word: a compare-and-swap takes a piece only of the job that was read.
  std::atomic<std::uint64_t> open_ = 0;
  std::atomic<std::uint32_t> finished_ = 0;
  /// Incremented to wake idle threads, which wait on it.
  std::atomic<std::uint32_t> wake_epoch_ = 0;
  std::atomic<std::uint32_t> generation_ = 0;
  // Written before the job is posted, read by threads that have taken a piece of it.
  Work work_ = nullptr;
  const void* context_ = nullptr;
  std::size_t pieces_ = 0;
};

}  // namespace headwise::parallel
