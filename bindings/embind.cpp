// The package's WebAssembly core: numbers and addresses in, numbers out. The TypeScript beside this
// file checks every argument before it calls, owns the layout of the working memory, and is the
// only caller.

#include <emscripten/bind.h>

#include <cstdint>
#include <cstdlib>
#include <headwise/attention/dot_product_attention.hpp>
#include <headwise/attention/heads.hpp>
#include <headwise/attention/masked_softmax.hpp>
#include <headwise/attention/multi_head_attention.hpp>
#include <headwise/random.hpp>

namespace {

using headwise::copy_heads;
using headwise::EmptyRows;
using headwise::KeyRanges;
using headwise::MultiHeadAttention;
using headwise::separate_heads_view;
using headwise::split_heads_view;

/// An address in WebAssembly memory, as a number that JavaScript can add to.
using Address = std::uintptr_t;

template <typename T>
T* at(Address address) noexcept {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

template <typename T>
Address address_of(const T* pointer) noexcept {
  return reinterpret_cast<Address>(pointer);
}

constexpr double address_space = 4294967295.0;

/// Working memory of all calls, one block. It grows to the largest call so far, so that a second
/// call of the same shapes allocates nothing.
class WorkingMemory {
 public:
  /// The address of a block of at least `floats` floats, 0 if there is no room. What the block held
  /// is lost.
  Address reserve(double floats) noexcept {
    const double bytes = floats * sizeof(float);
    if (bytes > static_cast<double>(size_)) {
      std::free(block_);
      block_ = bytes < address_space ? std::malloc(static_cast<std::size_t>(bytes)) : nullptr;
      size_ = block_ != nullptr ? static_cast<std::size_t>(bytes) : 0;
    }
    return address_of(block_);
  }

 private:
  void* block_ = nullptr;
  std::size_t size_ = 0;
};

WorkingMemory working_memory;  // NOLINT(*-avoid-non-const-global-variables)

Address reserve(double floats) { return working_memory.reserve(floats); }

/// Whether so many bytes can be had. C++ allocations cannot fail softly in a build without
/// exceptions, so whoever is about to allocate asks first.
bool can_allocate(double bytes) {
  if (bytes >= address_space) {
    return false;
  }
  void* volatile block =
      std::malloc(static_cast<std::size_t>(bytes));  // volatile: not optimized away
  const bool possible = block != nullptr;
  std::free(block);
  return possible;
}

/// Valid lengths lie at `valid_lens` as 32-bit integers: none, one a sample, or one a query.
KeyRanges make_ranges(std::size_t batch, std::size_t num_queries, std::size_t num_keys,
                      int valid_lens_rank, Address valid_lens, bool uniform_empty_rows) {
  KeyRanges ranges(batch, num_queries, num_keys,
                   uniform_empty_rows ? EmptyRows::uniform : EmptyRows::zero);
  if (valid_lens_rank == 1) {
    ranges.limit_samples(at<const std::int32_t>(valid_lens));
  } else if (valid_lens_rank == 2) {
    ranges.limit_queries(at<const std::int32_t>(valid_lens));
  }
  return ranges;
}

class Layer {
 public:
  Layer(double num_hiddens, double num_heads, double dropout, bool bias, double seed)
      : layer_({.num_hiddens = static_cast<std::int64_t>(num_hiddens),
                .num_heads = static_cast<std::int64_t>(num_heads),
                .dropout = dropout,
                .bias = bias,
                .seed = static_cast<std::uint64_t>(seed)}) {}

  /// Draws the parameters for these input sizes; false, and nothing changed, if there is no room.
  bool initialize(double query_size, double key_size, double value_size) {
    const auto hiddens = static_cast<double>(layer_.num_hiddens());
    // Each weight once as it is and once packed, with what padding and bookkeeping take.
    const double floats = 2 * (hiddens + 64) * (query_size + key_size + value_size + hiddens + 64);
    if (!can_allocate(floats * sizeof(float))) {
      return false;
    }
    layer_.initialize({.query_size = static_cast<std::size_t>(query_size),
                       .key_size = static_cast<std::size_t>(key_size),
                       .value_size = static_cast<std::size_t>(value_size)});
    return true;
  }

  void set_training(bool training) { training ? layer_.train() : layer_.eval(); }

  /// Projections count W_q, W_k, W_v, W_o. What is written there counts from the next forward on.
  Address weight(int projection) { return address_of(linear(projection).mutable_weight().data()); }
  Address bias(int projection) { return address_of(linear(projection).mutable_bias()->data()); }

  [[nodiscard]] double workspace_size(double batch, double num_queries, double num_keys) const {
    return layer_.workspace_size(batch, num_queries, num_keys);
  }

  void forward(std::size_t batch, std::size_t num_queries, std::size_t num_keys,
               int valid_lens_rank, Address valid_lens, bool uniform_empty_rows, Address queries,
               Address keys, Address values, Address output, Address attention_weights,
               Address workspace) {
    const KeyRanges ranges =
        make_ranges(batch, num_queries, num_keys, valid_lens_rank, valid_lens, uniform_empty_rows);
    layer_.forward_into({.queries = at<const float>(queries),
                         .keys = at<const float>(keys),
                         .values = at<const float>(values),
                         .ranges = &ranges,
                         .output = at<float>(output),
                         .attention_weights = at<float>(attention_weights),
                         .workspace = at<float>(workspace)});
  }

 private:
  headwise::Linear& linear(int projection) {
    auto& [W_q, W_k, W_v, W_o] = *layer_.projections();
    return projection == 0 ? W_q : projection == 1 ? W_k : projection == 2 ? W_v : W_o;
  }

  MultiHeadAttention layer_;
};

void masked_softmax(std::size_t batch, std::size_t num_queries, std::size_t num_keys,
                    int valid_lens_rank, Address valid_lens, bool uniform_empty_rows,
                    Address weights) {
  headwise::masked_softmax_into(
      make_ranges(batch, num_queries, num_keys, valid_lens_rank, valid_lens, uniform_empty_rows),
      at<float>(weights));
}

void scaled_dot_product_attention(std::size_t batch, std::size_t num_heads, std::size_t num_queries,
                                  std::size_t num_keys, std::size_t head_size,
                                  std::size_t value_size, int valid_lens_rank, Address valid_lens,
                                  bool uniform_empty_rows, Address queries, Address keys,
                                  Address values, Address output, Address attention_weights,
                                  Address workspace) {
  const KeyRanges ranges =
      make_ranges(batch, num_queries, num_keys, valid_lens_rank, valid_lens, uniform_empty_rows);
  const headwise::PoolingArguments arguments{
      .ranges = &ranges,
      .num_heads = num_heads,
      .head_size = head_size,
      .value_size = value_size,
      .queries = separate_heads_view(at<const float>(queries), num_heads, num_queries, head_size),
      .keys = separate_heads_view(at<const float>(keys), num_heads, num_keys, head_size),
      .values = separate_heads_view(at<const float>(values), num_heads, num_keys, value_size),
      .scale = headwise::default_scale(head_size),
      .dropout = {},
      .pooled = separate_heads_view(at<float>(output), num_heads, num_queries, value_size),
      .attention_weights = at<float>(attention_weights)};
  headwise::pool_by_dot_product(arguments, at<float>(workspace));
}

void transpose_qkv(std::size_t batch, std::size_t length, std::size_t num_heads,
                   std::size_t head_size, Address from, Address to) {
  copy_heads(split_heads_view(at<const float>(from), length, num_heads, head_size),
             separate_heads_view(at<float>(to), num_heads, length, head_size), batch, num_heads,
             length, head_size);
}

void transpose_output(std::size_t batch, std::size_t length, std::size_t num_heads,
                      std::size_t head_size, Address from, Address to) {
  copy_heads(separate_heads_view(at<const float>(from), num_heads, length, head_size),
             split_heads_view(at<float>(to), length, num_heads, head_size), batch, num_heads,
             length, head_size);
}

void fill_normal(Address numbers, std::size_t count, double seed) {
  headwise::fill_normal(at<float>(numbers), count, static_cast<std::uint64_t>(seed));
}

}  // namespace

EMSCRIPTEN_BINDINGS(headwise) {
  using namespace emscripten;  // NOLINT(google-build-using-namespace)

  function("reserve", &reserve);
  function("canAllocate", &can_allocate);
  function("maskedSoftmax", &masked_softmax);
  function("poolingWorkspaceSize", &headwise::pooling_workspace_size);
  function("scaledDotProductAttention", &scaled_dot_product_attention);
  function("transposeQkv", &transpose_qkv);
  function("transposeOutput", &transpose_output);
  function("fillNormal", &fill_normal);
  class_<Layer>("Layer")
      .constructor<double, double, double, bool, double>()
      .function("initialize", &Layer::initialize)
      .function("setTraining", &Layer::set_training)
      .function("weight", &Layer::weight)
      .function("bias", &Layer::bias)
      .function("workspaceSize", &Layer::workspace_size)
      .function("forward", &Layer::forward);
}
