// The package's WebAssembly core: numbers and addresses in, numbers out. The TypeScript beside this
// file checks every argument before it calls, owns the layout of the working memory, and is the
// only caller.

#include <emscripten/bind.h>
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <headwise/attention/heads.hpp>
#include <headwise/attention/masked_softmax.hpp>
#include <headwise/attention/multi_head_attention.hpp>
#include <headwise/attention/pooling.hpp>
#include <headwise/io/number_types.hpp>
#include <headwise/random.hpp>
#include <limits>
#include <typeinfo>

#include "file_calls.hpp"
#include "record.hpp"
#include "threads.hpp"

namespace {

using headwise::AttentionMask;
using headwise::EmptyRows;
using headwise::KeyValueCache;
using headwise::MultiHeadAttention;
using headwise::separate_heads_view;
using headwise::split_heads_view;
using headwise::WeightsStage;
using headwise::bindings::Address;
using headwise::bindings::address_of;
using headwise::bindings::at;
using headwise::bindings::Record;

constexpr double address_space = 4294967295.0;
/// Bytes: what numbers begin at, so that no vector of theirs lies across two lines.
constexpr std::size_t cache_line = 64;
/// Room for bookkeeping beside the numbers.
constexpr double small_objects = 4096;

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
      block_ =
          bytes < address_space ? memalign(cache_line, static_cast<std::size_t>(bytes)) : nullptr;
      size_ = block_ != nullptr ? static_cast<std::size_t>(bytes) : 0;
    }
    return address_of(block_);
  }

 private:
  void* block_ = nullptr;
  std::size_t size_ = 0;
};

WorkingMemory working_memory;  // NOLINT(*-avoid-non-const-global-variables)

// What passes is numbers: 1 for true, 0 for false.

/// Whether this is the build that engines with relaxed SIMD run.
std::size_t is_relaxed() {
#if defined(__wasm_relaxed_simd__)
  return 1;
#else
  return 0;
#endif
}

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

std::size_t allocates(double bytes) { return can_allocate(bytes) ? 1 : 0; }

/// The order of the numbers is that of `maskRecord` in masks.ts.
AttentionMask read_mask(Record& record) noexcept {
  AttentionMask mask;
  mask.batch = record.size();
  mask.num_queries = record.size();
  mask.num_keys = record.size();
  mask.num_extra_slots = record.size();
  mask.empty_rows = record.flag() ? EmptyRows::uniform : EmptyRows::zero;
  mask.valid_lens = record.pointer<const std::int32_t>();
  mask.valid_lens_sample_stride = record.size();
  mask.valid_lens_query_stride = record.size();
  mask.causal = record.flag();
  mask.first_position = record.integer();
  mask.window_left = record.integer();
  mask.window_right = record.integer();
  mask.allowed = record.pointer<const std::uint8_t>();
  mask.added = record.pointer<const float>();
  for (std::size_t& stride : mask.mask_strides) {
    stride = record.size();
  }
  return mask;
}

/// The order of the numbers is that of `layerRecord` in layer-options.ts.
headwise::MultiHeadAttentionOptions read_options(Address address, double dropout, double scale,
                                                 double softcap, double seed) {
  Record record(address);
  headwise::MultiHeadAttentionOptions options;
  options.num_hiddens = record.integer();
  options.num_heads = record.integer();
  options.num_kv_heads = record.integer();
  options.output_size = record.integer();
  options.output_projection = record.flag();
  options.bias = record.flag();
  options.projection = static_cast<headwise::Projection>(record.integer());
  options.pooling = static_cast<headwise::Pooling>(record.integer());
  options.attention_hiddens = record.integer();
  options.bias_kv = record.flag();
  options.zero_attention = record.flag();
  options.dropout = dropout;
  options.scale = scale;
  options.softcap = softcap;
  options.seed = static_cast<std::uint64_t>(seed);
  return options;
}

/// Floats that a layer's parameters take, each weight once as it is and once packed, at most.
double parameters_bound(const headwise::LayerSettings& settings, double query_size, double key_size,
                        double value_size) {
  constexpr double padding = 64;
  const auto query_width = static_cast<double>(settings.query_width());
  const auto width = query_width + static_cast<double>(settings.output_size) + padding;
  const double inputs = query_size + key_size + value_size + query_width + padding;
  const auto attention_hiddens = static_cast<double>(settings.attention_hiddens) + 1;
  return 2 * (width * inputs +
              2 * attention_hiddens * (static_cast<double>(settings.head_size) + 1)) +
         small_objects;
}

MultiHeadAttention& layer_at(Address layer) noexcept { return *at<MultiHeadAttention>(layer); }

/// The address of a new layer, 0 if there is no room. `delete_layer` gives it back.
Address new_layer(Address options, double dropout, double scale, double softcap, double seed) {
  if (!can_allocate(small_objects)) {
    return 0;
  }
  return address_of(new MultiHeadAttention(  // NOLINT(*-owning-memory): JavaScript owns it
      read_options(options, dropout, scale, softcap, seed)));
}

void delete_layer(Address layer) { delete at<MultiHeadAttention>(layer); }

/// Draws the parameters for these input sizes; 0, and nothing changed, if there is no room.
std::size_t initialize(Address layer, double query_size, double key_size, double value_size) {
  const double floats =
      parameters_bound(layer_at(layer).settings(), query_size, key_size, value_size);
  if (!can_allocate(floats * sizeof(float))) {
    return 0;
  }
  layer_at(layer).initialize({.query_size = static_cast<std::size_t>(query_size),
                              .key_size = static_cast<std::size_t>(key_size),
                              .value_size = static_cast<std::size_t>(value_size)});
  return 1;
}

void set_training(Address layer, std::size_t training) {
  training != 0 ? layer_at(layer).train() : layer_at(layer).eval();
}

/// Parameters by number, see `parameter_names`. What is written there counts from the next forward
/// on.
Address parameter(Address layer, std::size_t number) {
  return address_of(layer_at(layer).parameters()->data(number));
}

double num_threads() noexcept { return static_cast<double>(headwise::parallel::num_threads()); }

double workspace_size(Address layer, double batch, double num_queries, double num_keys) {
  return layer_at(layer).workspace_size(batch, num_queries, num_keys, num_threads());
}

/// The order of the numbers is that of `runForward` in forward.ts.
void forward(Address layer, Address address) {
  Record record(address);
  const AttentionMask mask = read_mask(record);
  headwise::ForwardArguments arguments;
  arguments.mask = &mask;
  arguments.queries = record.pointer<const float>();
  arguments.keys = record.pointer<const float>();
  arguments.values = record.pointer<const float>();
  arguments.num_new_keys = record.size();
  arguments.head_gate = record.pointer<const float>();
  arguments.gate_stride = record.size();
  arguments.cache = record.pointer<KeyValueCache>();
  arguments.output = record.pointer<float>();
  arguments.attention_weights = record.pointer<float>();
  arguments.weights_stage = static_cast<WeightsStage>(record.integer());
  arguments.workspace = record.pointer<float>();
  arguments.num_threads = headwise::parallel::num_threads();
  layer_at(layer).forward_into(arguments);
}

/// The address of a new cache, 0 if there is no room. `delete_cache` gives it back.
Address create_cache(Address layer, double batch_size, double max_length) {
  const headwise::LayerSettings& settings = layer_at(layer).settings();
  const double floats =
      2 * batch_size * max_length * static_cast<double>(settings.key_value_width());
  if (!can_allocate(floats * sizeof(float) + small_objects)) {
    return 0;
  }
  return address_of(new KeyValueCache(  // NOLINT(*-owning-memory): JavaScript owns it
      layer_at(layer).identity(), static_cast<std::size_t>(batch_size),
      static_cast<std::size_t>(max_length), settings.num_kv_heads, settings.head_size));
}

void delete_cache(Address cache) { delete at<KeyValueCache>(cache); }

void set_cache_length(Address cache, double length) {
  at<KeyValueCache>(cache)->truncate(static_cast<std::int64_t>(length));
}

void masked_softmax(Address mask_record, Address weights) {
  Record record(mask_record);
  headwise::masked_softmax_into(read_mask(record), at<float>(weights),
                                headwise::parallel::num_threads());
}

double pooling_workspace_size(double num_keys, double query_size, double key_size,
                              double value_size, double attention_hiddens) {
  return num_threads() * headwise::pooling_workspace_size(num_keys, query_size, key_size,
                                                          value_size, attention_hiddens);
}

/// What a pooling function is given. The order of the numbers is that of `pool` in
/// pooling-functions.ts.
struct PoolingCall {
  headwise::PoolingArguments arguments;
  float* workspace;
  headwise::AdditiveScoring additive;
};

PoolingCall read_pooling(Address address, const AttentionMask& mask) {
  Record record(address);
  headwise::PoolingArguments arguments;
  arguments.mask = &mask;
  arguments.num_heads = record.size();
  arguments.num_kv_heads = record.size();
  arguments.query_size = record.size();
  arguments.key_size = record.size();
  arguments.value_size = record.size();
  arguments.pooled = separate_heads_view(record.pointer<float>(), arguments.num_heads,
                                         mask.num_queries, arguments.value_size);
  arguments.attention_weights = record.pointer<float>();
  arguments.weights_stage = static_cast<WeightsStage>(record.integer());
  arguments.num_threads = headwise::parallel::num_threads();
  auto* const workspace = record.pointer<float>();
  headwise::AdditiveScoring additive;
  additive.hiddens = record.size();
  arguments.queries = separate_heads_view(record.pointer<const float>(), arguments.num_heads,
                                          mask.num_queries, arguments.query_size);
  arguments.keys = separate_heads_view(record.pointer<const float>(), arguments.num_kv_heads,
                                       mask.num_keys, arguments.key_size);
  arguments.values = separate_heads_view(record.pointer<const float>(), arguments.num_kv_heads,
                                         mask.num_keys, arguments.value_size);
  if (additive.hiddens > 0) {
    additive.W_q = record.pointer<const float>();
    additive.W_k = record.pointer<const float>();
    additive.w_v = record.pointer<const float>();
  }
  return {.arguments = arguments, .workspace = workspace, .additive = additive};
}

void scaled_dot_product_attention(Address mask_record, Address pooling_record, double scale,
                                  double softcap) {
  Record record(mask_record);
  const AttentionMask mask = read_mask(record);
  const PoolingCall call = read_pooling(pooling_record, mask);
  const headwise::DotProductScoring scoring{.scale = static_cast<float>(scale),
                                            .softcap = static_cast<float>(softcap)};
  headwise::pool(call.arguments, scoring, call.workspace);
}

void additive_attention(Address mask_record, Address pooling_record) {
  Record record(mask_record);
  const AttentionMask mask = read_mask(record);
  const PoolingCall call = read_pooling(pooling_record, mask);
  headwise::pool(call.arguments, call.additive, call.workspace);
}

void split_heads(std::size_t batch, std::size_t length, std::size_t num_heads,
                 std::size_t head_size, Address from, Address to) {
  copy_heads(split_heads_view(at<const float>(from), length, num_heads, head_size),
             separate_heads_view(at<float>(to), num_heads, length, head_size), batch, num_heads,
             length, head_size);
}

void join_heads(std::size_t batch, std::size_t length, std::size_t num_heads, std::size_t head_size,
                Address from, Address to) {
  copy_heads(separate_heads_view(at<const float>(from), num_heads, length, head_size),
             split_heads_view(at<float>(to), length, num_heads, head_size), batch, num_heads,
             length, head_size);
}

void fill_normal(Address numbers, std::size_t count, double seed) {
  headwise::fill_normal(at<float>(numbers), count, static_cast<std::uint64_t>(seed));
}

void to_floats(std::size_t type, std::size_t size, std::size_t big_endian, Address from,
               std::size_t count, Address to) {
  headwise::io::to_floats({.type = static_cast<headwise::io::NumberType>(type),
                           .size = size,
                           .big_endian = big_endian != 0},
                          at<const std::byte>(from), count, at<float>(to));
}

void to_row_major(Address shape, std::size_t rank, Address from, Address to) {
  headwise::io::to_row_major(at<const std::size_t>(shape), rank, at<const float>(from),
                             at<float>(to));
}

/// The address of the answer, which lies in working memory; 0 if there is no room.
template <headwise::bindings::Words Call(Record)>
Address answer(Address question) {
  const headwise::bindings::Words words = Call(Record(question));
  const Address address = reserve(static_cast<double>(words.size()));
  if (address != 0) {
    std::memcpy(at<std::uint32_t>(address), words.data(), words.size() * sizeof(std::uint32_t));
  }
  return address;
}

}  // namespace

// All that C++ allocates, tensors among it: malloc would give them multiples of 8 bytes.
// NOLINTBEGIN(misc-use-internal-linkage): they replace the library's.
void* operator new(std::size_t size) { return memalign(cache_line, size); }
void operator delete(void* block) noexcept { std::free(block); }
// NOLINTEND(misc-use-internal-linkage)

// This file takes the place of Embind's own library, see CMakeLists.txt. That registers every type
// that it knows, strings, views and more: 3 KB of the package.
namespace {

emscripten::internal::InitFunc* init_functions =  // NOLINT(*-avoid-non-const-global-variables)
    nullptr;

}  // namespace

extern "C" {
// NOLINTBEGIN(*-identifier-naming, bugprone-*, cert-*): Embind's names

void _embind_register_bindings(emscripten::internal::InitFunc* function) {
  function->next = init_functions;
  init_functions = function;
}

void _embind_initialize_bindings() {
  for (auto* function = init_functions; function != nullptr; function = function->next) {
    function->init_func();
  }
}

/// For texts of errors that cannot happen here.
const char* __getTypeName(const std::type_info* /*type*/) { return nullptr; }

// NOLINTEND(*-identifier-naming, bugprone-*, cert-*)
}

EMSCRIPTEN_BINDINGS(types) {
  using namespace emscripten::internal;  // NOLINT(google-build-using-namespace)

  using Integer = std::size_t;
  _embind_register_void(TypeID<void>::get(), "void");
  _embind_register_integer(TypeID<Integer>::get(), "size", sizeof(Integer),
                           std::numeric_limits<Integer>::min(),
                           std::numeric_limits<Integer>::max());
  _embind_register_float(TypeID<double>::get(), "double", sizeof(double));
}

EMSCRIPTEN_BINDINGS(headwise) {
  using namespace emscripten;  // NOLINT(google-build-using-namespace)

  // Layers and caches pass as addresses: Embind's classes would take more bytes than the layer.
  function("isRelaxed", &is_relaxed);
  function("workerEntry", &headwise::bindings::worker_entry);
  function("newStack", &headwise::bindings::new_stack);
  function("setThreads", &headwise::bindings::set_threads);
  function("reserve", &reserve);
  function("canAllocate", &allocates);
  function("maskedSoftmax", &masked_softmax);
  function("poolingWorkspaceSize", &pooling_workspace_size);
  function("scaledDotProductAttention", &scaled_dot_product_attention);
  function("additiveAttention", &additive_attention);
  function("splitHeads", &split_heads);
  function("joinHeads", &join_heads);
  function("fillNormal", &fill_normal);
  function("deleteCache", &delete_cache);
  function("setCacheLength", &set_cache_length);
  function("toFloats", &to_floats);
  function("toRowMajor", &to_row_major);
  function("readSafetensorsHeader", &answer<headwise::bindings::read_safetensors_header>);
  function("writeSafetensorsHeader", &answer<headwise::bindings::write_safetensors_header>);
  function("readNpyHeader", &answer<headwise::bindings::read_npy_header>);
  function("writeNpyHeader", &answer<headwise::bindings::write_npy_header>);
  function("planLayer", &answer<headwise::bindings::plan_layer>);
  function("newLayer", &new_layer);
  function("deleteLayer", &delete_layer);
  function("initialize", &initialize);
  function("setTraining", &set_training);
  function("parameter", &parameter);
  function("workspaceSize", &workspace_size);
  function("forward", &forward);
  function("createCache", &create_cache);
}
