// The thread pool of the native library.
#include <algorithm>
#include <atomic>
#include <exception>
#include <headwise/core/parallel/for_each.hpp>
#include <mutex>
#include <thread>
#include <vector>

namespace headwise::parallel {
namespace {

std::size_t num_processors() noexcept {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, max_threads);
}

/// Worker threads, started at their first use.
class ThreadPool {
 public:
  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;
  ~ThreadPool() { stop_workers(); }

  [[nodiscard]] std::size_t size() const noexcept { return size_.load(); }

  void resize(std::size_t threads) {
    const std::scoped_lock lock(mutex_);
    stop_workers();
    size_ = std::min(threads, max_threads);
  }

  /// Returns false and does nothing while another thread uses the pool.
  bool run(std::size_t pieces, std::size_t threads, Work work, const void* context) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
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
      while (workers_.size() + 1 < size_) {
        workers_.emplace_back([this, thread = workers_.size() + 1, generation = generation_] {
          queue_.worker_loop(thread, generation);
        });
      }
    } catch (const std::exception&) {
      size_ = workers_.size() + 1;
    }
  }

  void stop_workers() noexcept {
    queue_.set_generation(++generation_);
    for (std::thread& worker : workers_) {
      worker.join();
    }
    workers_.clear();
  }

  std::mutex mutex_;
  std::atomic<std::size_t> size_ = num_processors();
  std::vector<std::thread> workers_;
  std::uint32_t generation_ = 0;
  ForkJoinQueue queue_;
};

ThreadPool& pool() noexcept {
  static ThreadPool instance;
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
