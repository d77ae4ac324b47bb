// Computes where the pool of threads has ended, or was never there: in static destructors and
// functions of std::atexit ("exit"), in a child of fork ("fork"). Ends with 1 if a result is wrong.
#include <cstdlib>
#include <headwise/headwise.hpp>
#include <memory>
#include <string_view>

#if __has_include(<unistd.h>)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

headwise::Tensor<3> output() {
  const auto numbers = headwise::randn<3>({2, 300, 96}, 1);
  headwise::MultiHeadAttention layer({.num_hiddens = 96, .num_heads = 6, .seed = 1});
  return layer.forward(numbers, numbers, numbers).output;
}

/// Kept until the end.
const headwise::Tensor<3>& expected() {
  static const auto& kept = *new headwise::Tensor<3>(output());
  return kept;
}

void check() {
  if (output() != expected()) {
    std::_Exit(1);
  }
}

/// Made before the pool and destroyed after it.
const std::shared_ptr<void> first(nullptr, [](void* /*nothing*/) { check(); });

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mode = count > 1 ? arguments[1] : "";
  std::atexit(check);
  headwise::set_num_threads(1);
  static_cast<void>(expected());
  headwise::set_num_threads(4);
  check();
  std::atexit(check);
#if __has_include(<unistd.h>)
  if (mode == "fork") {
    const pid_t child = fork();
    if (child == 0) {
      const bool is_alone = headwise::num_threads() == 1;
      check();
#if !defined(__SANITIZE_THREAD__)
      // Which ThreadSanitizer does not support behind a fork.
      headwise::set_num_threads(3);
      check();
#endif
      return is_alone ? 0 : 1;
    }
    int status = 1;
    waitpid(child, &status, 0);
    check();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && headwise::num_threads() == 4 ? 0 : 1;
  }
#endif
  return 0;
}
