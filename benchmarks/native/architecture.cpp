#include "architecture.hpp"

#include <cstdlib>
#include <headwise/core/kernels/dispatch.hpp>
#include <stdexcept>
#include <string>

namespace headwise::benchmarks {

std::string_view architecture() {
  const std::string_view running = kernels::kernels().architecture;
  const char* wanted = std::getenv("HEADWISE_ARCHITECTURE");  // NOLINT(*-mt-unsafe): one thread
  if (wanted != nullptr && running != wanted) {
    throw std::runtime_error("this processor has no " + std::string(wanted));
  }
  return running;
}

}  // namespace headwise::benchmarks
