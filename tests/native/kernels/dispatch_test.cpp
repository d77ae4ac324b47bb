#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <headwise/core/kernels/dispatch.hpp>
#include <string>
#include <vector>
#include <xsimd/xsimd.hpp>

namespace headwise::test {
namespace {

/// Those that this processor runs, the widest vectors first.
std::vector<std::string> supported_architectures() {
#if defined(__x86_64__)
  std::vector<std::string> names;
  const auto supported = xsimd::available_architectures();
  if (supported.has(xsimd::avx512f{}) && supported.has(xsimd::avx512dq{}) &&
      supported.has(xsimd::avx512bw{})) {
    if (supported.has(xsimd::avx512vnni<xsimd::avx512bw>{})) {
      names.emplace_back("avx512_vnni");
    }
    names.emplace_back("avx512");
  }
  if (supported.has(xsimd::fma3<xsimd::avx2>{})) {
    if (supported.has(xsimd::avxvnni{})) {
      names.emplace_back("avx2_vnni");
    }
    names.emplace_back("avx2");
  }
  if (supported.has(xsimd::sse4_2{})) {
    names.emplace_back("sse4_2");
  }
  names.emplace_back("baseline");
  return names;
#else
  return {"baseline"};
#endif
}

TEST_CASE("The kernels are the widest that the processor runs, or those asked for") {
  const char* wanted = std::getenv("HEADWISE_ARCHITECTURE");  // NOLINT(*-mt-unsafe): one thread
  std::string expected = supported_architectures().front();
  for (const std::string& name : supported_architectures()) {
    if (wanted != nullptr && name == wanted) {
      expected = name;
    }
  }
  CHECK(kernels::kernels().architecture == expected);
}

}  // namespace
}  // namespace headwise::test
