#include <cstdlib>
#include <headwise/core/kernels/dispatch.hpp>
#include <string_view>
#include <xsimd/xsimd.hpp>

namespace headwise::kernels {

namespace baseline {
extern const KernelTable table;
}
#if defined(HEADWISE_X86_TARGETS)
namespace sse4_2 {
extern const KernelTable table;
}
namespace avx2 {
extern const KernelTable table;
}
namespace avx2_vnni {
extern const KernelTable table;
}
namespace avx512 {
extern const KernelTable table;
}
namespace avx512_vnni {
extern const KernelTable table;
}
#endif

namespace {

struct Target {
  bool is_supported;
  const KernelTable& table;
};

const KernelTable& choose() noexcept {
#if defined(HEADWISE_X86_TARGETS)
  const auto supported = xsimd::available_architectures();
  const bool has_avx512 = supported.has(xsimd::avx512f{}) && supported.has(xsimd::avx512dq{}) &&
                          supported.has(xsimd::avx512bw{});
  const bool has_avx2 = supported.has(xsimd::fma3<xsimd::avx2>{});
  // NOLINTNEXTLINE(*-avoid-c-arrays): holds references
  const Target targets[] = {
      {has_avx512 && supported.has(xsimd::avx512vnni<xsimd::avx512bw>{}), avx512_vnni::table},
      {has_avx512, avx512::table},
      {has_avx2 && supported.has(xsimd::avxvnni{}), avx2_vnni::table},
      {has_avx2, avx2::table},
      {supported.has(xsimd::sse4_2{}), sse4_2::table},
      {true, baseline::table}};
#else
  const Target targets[] = {{true, baseline::table}};  // NOLINT(*-avoid-c-arrays)
#endif
  const char* wanted = std::getenv("HEADWISE_ARCHITECTURE");  // NOLINT(*-mt-unsafe): once
  for (const Target& target : targets) {
    if (target.is_supported && wanted != nullptr &&
        std::string_view(target.table.architecture) == wanted) {
      return target.table;
    }
  }
  for (const Target& target : targets) {
    if (target.is_supported) {
      return target.table;
    }
  }
  return baseline::table;
}

}  // namespace

const KernelTable& kernels() noexcept {
  static const KernelTable& chosen = choose();
  return chosen;
}

}  // namespace headwise::kernels
