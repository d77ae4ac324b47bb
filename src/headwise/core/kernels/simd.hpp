#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <headwise/core/kernels/target.hpp>
#include <limits>
#include <xsimd/xsimd.hpp>

#if defined(__wasm__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <immintrin.h>
#endif

/// The only file that depends on the instruction set: its widest vectors, operations that xsimd
/// lacks, and the kernels' replacements for the standard library (see `target.hpp`).
namespace headwise::kernels::HEADWISE_TARGET {

using Batch = xsimd::batch<float>;

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Floats in one vector: 4 for WebAssembly and SSE, 8 for AVX, 16 for AVX-512.
inline constexpr std::size_t lanes = Batch::size;

/// Columns of one panel of a packed matrix: two vectors, so that the sums of a tile of several rows
/// stay in registers.
inline constexpr std::size_t panel_columns = 2 * lanes;

/// Replaces std::array.
template <typename Element, std::size_t Size>
struct Array {
  Element elements[Size];  // NOLINT(*-avoid-c-arrays): this is what wraps one

  constexpr Element& operator[](std::size_t i) noexcept { return elements[i]; }
  constexpr const Element& operator[](std::size_t i) const noexcept { return elements[i]; }
  constexpr Element* data() noexcept { return elements; }
  constexpr const Element* data() const noexcept { return elements; }
};

template <typename Element, std::size_t Size>
constexpr void fill(Array<Element, Size>& array, const Element& value) noexcept {
  for (Element& element : array.elements) {
    element = value;
  }
}

constexpr std::size_t min(std::size_t a, std::size_t b) noexcept { return a < b ? a : b; }

inline void copy(const float* HEADWISE_RESTRICT from, std::size_t count,
                 float* HEADWISE_RESTRICT to) noexcept {
  if (count > 0) {
    __builtin_memcpy(to, from, count * sizeof(float));
  }
}

inline void fill(float* to, std::size_t count, float value) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = value;
  }
}

/// Whether a pointer may be an array of `count` elements: null only for none.
template <typename Element>
bool holds(const Element* data, std::size_t count) noexcept {
  return count == 0 || data != nullptr;
}

/// Floats from the first of the first row to the last of the last one.
constexpr std::size_t span_of(std::size_t rows, std::size_t columns, std::size_t stride) noexcept {
  return rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns;
}

/// Whether two arrays have no byte in common.
template <typename A, typename B>
bool disjoint(const A* a, std::size_t a_count, const B* b, std::size_t b_count) noexcept {
  const auto first_a = reinterpret_cast<std::uintptr_t>(a);
  const auto first_b = reinterpret_cast<std::uintptr_t>(b);
  return a_count == 0 || b_count == 0 || first_a + a_count * sizeof(A) <= first_b ||
         first_b + b_count * sizeof(B) <= first_a;
}

/// a · b + c. Fused where the instruction set has it. xsimd does not support relaxed WebAssembly
/// SIMD.
inline Batch multiply_add(const Batch& a, const Batch& b, const Batch& c) noexcept {
#if defined(__wasm_relaxed_simd__)
  return wasm_f32x4_relaxed_madd(a, b, c);
#else
  return xsimd::fma(a, b, c);
#endif
}

/// min(x, bound), NaN where x is NaN. Instruction sets differ in which operand a NaN selects.
inline Batch min_keeping_nan(const Batch& x, const Batch& bound) noexcept {
#if defined(__wasm__)
  return xsimd::min(x, bound);
#else
  return xsimd::min(bound, x);
#endif
}

/// max(x, bound), NaN where x is NaN.
inline Batch max_keeping_nan(const Batch& x, const Batch& bound) noexcept {
#if defined(__wasm__)
  return xsimd::max(x, bound);
#else
  return xsimd::max(bound, x);
#endif
}

/// Loads behind this line stay behind it. LLVM, which orders WebAssembly's operations for their
/// size, would load many operands before it uses the first, and V8 spill them.
inline void keep_loads_in_order() noexcept {
#if defined(__wasm__)
  asm volatile("" ::: "memory");
#endif
}

/// Moves a pointer on. In WebAssembly it stays a variable: V8 has no addresses with offsets for
/// loads that fill a vector with one float, and computes each of them where pointers are derived
/// from one another.
template <typename Number>
void advance(const Number*& pointer, std::size_t count) noexcept {
  pointer += count;
#if defined(__wasm__)
  asm volatile("" : "+r"(pointer));
#endif
}

/// Ones in the last n lanes, zeros in the others.
inline Batch last_lanes(std::size_t n) noexcept {
  static constexpr auto factors = [] {
    Array<float, 2 * lanes> zeros_then_ones{};
    for (std::size_t i = lanes; i < 2 * lanes; ++i) {
      zeros_then_ones[i] = 1.0F;
    }
    return zeros_then_ones;
  }();
  return Batch::load_unaligned(factors.data() + n);
}

/// Element j is the sum over the lanes of sums[j].
inline Batch sum_lanes(const Array<Batch, lanes>& sums) noexcept {
  if constexpr (lanes <= 8) {
    return xsimd::haddp(sums.data());
  }
  // xsimd 13 returns some of the sums in the wrong lanes for AVX-512.
  Array<float, lanes> totals;
  for (std::size_t j = 0; j < lanes; ++j) {
    totals[j] = xsimd::reduce_add(sums[j]);
  }
  return Batch::load_unaligned(totals.data());
}

/// Four floats, of which every instruction set has vectors.
using Four = xsimd::make_sized_batch_t<float, 4>;

/// to (4, 4) = from (4, 4) transposed, by vectors of four floats.
inline void transpose_4x4(const float* from, std::size_t from_stride, float* to,
                          std::size_t to_stride) noexcept {
  const Four a = Four::load_unaligned(from);
  const Four b = Four::load_unaligned(from + from_stride);
  const Four c = Four::load_unaligned(from + 2 * from_stride);
  const Four d = Four::load_unaligned(from + 3 * from_stride);
  const Four ac_low = xsimd::zip_lo(a, c);
  const Four ac_high = xsimd::zip_hi(a, c);
  const Four bd_low = xsimd::zip_lo(b, d);
  const Four bd_high = xsimd::zip_hi(b, d);
  xsimd::zip_lo(ac_low, bd_low).store_unaligned(to);
  xsimd::zip_hi(ac_low, bd_low).store_unaligned(to + to_stride);
  xsimd::zip_lo(ac_high, bd_high).store_unaligned(to + 2 * to_stride);
  xsimd::zip_hi(ac_high, bd_high).store_unaligned(to + 3 * to_stride);
}

/// Constants as vectors. V8 rematerializes constants at each use, inside loops too: in WebAssembly
/// they are loaded, each into all lanes, through a pointer that the compiler cannot see through;
/// once if they are `Held`, else, which is shorter, at each use.
template <std::size_t Count, const Array<float, Count>& Values, bool Held = false>
class Constants {
 public:
#if defined(__wasm__)
  Constants() noexcept : table_(opaque(Values.data())) {
    if constexpr (Held) {
      for (std::size_t i = 0; i < Count; ++i) {
        vectors_[i] = Batch(table_[i]);
      }
    }
  }

  Batch operator[](std::size_t which) const noexcept {
    return Held ? vectors_[which] : Batch(table_[which]);
  }

 private:
  const float* table_;
  Array<Batch, Count> vectors_;

  static const float* opaque(const float* pointer) noexcept {
    asm volatile("" : "+r"(pointer));
    return pointer;
  }
#else
  Batch operator[](std::size_t which) const noexcept { return {Values[which]}; }
#endif
};

/// tanh of a vector. Not inlined: it is long, and used in several places.
[[nodiscard]] Batch hyperbolic_tangent(const Batch& x) noexcept;

using Integers = xsimd::batch<std::int32_t>;

/// Vectors of 2 · `lanes` integers of 16 bits, as pairs in the lanes of `Integers`.
inline Integers load_int16(const std::int16_t* data) noexcept {
  return xsimd::bitwise_cast<std::int32_t>(xsimd::batch<std::int16_t>::load_unaligned(data));
}

/// The same from integers of 8 bits. xsimd has no conversion to wider integers.
inline Integers load_int16(const std::int8_t* data) noexcept {
#if defined(__wasm__)
  return wasm_i16x8_load8x8(data);
#elif defined(__AVX512BW__)
  return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(data)));
#elif defined(__AVX2__)
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data)));
#elif defined(__SSE2__)
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(data));
  return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
#else
  Array<std::int16_t, 2 * lanes> wide;
  for (std::size_t i = 0; i < 2 * lanes; ++i) {
    wide[i] = data[i];  // NOLINT(*-signed-char-misuse): a number
  }
  return load_int16(wide.data());
#endif
}

/// The pair of integers at `data` in every lane.
inline Integers fill_with_pair(const std::int16_t* data) noexcept {
  std::int32_t both = 0;
  __builtin_memcpy(&both, data, sizeof(both));
  return {both};
}

/// Lane by lane, the sum of the products of the integers of 16 bits in two pairs.
inline Integers multiply_pairs(const Integers& a, const Integers& b) noexcept {
#if defined(__wasm__)
  return wasm_i32x4_dot_i16x8(a, b);
#elif defined(__AVX512BW__)
  return _mm512_madd_epi16(a, b);
#elif defined(__AVX2__)
  return _mm256_madd_epi16(a, b);
#elif defined(__SSE2__)
  return _mm_madd_epi16(a, b);
#else
  constexpr int half = 16;
  return (a >> half) * (b >> half) + ((a << half) >> half) * ((b << half) >> half);
#endif
}

/// sum + multiply_pairs(a, b).
inline Integers multiply_add_pairs(const Integers& a, const Integers& b,
                                   const Integers& sum) noexcept {
#if defined(__AVX512VNNI__)
  return _mm512_dpwssd_epi32(sum, a, b);
#elif defined(HEADWISE_AVX_VNNI)
  return _mm256_dpwssd_avx_epi32(sum, a, b);
#else
  return sum + multiply_pairs(a, b);
#endif
}

using FourIntegers = xsimd::make_sized_batch_t<std::int32_t, 4>;

/// Numbers below 2²² rounded to the nearest integers, as the low bits of a float hold them.
inline FourIntegers round_to_integers(const Four& x) noexcept {
  constexpr float magic_bias = 12582912.0F;  // 1.5 · 2²³
  return xsimd::bitwise_cast<std::int32_t>(x + Four(magic_bias)) -
         xsimd::bitwise_cast<std::int32_t>(Four(magic_bias));
}

/// The bits of magnitudes, which are in the order of these.
inline FourIntegers magnitude_bits(const Four& x) noexcept {
  constexpr std::int32_t all_but_sign = 0x7FFFFFFF;
  return xsimd::bitwise_cast<std::int32_t>(x) & FourIntegers(all_but_sign);
}

/// The largest magnitude among eight floats; infinity and NaN are larger than all numbers, NaN
/// largest. The bits of magnitudes are in their order, whatever an instruction set makes of NaN.
inline float largest_magnitude(const Four& a, const Four& b) noexcept {
  const std::int32_t bits = xsimd::reduce_max(xsimd::max(magnitude_bits(a), magnitude_bits(b)));
  float largest = 0;
  __builtin_memcpy(&largest, &bits, sizeof(largest));
  return largest;
}

/// Stores eight integers that fit into 16 bits.
inline void store_as_int16(const FourIntegers& first, const FourIntegers& last,
                           std::int16_t* to) noexcept {
#if defined(__wasm__)
  wasm_v128_store(to, wasm_i16x8_narrow_i32x4(first, last));
#elif defined(__SSE2__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_packs_epi32(first, last));
#else
  Array<std::int32_t, 8> wide;
  first.store_unaligned(wide.data());
  last.store_unaligned(wide.data() + 4);
  for (std::size_t i = 0; i < 8; ++i) {
    to[i] = static_cast<std::int16_t>(wide[i]);
  }
#endif
}

using Words = xsimd::batch<std::uint32_t>;

/// The upper and lower halves of 64-bit products.
struct WideProducts {
  Words high, low;
};

#if !defined(__wasm__)
/// The 64-bit products of the lower halves of 64-bit lanes.
inline xsimd::batch<std::uint64_t> multiply_low_halves(
    const xsimd::batch<std::uint64_t>& a, const xsimd::batch<std::uint64_t>& b) noexcept {
#if defined(__AVX512F__)
  return _mm512_mul_epu32(a, b);
#elif defined(__AVX2__)
  return _mm256_mul_epu32(a, b);
#elif defined(__SSE2__)
  return _mm_mul_epu32(a, b);
#else
  const xsimd::batch<std::uint64_t> low_half(0xFFFFFFFFU);
  return (a & low_half) * (b & low_half);
#endif
}
#endif

/// a · b in 64 bits. xsimd has products of the operands' own width alone.
inline WideProducts multiply_wide(const Words& a, std::uint32_t b) noexcept {
#if defined(__wasm__)
  const v128_t factor = wasm_u32x4_splat(b);
  const v128_t first = wasm_u64x2_extmul_low_u32x4(a, factor);
  const v128_t last = wasm_u64x2_extmul_high_u32x4(a, factor);
  return {.high = wasm_i32x4_shuffle(first, last, 1, 3, 5, 7),
          .low = wasm_i32x4_shuffle(first, last, 0, 2, 4, 6)};
#else
  using Wide = xsimd::batch<std::uint64_t>;
  constexpr int half = 32;
  const Wide low_half(0xFFFFFFFFU);
  const Wide factor(b);
  const auto both = xsimd::bitwise_cast<std::uint64_t>(a);
  const Wide even = multiply_low_halves(both, factor);
  const Wide odd = multiply_low_halves(both >> half, factor);
  return {.high = xsimd::bitwise_cast<std::uint32_t>((even >> half) | (odd & ~low_half)),
          .low = xsimd::bitwise_cast<std::uint32_t>((even & low_half) | (odd << half))};
#endif
}

/// Loads the `count` < lanes floats of an incomplete vector; `padding` fills the other lanes. Not
/// inlined, like `store_part`: kernels have such a vector at most once a row.
[[gnu::noinline]] inline Batch load_part(const float* data, std::size_t count,
                                         float padding) noexcept {
  Array<float, lanes> numbers;
  fill(numbers, padding);
  copy(data, count, numbers.data());
  return Batch::load_unaligned(numbers.data());
}

/// Stores the first `count` < lanes floats of a vector.
[[gnu::noinline]] inline void store_part(const Batch& vector, std::size_t count,
                                         float* data) noexcept {
  Array<float, lanes> numbers;  // NOLINT(*-member-init): written as a whole below
  vector.store_unaligned(numbers.data());
  copy(numbers.data(), count, data);
}

/// Loads a vector of which `count` floats exist; `padding` fills the other lanes.
inline Batch load_at_most(const float* data, std::size_t count, float padding = 0.0F) noexcept {
  return count >= lanes ? Batch::load_unaligned(data) : load_part(data, count, padding);
}

/// Stores the first `count` floats of a vector, all of them if it has no more.
inline void store_at_most(const Batch& vector, std::size_t count, float* data) noexcept {
  if (count >= lanes) {
    vector.store_unaligned(data);
  } else {
    store_part(vector, count, data);
  }
}

/// data[i] += vector[i] for at most `count` floats.
inline void add_at_most(const Batch& vector, std::size_t count, float* data) noexcept {
  store_at_most(load_at_most(data, count) + vector, count, data);
}

/// Applies `vector` to whole vectors, of which the last may overlap the one before; less than one
/// vector is padded. An element's result does not depend on its position.
template <typename Function>
void for_each_vector(float* values, std::size_t count, Function vector) noexcept {
  if (count < lanes) {
    store_part(vector(load_part(values, count, 0.0F)), count, values);
    return;
  }
  float* last = values + count - lanes;
  const Batch last_result = vector(Batch::load_unaligned(last));
  for (; values < last; values += lanes) {
    vector(Batch::load_unaligned(values)).store_unaligned(values);
  }
  last_result.store_unaligned(last);
}

/// Applies `vector` to vectors of two arrays; the last may be incomplete.
template <typename Function>
void for_each_vector(float* HEADWISE_RESTRICT values, const float* HEADWISE_RESTRICT others,
                     std::size_t count, Function vector) noexcept {
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    store_at_most(vector(load_at_most(values + i, left), load_at_most(others + i, left)), left,
                  values + i);
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
