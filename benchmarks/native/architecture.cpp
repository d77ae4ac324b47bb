#include "architecture.hpp"

#include <array>
#include <cstdlib>
#include <headwise/core/kernels/dispatch.hpp>
#include <stdexcept>
#include <string>

#if defined(__x86_64__)
namespace headwise::kernels::sse4_2 {
extern const KernelTable table;
}
namespace headwise::kernels::avx2 {
extern const KernelTable table;
}
namespace headwise::kernels::avx512 {
extern const KernelTable table;
}
#endif

namespace headwise::benchmarks {
namespace {

struct Architecture {
  std::string_view name;
  const kernels::KernelTable* table;
};

#if defined(__x86_64__)
constexpr std::array<Architecture, 3> beyond_baseline = {
    {{.name = "sse4_2", .table = &kernels::sse4_2::table},
     {.name = "avx2", .table = &kernels::avx2::table},
     {.name = "avx512", .table = &kernels::avx512::table}}};
#else
constexpr std::array<Architecture, 0> beyond_baseline = {};
#endif

}  // namespace

std::string_view architecture() {
  std::string_view running = "baseline";
  for (const auto& [name, table] : beyond_baseline) {
    if (table == &kernels::kernels()) {
      running = name;
    }
  }
  const char* wanted = std::getenv("HEADWISE_ARCHITECTURE");  // NOLINT(*-mt-unsafe): one thread
  if (wanted != nullptr && running != wanted) {
    throw std::runtime_error("this processor has no " + std::string(wanted));
  }
  return running;
}

}  // namespace headwise::benchmarks
