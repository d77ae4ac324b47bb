#include "threads.hpp"

#include <cstdlib>
#include <headwise/core/parallel/fork_join_queue.hpp>

#if defined(__wasm_atomics__)
// Emscripten's runtime: sets the stack pointer.
// NOLINTNEXTLINE(*-identifier-naming, bugprone-*, cert-*)
extern "C" void _emscripten_stack_restore(void* stack);
#endif

namespace headwise {
namespace {

std::size_t thread_count = 1;  // NOLINT(*-avoid-non-const-global-variables)

}  // namespace

#if defined(__wasm_atomics__)

namespace {

parallel::ForkJoinQueue queue;  // NOLINT(*-avoid-non-const-global-variables)

/// Not inlined, so that `enter` has nothing on a stack that is not yet its own.
[[gnu::noinline]] void work(std::size_t thread, std::uint32_t generation) noexcept {
  queue.worker_loop(thread, generation);
}

void enter(bindings::Address stack, std::size_t thread, std::uint32_t generation) noexcept {
  _emscripten_stack_restore(bindings::at<void>(stack));
  work(thread, generation);
}

/// A job, and the pages of memory that it may use.
struct Job {
  parallel::Work work;
  const void* context;
  std::size_t pages;
};

/// Runs a piece of a `Job`. V8 keeps the length of shared memory in each thread, and tells a thread
/// late or never that memory grew. `memory.copy` then fails beyond the old length, and the job
/// never ends. A thread that asks for 0 more pages learns the length.
void run_piece(const void* context, std::size_t piece, std::size_t thread) noexcept {
  const Job& job = *static_cast<const Job*>(context);
  if (__builtin_wasm_memory_size(0) < job.pages) {
    __builtin_wasm_memory_grow(0, 0);
  }
  job.work(job.context, piece, thread);
}

}  // namespace

void parallel::run(std::size_t pieces, std::size_t threads, Work work,
                   const void* context) noexcept {
  const Job job{.work = work, .context = context, .pages = __builtin_wasm_memory_size(0)};
  queue.run(pieces, threads, run_piece, &job);
}

std::size_t bindings::worker_entry() noexcept {
  return reinterpret_cast<std::size_t>(&enter);  // in WebAssembly an index of the function table
}

bindings::Address bindings::new_stack() noexcept {
  constexpr std::size_t size = 65536;
  const Address stack = address_of(std::malloc(size));
  return stack != 0 ? stack + size : 0;
}

void bindings::set_threads(std::size_t threads, std::size_t generation) noexcept {
  queue.set_generation(generation);
  thread_count = threads;
}

#else

std::size_t bindings::worker_entry() noexcept { return 0; }
bindings::Address bindings::new_stack() noexcept { return 0; }
void bindings::set_threads(std::size_t /*threads*/, std::size_t /*generation*/) noexcept {}

#endif

std::size_t parallel::num_threads() noexcept { return thread_count; }

}  // namespace headwise
