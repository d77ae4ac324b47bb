// One of the peers of benchmarks/web, in a process of its own:
//
//   headwise-peer THREADS
//
// writes a line with the number of threads that it computes on; reads a problem (peer_problem.hpp);
// writes the first result as float32 numbers; then answers each line that it reads, a number of
// calls, with a line that holds their total time in milliseconds.
#include <chrono>
#include <exception>
#include <iostream>
#include <string>

#include "architecture.hpp"
#include "peer_problem.hpp"
#include "threads.hpp"

namespace headwise::benchmarks {
namespace {

double milliseconds_of(const Call& call, long count) {
  const auto began = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i) {
    call();
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  return took.count();
}

void serve(std::int64_t threads) {
  (void)architecture();
  std::cout << use_threads(threads) << '\n' << std::flush;
  const Call call = read_problem(std::cin);
  const std::span<const float> first = call();
  std::cout.write(reinterpret_cast<const char*>(first.data()),
                  static_cast<std::streamsize>(first.size_bytes()));
  std::cout.flush();
  for (long count = 0; std::cin >> count;) {
    std::cout << milliseconds_of(call, count) << '\n' << std::flush;
  }
}

}  // namespace
}  // namespace headwise::benchmarks

int main(int argc, char** argv) {
  try {
    if (argc != 2) {
      throw std::invalid_argument("usage: headwise-peer THREADS");
    }
    headwise::benchmarks::serve(std::stoll(argv[1]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
