#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headwise::parallel {

/// One piece of a job. `thread` is 0 for the caller; at most one piece at a time has its number.
using Work = void (*)(const void* context, std::size_t piece, std::size_t thread) noexcept;

/// Where one thread posts jobs and others help with them. Pieces are taken one by one, so that a
/// thread that comes late or is held up leaves its share to the rest; nobody waits for a thread
/// that has taken nothing.
class JobBoard {
 public:
  /// Does the pieces 0, 1, … of a job with the help of the threads below `threads`, and returns
  /// when all are done. One call at a time.
  void run(std::size_t pieces, std::size_t threads, Work work, const void* context) noexcept;

  /// Helps with every job as thread `thread`, from 1 on, as long as its crew is the one that
  /// serves. Sleeps between jobs.
  void serve(std::size_t thread, std::uint32_t crew) noexcept;

  /// The crew that serves: 0 at first. Threads of an earlier one take no more pieces and leave
  /// `serve`. Not during a job.
  void change_crew(std::uint32_t crew) noexcept;

 private:
  bool take_piece(std::size_t thread, std::uint32_t crew) noexcept;
  void wait_for_call(std::uint32_t seen) noexcept;

  /// The job's number, the threads that may help, and how many pieces nobody has taken: in one
  /// word, so that who takes a piece takes it from the job that it looked at.
  std::atomic<std::uint64_t> open_ = 0;
  std::atomic<std::uint32_t> finished_ = 0;
  /// Counts the calls for help: what idle threads sleep on.
  std::atomic<std::uint32_t> calls_ = 0;
  std::atomic<std::uint32_t> crew_ = 0;
  // Written before the job is opened, read by who has taken a piece of it.
  Work work_ = nullptr;
  const void* context_ = nullptr;
  std::size_t pieces_ = 0;
};

}  // namespace headwise::parallel
