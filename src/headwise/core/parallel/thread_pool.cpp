// The thread pool of the native library.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/parallel/processors.hpp>
#include <mutex>
#include <new>
#include <thread>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace headwise::parallel {
namespace {

std::size_t threads_at_first() noexcept {
  try {
    return std::min(num_processors(), max_threads);
  } catch (const std::exception&) {
    return 1;
  }
}

/// Worker threads, started at their first use.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads) noexcept : size_(threads) {}
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;
  ~ThreadPool() = delete;

  [[nodiscard]] std::size_t size() const noexcept { return size_.load(); }

  void resize(std::size_t threads) {
    const std::scoped_lock lock(mutex_);
    stop_workers();
    size_ = std::min(threads, max_threads);
  }

  /// Joins the workers. Calls compute on their own thread from then on.
  void end() noexcept {
    const std::scoped_lock lock(mutex_);
    stop_workers();
    is_over_ = true;
  }

  /// In a child of `fork`, which has none of the workers and may have a locked mutex: a new pool in
  /// this one's place. It may start no threads of its own accord, as POSIX allows few calls there.
  void renew() noexcept { new (this) ThreadPool(num_workers_ > 0 ? 1 : size_.load()); }

  /// Returns false and does nothing while another thread uses the pool, and behind its end.
  bool run(std::size_t pieces, std::size_t threads, Work work, const void* context) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || is_over_) {
      return false;
    }
    start_workers();
    queue_.run(pieces, threads, work, context);
    return true;
  }

 private:
  /// Starts the workers, or fewer if the system refuses more.
  void start_workers() noexcept {
    try {
      for (; num_workers_ + 1 < size_; ++num_workers_) {
        workers_[num_workers_] =
            std::thread([this, thread = num_workers_ + 1, generation = generation_] {
              queue_.worker_loop(thread, generation);
            });
      }
    } catch (const std::exception&) {
      size_ = num_workers_ + 1;
    }
  }

  void stop_workers() noexcept {
    queue_.set_generation(++generation_);
    for (; num_workers_ > 0; --num_workers_) {
      workers_[num_workers_ - 1].join();
    }
  }

  std::mutex mutex_;
  std::atomic<std::size_t> size_;
  std::array<std::thread, max_threads> workers_;
  std::size_t num_workers_ = 0;
  std::uint32_t generation_ = 0;
  bool is_over_ = false;
  ForkJoinQueue queue_;
};

ThreadPool& pool() noexcept;

/// The pool is never destroyed: static destructors and functions of std::atexit may compute, some
/// of them after its end.
ThreadPool& make_pool() noexcept {
  alignas(ThreadPool) static std::array<std::byte, sizeof(ThreadPool)> memory;
  auto& made = *new (memory.data()) ThreadPool(threads_at_first());
  static_cast<void>(std::atexit([] { pool().end(); }));
#if __has_include(<pthread.h>)
  static_cast<void>(pthread_atfork(nullptr, nullptr, [] { pool().renew(); }));
#endif
  return made;
}

ThreadPool& pool() noexcept {
  static ThreadPool& instance = make_pool();
  return instance;
}

}  // namespace

std::size_t num_threads() noexcept { return pool().size(); }

void run(std::size_t pieces, std::size_t threads, Work work, const void* context) noexcept {
  if (pool().run(pieces, threads, work, context)) {
    return;
  }
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    work(context, piece, 0);
  }
}

void set_num_threads(std::size_t threads) { pool().resize(threads); }

}  // namespace headwise::parallel
