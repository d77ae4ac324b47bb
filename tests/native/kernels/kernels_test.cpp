#include <algorithm>
#include <array>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/interfaces/catch_interfaces_registry_hub.hpp>
#include <catch2/interfaces/catch_interfaces_testcase.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/kernels/kernel_list.hpp>
#include <headwise/core/kernels/philox.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "activation_references.hpp"
#include "compare.hpp"

/// Kernels that take arrays of `count` numbers, each against a plain loop: float32 in the same
/// order where the bits must be the same, else float64.
namespace headwise::test {
namespace {

constexpr std::initializer_list<std::size_t> awkward_counts = {0, 1, 2, 3, 5, 7, 8, 16, 33, 129};

/// Of three times `count` numbers each, followed by guards. What a kernel does not write must stay.
using Arrays = std::array<float*, 4>;
using Function = std::function<void(const Arrays& a, std::size_t count)>;

struct Entry {
  std::string kernel;
  Function run;
  Function reference;
  /// Relative to numbers above 1; 0 is the same bits, NaN of any kind for NaN.
  double tolerance = 0;
  /// Whether NaN and infinities are among the numbers.
  bool takes_specials = true;
  std::size_t min_count = 0;
};

/// The entry of a kernel that computes an element of the first array, or arrays, from those at the
/// same place.
Entry elementwise(const std::string& kernel, const Function& run,
                  const std::function<void(const Arrays& a, std::size_t i)>& element,
                  double tolerance = 0) {
  const Function reference = [element](const Arrays& a, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      element(a, i);
    }
  };
  return {kernel, run, reference, tolerance};
}

std::vector<Entry> elementwise_entries() {
  using namespace kernels;  // NOLINT(*-using-namespace)
  constexpr float cap = 1.5F;
  return {
      elementwise(
          "scale", [](auto& a, auto n) { scale(a[0], n, 0.3F); },
          [](auto& a, auto i) { a[0][i] *= 0.3F; }),
      elementwise(
          "multiply", [](auto& a, auto n) { multiply(a[0], a[1], n); },
          [](auto& a, auto i) { a[0][i] *= a[1][i]; }),
      elementwise(
          "add", [](auto& a, auto n) { add(a[0], a[1], n); },
          [](auto& a, auto i) { a[0][i] += a[1][i]; }),
      elementwise(
          "softcap", [](auto& a, auto n) { softcap(a[0], n, cap); },
          [](auto& a, auto i) { a[0][i] = cap * std::tanh(a[0][i] / cap); }, 1e-6),
      elementwise(
          "softcap_gradient", [](auto& a, auto n) { softcap_gradient(a[0], a[1], n, cap); },
          [](auto& a, auto i) {
            const float tangent = a[1][i] / cap;
            a[0][i] *= 1.0F - tangent * tangent;
          },
          1e-6),
      elementwise(
          "exponential", [](auto& a, auto n) { exponential(a[0], n); },
          [](auto& a, auto i) { a[0][i] = std::exp(a[0][i]); }, 1e-6),
      elementwise(
          "sgd_step", [](auto& a, auto n) { sgd_step(a[0], a[1], a[2], n, {0.1F, 0.9F, 0.01F}); },
          [](auto& a, auto i) {
            a[2][i] = 0.9F * a[2][i] + (a[1][i] + 0.01F * a[0][i]);
            a[0][i] -= 0.1F * a[2][i];
          },
          1e-6)};
}

/// Forward, gated by the second array or not, and backward, apart and in place.
std::vector<Entry> entries_of(const ActivationKernel& activation) {
  const auto value = [=](float x) { return static_cast<float>(activation.reference(x).value); };
  const auto slope = [=](float x) {
    return static_cast<float>(activation.reference(x).derivative);
  };
  const auto [name, forward, backward, reference] = activation;
  constexpr double tolerance = 1e-6;
  return {
      elementwise(
          name, [=](auto& a, auto n) { forward(a[0], nullptr, n, a[0]); },
          [=](auto& a, auto i) { a[0][i] = value(a[0][i]); }, tolerance),
      elementwise(
          name, [=](auto& a, auto n) { forward(a[0], a[1], n, a[2]); },
          [=](auto& a, auto i) { a[2][i] = value(a[0][i]) * a[1][i]; }, tolerance),
      elementwise(
          name, [=](auto& a, auto n) { forward(a[0], a[1], n, a[1]); },
          [=](auto& a, auto i) { a[1][i] *= value(a[0][i]); }, tolerance),
      elementwise(
          name + "_gradient",
          [=](auto& a, auto n) { backward(a[0], nullptr, a[1], n, a[2], nullptr); },
          [=](auto& a, auto i) { a[2][i] = a[1][i] * slope(a[0][i]); }, tolerance),
      elementwise(
          name + "_gradient", [=](auto& a, auto n) { backward(a[0], a[1], a[2], n, a[2], a[3]); },
          [=](auto& a, auto i) {
            a[3][i] = a[2][i] * value(a[0][i]);
            a[2][i] *= a[1][i] * slope(a[0][i]);
          },
          tolerance)};
}

void softmax_in_float64(float* row, std::size_t count) {
  const double maximum = *std::max_element(row, row + count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += std::exp(row[i] - maximum);
  }
  for (std::size_t i = 0; i < count; ++i) {
    row[i] = static_cast<float>(std::exp(row[i] - maximum) / sum);
  }
}

std::vector<Entry> softmax_entries() {
  std::vector<Entry> entries;
  for (const float spread : {1.0F, 64.0F}) {
    for (const float offset : {0.0F, -3000.0F, 3000.0F}) {
      const auto spread_out = [=](float* row, std::size_t n) {
        std::transform(row, row + n, row, [&](float x) { return x * spread + offset; });
      };
      const Function reference = [=](auto& a, auto n) {
        spread_out(a[0], n);
        softmax_in_float64(a[0], n);
      };
      entries.push_back({"softmax",
                         [=](auto& a, auto n) {
                           spread_out(a[0], n);
                           kernels::softmax(a[0], n);
                         },
                         reference});
      entries.push_back({"exp_minus_max",
                         [=](auto& a, auto n) {
                           spread_out(a[0], n);
                           const float sum = kernels::exp_minus_max(a[0], n);
                           std::transform(a[0], a[0] + n, a[0], [&](float x) { return x / sum; });
                         },
                         reference});
    }
  }
  entries.push_back({"softmax_gradient",
                     [](auto& a, auto n) {
                       const float factor = 1.0F / kernels::exp_minus_max(a[1], n);
                       kernels::softmax_gradient(a[0], a[1], n, factor);
                     },
                     [](auto& a, auto n) {
                       softmax_in_float64(a[1], n);
                       double mean = 0;
                       for (std::size_t i = 0; i < n; ++i) {
                         mean += static_cast<double>(a[1][i]) * a[0][i];
                       }
                       for (std::size_t i = 0; i < n; ++i) {
                         a[0][i] = static_cast<float>(a[1][i] * (a[0][i] - mean));
                       }
                     }});
  for (Entry& entry : entries) {
    entry.tolerance = 1e-6;
    entry.takes_specials = false;
    entry.min_count = 1;
  }
  return entries;
}

/// A layer norm, or an RMS norm, which is one whose mean is 0 and that has no bias.
struct Norm {
  bool has_mean, has_bias;
  float epsilon;

  /// The row's mean and the inverse of its deviation.
  [[nodiscard]] std::array<double, 2> moments(const float* row, std::size_t n) const {
    double mean = 0;
    double variance = 0;
    for (std::size_t i = 0; i < n; ++i) {
      mean += has_mean ? row[i] / static_cast<double>(n) : 0;
    }
    for (std::size_t i = 0; i < n; ++i) {
      variance += (row[i] - mean) * (row[i] - mean) / static_cast<double>(n);
    }
    return {mean, 1 / std::sqrt(variance + epsilon)};
  }
  void forward(const Arrays& a, std::size_t n, float* to) const {
    const auto [mean, inverse] = moments(a[0], n);
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = static_cast<float>((a[0][i] - mean) * inverse * a[1][i] + (has_bias ? a[2][i] : 0));
    }
  }
  /// Adds to the gradients of row, weight and bias: the parts of the last array.
  void backward(const Arrays& a, std::size_t n) const {
    const auto [mean, inverse] = moments(a[0], n);
    double sum = 0;
    double products = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double gradient = static_cast<double>(a[2][i]) * a[1][i];
      sum += has_mean ? gradient : 0;
      products += gradient * (a[0][i] - mean) * inverse;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto size = static_cast<double>(n);
      const double standard = (a[0][i] - mean) * inverse;
      const double gradient = static_cast<double>(a[2][i]) * a[1][i];
      a[3][i] += static_cast<float>((gradient - sum / size - standard * products / size) * inverse);
      a[3][n + i] += static_cast<float>(a[2][i] * standard);
      a[3][2 * n + i] += has_bias ? a[2][i] : 0;
    }
  }
};

void run_norm(const Norm& norm, const Arrays& a, std::size_t n, float* to) {
  if (norm.has_mean) {
    kernels::layer_norm(a[0], a[1], norm.has_bias ? a[2] : nullptr, n, norm.epsilon, to);
  } else {
    kernels::rms_norm(a[0], a[1], n, norm.epsilon, to);
  }
}

std::vector<Entry> norm_entries() {
  std::vector<Entry> entries;
  const auto shift = [](auto& a, auto n) {
    std::transform(a[0], a[0] + n, a[0], [](float x) { return 3 * x + 5; });
  };
  for (const float epsilon : {1e-5F, 0.25F}) {
    for (const Norm norm :
         {Norm{true, true, epsilon}, Norm{true, false, epsilon}, Norm{false, false, epsilon}}) {
      const std::string name = norm.has_mean ? "layer_norm" : "rms_norm";
      for (const std::size_t to : {0U, 3U}) {
        entries.push_back({name,
                           [=](auto& a, auto n) {
                             shift(a, n);
                             run_norm(norm, a, n, a[to]);
                           },
                           [=](auto& a, auto n) {
                             shift(a, n);
                             norm.forward(a, n, a[to]);
                           }});
      }
      entries.push_back({name + "_gradient",
                         [=](auto& a, auto n) {
                           shift(a, n);
                           float* bias = norm.has_bias ? a[3] + 2 * n : nullptr;
                           if (norm.has_mean) {
                             kernels::layer_norm_gradient(a[0], a[1], a[2], n, norm.epsilon, a[3],
                                                          a[3] + n, bias);
                           } else {
                             kernels::rms_norm_gradient(a[0], a[1], a[2], n, norm.epsilon, a[3],
                                                        a[3] + n);
                           }
                         },
                         [=](auto& a, auto n) {
                           shift(a, n);
                           norm.backward(a, n);
                         }});
    }
  }
  for (Entry& entry : entries) {
    entry.tolerance = 2e-6;
    entry.takes_specials = false;
    entry.min_count = 1;
  }
  return entries;
}

std::vector<Entry> rotate_entries() {
  std::vector<Entry> entries;
  for (const std::size_t part : {1U, 2U, 4U}) {
    for (const bool interleaved : {false, true}) {
      for (const bool inverse : {false, true}) {
        // Three heads of which the first n / part elements are rotated, in pairs.
        const auto prepare = [=](auto& a, auto n) {
          std::transform(a[0], a[0] + n, a[0], [](float x) { return std::sin(x); });
          return n / part / 2 * 2;
        };
        entries.push_back(
            {"rotate",
             [=](auto& a, auto n) {
               kernels::rotate(a[3], 3, n, a[0], prepare(a, n), interleaved, inverse);
             },
             [=](auto& a, auto n) {
               const std::size_t size = prepare(a, n);
               for (std::size_t i = 0; i < 3 * (size / 2); ++i) {
                 const std::size_t pair = i % (size / 2);
                 float* head = a[3] + i / (size / 2) * n;
                 float& x = head[interleaved ? 2 * pair : pair];
                 float& y = head[interleaved ? 2 * pair + 1 : pair + size / 2];
                 const double sine = inverse ? -a[0][size / 2 + pair] : a[0][size / 2 + pair];
                 const double rotated = a[0][pair] * static_cast<double>(x) - sine * y;
                 y = static_cast<float>(sine * x + a[0][pair] * static_cast<double>(y));
                 x = static_cast<float>(rotated);
               }
             },
             1e-6});
      }
    }
  }
  return entries;
}

std::vector<Entry> dropout_entries() {
  std::vector<Entry> entries;
  std::vector<std::size_t> firsts = {0, 1, 2, 3, 4, 7, 62, 63, 0xFFFFFFFA};
  if constexpr (sizeof(std::size_t) > sizeof(std::uint32_t)) {
    firsts.push_back((std::size_t{1} << 34U) - 6);
  }
  for (const std::size_t first : firsts) {
    for (const std::uint64_t threshold :
         {0ULL, 1ULL, 0x80000000ULL, 0xE6666666ULL, 0xFFFFFFFFULL, 0x100000000ULL}) {
      const kernels::DropoutMask mask{.key = 0x0123456789ABCDEF,
                                      .row = 0xFFFFFFF0U + static_cast<std::uint32_t>(first),
                                      .stream = 0x20001,
                                      .call = 7,
                                      .threshold = threshold,
                                      .kept_scale = 1.25F};
      const Function run = [=](auto& a, auto n) { kernels::dropout(a[3], first, 3 * n, mask); };
      const Function reference = [=](auto& a, auto n) {
        for (std::size_t i = 0; i < 3 * n; ++i) {
          const std::size_t k = first + i;
          const kernels::PhiloxCounter random =
              kernels::philox({static_cast<std::uint32_t>(k / 4), mask.row, mask.stream, mask.call},
                              kernels::philox_key(mask.key));
          a[3][i] = random[k % 4] < mask.threshold ? 0.0F : a[3][i] * mask.kept_scale;
        }
      };
      entries.push_back({"dropout", run, reference});
    }
  }
  return entries;
}

std::vector<Entry> entries() {
  using namespace kernels;  // NOLINT(*-using-namespace)
  std::vector<Entry> all = elementwise_entries();
  const auto append = [&](const std::vector<Entry>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const ActivationKernel& activation : activations()) {
    append(entries_of(activation));
  }
  append(softmax_entries());
  append(norm_entries());
  append(rotate_entries());
  append(dropout_entries());
  const auto adam = [](auto& a, auto n) {
    const AdamFactors factors{0.9F, 0.1F, 0.99F, 0.01F, 0.999F, 0.02F, 0.3F, 1e-8F};
    for (std::size_t i = 0; i < n; ++i) {
      a[3][i] *= a[3][i];
    }
    adam_step(a[0], a[1], a[2], a[3], n, factors);
  };
  const auto adam_reference = [](auto& a, auto n) {
    for (std::size_t i = 0; i < n; ++i) {
      a[3][i] *= a[3][i];
      a[2][i] = 0.9F * a[2][i] + 0.1F * a[1][i];
      a[3][i] = 0.99F * a[3][i] + 0.01F * a[1][i] * a[1][i];
      a[0][i] = 0.999F * a[0][i] - 0.02F * a[2][i] / (std::sqrt(a[3][i]) / 0.3F + 1e-8F);
    }
  };
  all.push_back({"adam_step", adam, adam_reference, 1e-6, false});
  for (const std::size_t count : {0U, 1U, 3U}) {
    all.push_back({"add_rows", [=](auto& a, auto n) { add_rows(a[3], count, n, a[0]); },
                   [=](auto& a, auto n) {
                     for (std::size_t i = 0; i < count * n; ++i) {
                       a[0][i % n] += a[3][i];
                     }
                   }});
  }
  for (const std::size_t num_heads : {1U, 3U}) {
    for (const bool has_factors : {false, true}) {
      all.push_back({"scale_heads",
                     [=](auto& a, auto n) {
                       scale_heads(a[3], has_factors ? a[1] : nullptr, 3 / num_heads, num_heads, n,
                                   a[0]);
                     },
                     [=](auto& a, auto n) {
                       for (std::size_t i = 0; i < 3 * n; ++i) {
                         a[0][i] = a[3][i] * (has_factors ? a[1][i / n % num_heads] : 1.0F);
                       }
                     }});
    }
  }
  return all;
}

/// Each of three times `count` random numbers, and guards.
std::array<Floats, 4> random_arrays(std::size_t count, bool with_specials) {
  // The last three in the first array alone, beside ordinary numbers: products would be infinite.
  constexpr std::array specials = {nan, infinity, -infinity, -0.0F, 3e38F, -3e38F, 1e-45F};
  std::array<Floats, 4> arrays;
  for (std::size_t seed = 0; seed < arrays.size(); ++seed) {
    Floats& numbers = arrays[seed];
    numbers = random_floats(3 * count, seed + 1);
    const std::size_t kinds = seed == 0 && count > 12 ? specials.size() : 4;
    for (std::size_t i = 0; with_specials && count > 5 && i < kinds; ++i) {
      numbers[(2 * i + 1 + seed) % count] = specials[i];
      numbers[3 * count - 1 - 5 * i % (3 * count)] = specials[i];
    }
    numbers.resize(3 * count + 3, guard);
  }
  return arrays;
}

Arrays pointers(std::array<Floats, 4>& arrays) {
  return {arrays[0].data(), arrays[1].data(), arrays[2].data(), arrays[3].data()};
}

bool is_near(float x, float y, double tolerance) {
  if (std::isnan(x) || std::isnan(y)) {
    return std::isnan(x) && std::isnan(y);
  }
  return tolerance == 0 ? x == y && std::signbit(x) == std::signbit(y)
                        : x == y || std::abs(x - y) <= tolerance * std::fmax(1, std::abs(y));
}

TEST_CASE("Kernels of arrays agree with their references and write nothing else") {
  for (const Entry& entry : entries()) {
    for (const std::size_t count : awkward_counts) {
      if (count < entry.min_count) {
        continue;
      }
      CAPTURE(entry.kernel, count);
      std::array<Floats, 4> arrays = random_arrays(count, entry.takes_specials);
      std::array<Floats, 4> expected = arrays;
      entry.run(pointers(arrays), count);
      entry.reference(pointers(expected), count);
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        for (std::size_t j = 0; j < arrays[i].size(); ++j) {
          if (!is_near(arrays[i][j], expected[i][j], entry.tolerance)) {
            CAPTURE(i, j, arrays[i][j], expected[i][j]);
            FAIL_CHECK("another number");
          }
        }
      }
    }
  }
}

TEST_CASE("softmax handles scores that are no ordinary numbers as PyTorch does") {
  for (const std::size_t count : {1, 3, 5, 7, 33, 129}) {
    for (std::size_t i = 0; i < count; ++i) {
      CAPTURE(count, i);
      const auto weights_with = [&](float score) {
        Floats row = random_floats(count, 5);
        row[i] = score;
        kernels::softmax(row.data(), count);
        return row;
      };
      for (const float bad : {nan, infinity}) {
        const Floats weights = weights_with(bad);
        CHECK(std::ranges::all_of(weights, [](float weight) { return std::isnan(weight); }));
      }
      if (count > 1) {
        const Floats weights = weights_with(-infinity);
        CHECK(weights[i] == 0);
        CHECK(all_finite(weights));
      }
      // One score far above the rest takes all, and nothing overflows.
      CHECK(weights_with(std::numeric_limits<float>::max())[i] == 1);
      // Where one weight is 1, the gradient is 0 to the bit.
      Floats gradients = random_floats(count, 1);
      Floats weights(count, 0.0F);
      weights[i] = 0.25F;
      kernels::softmax_gradient(gradients.data(), weights.data(), count, 4.0F);
      CHECK(all_equal(gradients, 0));
    }
  }
}

TEST_CASE("A NaN or an infinity reaches every number of rms_norm, and zeros stay") {
  const Floats weight = random_floats(7, 1);
  Floats result(7, guard);
  kernels::rms_norm(Floats(7, 0.0F).data(), weight.data(), 7, 1e-5F, result.data());
  CHECK(result == Floats(7, 0.0F));
  Floats row(7, 3.0F);
  row[6] = nan;
  kernels::rms_norm(row.data(), weight.data(), 7, 1e-5F, result.data());
  CHECK(std::ranges::all_of(result, [](float x) { return std::isnan(x); }));
  row[6] = infinity;
  kernels::rms_norm(row.data(), weight.data(), 7, 1e-5F, result.data());
  CHECK(std::all_of(result.begin(), result.end() - 1, [](float x) { return x == 0; }));
  CHECK(std::isnan(result.back()));
}

TEST_CASE("additive_scores_gradient does not look at keys whose gradient is 0") {
  constexpr std::size_t hiddens = 5;
  constexpr std::size_t count = 40;
  const Floats query = random_floats(hiddens, 1);
  const Floats w_v = random_floats(hiddens, 2);
  const auto sums_with = [&](float bad) {
    Floats keys = random_floats(count * hiddens, 3);
    Floats gradients = random_floats(count, 4);
    for (std::size_t j = 0; j < count; j += 3) {
      gradients[j] = 0;
      keys[j * hiddens + j % hiddens] = bad;
    }
    Floats packed(kernels::packed_size(hiddens, count));
    kernels::pack_columns(keys.data(), hiddens, hiddens, count, packed.data());
    Floats sums(2 * hiddens + packed.size());
    kernels::additive_scores_gradient(query.data(), packed.data(), w_v.data(), gradients.data(),
                                      hiddens, count, sums.data(), sums.data() + 2 * hiddens,
                                      sums.data() + hiddens);
    return sums;
  };
  CHECK(sums_with(nan) == sums_with(1));
  CHECK(sums_with(infinity) == sums_with(1));
}

TEST_CASE("Every kernel is in the table or has a test of its name") {
  // Random configurations compare these with float64.
  std::string named = "additive_scores mask_scores add_mask_to_scores mark_allowed mark_added";
  for (const Entry& entry : entries()) {
    named += " " + entry.kernel;
  }
  for (const auto* test : Catch::getRegistryHub().getTestCaseRegistry().getAllInfos()) {
    // Kernels' tests have no tag, and lie in this folder.
    if (std::string(test->lineInfo.file).find("/kernels/") != std::string::npos) {
      named += " " + test->name;
    }
  }
  std::ranges::replace_if(named, [](char c) { return c == ',' || c == ':'; }, ' ');
  named = " " + named + " ";
#define HEADWISE_CHECK(kernel)                                                      \
  CHECKED_ELSE(named.find(std::string(" ") + #kernel + " ") != std::string::npos) { \
    FAIL_CHECK(#kernel);                                                            \
  }
  HEADWISE_FOR_EACH_KERNEL(HEADWISE_CHECK)
#undef HEADWISE_CHECK
}

}  // namespace
}  // namespace headwise::test
