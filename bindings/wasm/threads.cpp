#include "threads.hpp"

#include <cstdlib>
#include <headwise/core/parallel/job_board.hpp>

#if defined(__wasm_atomics__)
// Of Emscripten's runtime: moves the stack pointer.
// NOLINTNEXTLINE(*-identifier-naming, bugprone-*, cert-*)
extern "C" void _emscripten_stack_restore(void* stack);
#endif

namespace headwise {
namespace {

std::size_t thread_count = 1;  // NOLINT(*-avoid-non-const-global-variables)

}  // namespace

#if defined(__wasm_atomics__)

namespace {

parallel::JobBoard board;  // NOLINT(*-avoid-non-const-global-variables)

/// Of its own, so that the caller has nothing on a stack that is not yet its own.
[[gnu::noinline]] void serve(std::size_t thread, std::uint32_t crew) noexcept {
  board.serve(thread, crew);
}

void enter(bindings::Address stack, std::size_t thread, std::uint32_t crew) noexcept {
  _emscripten_stack_restore(bindings::at<void>(stack));
  serve(thread, crew);
}

}  // namespace

void parallel::run(std::size_t pieces, std::size_t threads, Work work,
                   const void* context) noexcept {
  board.run(pieces, threads, work, context);
}

std::size_t bindings::worker_entry() noexcept {
  return reinterpret_cast<std::size_t>(&enter);  // in WebAssembly a number of the function table
}

bindings::Address bindings::new_stack() noexcept {
  constexpr std::size_t size = 65536;
  const Address stack = address_of(std::malloc(size));
  return stack != 0 ? stack + size : 0;
}

void bindings::set_threads(std::size_t threads, std::size_t crew) noexcept {
  board.change_crew(crew);
  thread_count = threads;
}

#else

std::size_t bindings::worker_entry() noexcept { return 0; }
bindings::Address bindings::new_stack() noexcept { return 0; }
void bindings::set_threads(std::size_t /*threads*/, std::size_t /*crew*/) noexcept {}

#endif

std::size_t parallel::num_threads() noexcept { return thread_count; }

}  // namespace headwise
