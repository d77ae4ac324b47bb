#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headwise::parallel {

/// One piece of a job. `thread` is 0 for the caller; at most one piece at a time has its number.
using Work = void (*)(const void* context, std::size_t piece, std::size_t thread) noexcept;

/// Fork-join: one thread opens jobs and joins them, worker threads help. Pieces are taken one by
/// one, so that a thread that comes late or is held up leaves its share to the rest; nobody waits
/// for a thread that has taken nothing.
class ForkJoinQueue {
 public:
  /// Does the pieces 0, 1, … of a job with the help of the threads below `threads`, and returns
  /// when all are done. One call at a time.
  void run(std::size_t pieces, std::size_t threads, Work work, const void* context) noexcept;

  /// Helps with every job as thread `thread`, from 1 on, as long as `generation` is the current
  /// one. Sleeps between jobs.
  void worker_loop(std::size_t thread, std::uint32_t generation) noexcept;

  /// The generation of worker threads that may take pieces: 0 at first. Those of an earlier one
  /// take no more and leave `worker_loop`. Not during a job.
  void set_generation(std::uint32_t generation) noexcept;

 private:
  bool take_piece(std::size_t thread, std::uint32_t generation) noexcept;
  void wait_for_wake(std::uint32_t seen) noexcept;

  /// The job's number, the threads that may help, and how many pieces nobody has taken: in one
  /// word, so that who takes a piece takes it from the job that it looked at.
  std::atomic<std::uint64_t> open_ = 0;
  std::atomic<std::uint32_t> finished_ = 0;
  /// Grows whenever idle threads shall look again: what they sleep on.
  std::atomic<std::uint32_t> wake_epoch_ = 0;
  std::atomic<std::uint32_t> generation_ = 0;
  // Written before the job is opened, read by who has taken a piece of it.
  Work work_ = nullptr;
  const void* context_ = nullptr;
  std::size_t pieces_ = 0;
};

}  // namespace headwise::parallel
