#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <headwise/core/kernels/dispatch.hpp>
#include <string_view>
#include <xsimd/xsimd.hpp>

namespace headwise::test {
namespace {

/// Two vectors, which tell the instruction sets apart but for baseline and SSE4.2.
std::size_t widest_panel() {
#if defined(__x86_64__)
  const auto supported = xsimd::available_architectures();
  if (supported.has(xsimd::avx512f{}) && supported.has(xsimd::avx512dq{}) &&
      supported.has(xsimd::avx512bw{})) {
    return 32;
  }
  return supported.has(xsimd::fma3<xsimd::avx2>{}) ? 16 : 8;
#else
  return kernels::panel_width();
#endif
}

/// 0 for a name that is none.
std::size_t panel_of(std::string_view architecture) {
  if (architecture == "avx512") {
    return 32;
  }
  if (architecture == "avx2") {
    return 16;
  }
  return architecture == "sse4_2" || architecture == "baseline" ? 8 : 0;
}

TEST_CASE("The kernels are the widest that the processor runs, or those asked for") {
  const char* wanted = std::getenv("HEADWISE_ARCHITECTURE");  // NOLINT(*-mt-unsafe): one thread
  const std::size_t asked_for = wanted != nullptr ? panel_of(wanted) : 0;
  const bool can_have_it = asked_for > 0 && asked_for <= widest_panel();
  CHECK(kernels::panel_width() == (can_have_it ? asked_for : widest_panel()));
}

}  // namespace
}  // namespace headwise::test
