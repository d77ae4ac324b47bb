#include <algorithm>
#include <cmath>
#include <cstdint>
#include <headwise/api/mask_options.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/core/attention/head_gate.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/attention/row_projection.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/memory/workspace.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/multi_head_attention.hpp>
#include <headwise/random.hpp>
#include <span>
#include <utility>

namespace headwise {
namespace {

using Shape = std::span<const std::size_t>;

std::optional<std::size_t> to_size(std::optional<std::int64_t> size) noexcept {
  return size.has_value() ? std::optional(static_cast<std::size_t>(*size)) : std::nullopt;
}

/// Options with their defaults. Checks nothing.
LayerSettings settle(const MultiHeadAttentionOptions& options) {
  const auto num_hiddens = static_cast<std::size_t>(options.num_hiddens);
  const auto num_heads = static_cast<std::size_t>(options.num_heads);
  const std::size_t head_size = num_hiddens / num_heads;
  return {.num_hiddens = num_hiddens,
          .num_heads = num_heads,
          .num_kv_heads = to_size(options.num_kv_heads).value_or(num_heads),
          .head_size = head_size,
          .output_size = to_size(options.output_size).value_or(num_hiddens),
          .output_projection =
              options.output_projection.value_or(options.projection != Projection::none),
          .bias = options.bias,
          .projection = options.projection,
          .pooling = options.pooling,
          .attention_hiddens = to_size(options.attention_hiddens).value_or(head_size),
          .scale = options.scale.has_value() ? static_cast<float>(*options.scale)
                                             : default_scale(head_size),
          .softcap = static_cast<float>(options.softcap),
          .bias_kv = options.bias_kv,
          .zero_attention = options.zero_attention,
          .dropout = options.dropout,
          .seed = options.seed.has_value() ? *options.seed : random_seed()};
}

LayerSettings check_and_settle(const MultiHeadAttentionOptions& options) {
  return report_out_of_memory([&] {
    if constexpr (validation::enabled) {
      validation::check_layer_options(options);
    }
    return settle(options);
  });
}

/// Keys and values of every sample as pooling reads them.
struct KeyValues {
  HeadsView<const float> keys;
  HeadsView<const float> values;
};

/// At most the three projections of the inputs, which are worked on together.
class InputProjections {
 public:
  /// The rows projected, or the inputs themselves if they are not.
  const float* add(std::optional<Linear>& linear, const float* inputs, std::size_t rows,
                   const std::uint8_t* read, Workspace& workspace) noexcept {
    if (!linear) {
      return inputs;
    }
    float* outputs = workspace.take(rows * linear->sizes().out);
    list_[count_++] = {
        .linear = &*linear, .inputs = inputs, .outputs = outputs, .rows = rows, .read = read};
    return outputs;
  }

  void project(std::size_t num_threads) const noexcept {
    headwise::project(std::span(list_).first(count_), num_threads);
  }

 private:
  std::array<RowProjection, 3> list_{};
  std::size_t count_ = 0;
};

/// A mark for each key: whether some query reads it.
const std::uint8_t* mark_read_keys(const AttentionMask& mask, std::size_t num_heads,
                                   Workspace& workspace) noexcept {
  const std::size_t rows = mask.batch * mask.num_keys;
  auto* read = reinterpret_cast<std::uint8_t*>(workspace.take(rows / sizeof(float) + 1));
  for (std::size_t sample = 0; sample < mask.batch; ++sample) {
    mask.mark_read_keys(sample, num_heads, read + sample * mask.num_keys);
  }
  return read;
}

HeadsView<const float> for_reading(const HeadsView<float>& heads) noexcept {
  return {.data = heads.data,
          .sample_stride = heads.sample_stride,
          .head_stride = heads.head_stride,
          .row_stride = heads.row_stride};
}

/// The new keys and values behind those of the cache, which then holds all.
KeyValues append_to_cache(KeyValueCache& cache, const KeyValues& fresh, std::size_t num_new_keys,
                          const LayerSettings& settings) noexcept {
  const auto append = [&](const HeadsView<const float>& rows, HeadsView<float> held) {
    if (num_new_keys > 0) {  // Else there are no rows to point at.
      held.data += cache.length() * held.row_stride;
      copy_heads(rows, held, cache.batch_size(), settings.num_kv_heads, num_new_keys,
                 settings.head_size);
    }
  };
  append(fresh.keys, cache.keys());
  append(fresh.values, cache.values());
  return {.keys = for_reading(cache.keys()), .values = for_reading(cache.values())};
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const MultiHeadAttentionOptions& options)
    : settings_(check_and_settle(options)),
      query_size_(to_size(options.query_size)),
      key_size_(to_size(options.key_size)),
      value_size_(to_size(options.value_size)) {
  if (settings_.projection == Projection::none) {
    query_size_ = key_size_ = value_size_ = settings_.num_hiddens;
  }
  if (query_size_ && key_size_ && value_size_) {
    report_out_of_memory([&] {
      initialize({.query_size = *query_size_, .key_size = *key_size_, .value_size = *value_size_});
    });
  }
}

MultiHeadAttention::MultiHeadAttention(const MultiHeadAttention& other)
    : Trainable(other),
      in_use_(other.in_use_),
      settings_(other.settings_),
      query_size_(other.query_size_),
      key_size_(other.key_size_),
      value_size_(other.value_size_),
      parameters_(copied(other.parameters_)),
      training_(other.training_),
      dropout_calls_(other.dropout_calls_),
      identity_(other.identity_),
      record_(copied(other.record_)),
      pending_(other.pending_),
      pending_has_batch_axis_(other.pending_has_batch_axis_),
      gradients_(copied(other.gradients_)),
      removed_slices_(copied(other.removed_slices_)) {}

MultiHeadAttention& MultiHeadAttention::operator=(const MultiHeadAttention& other) {
  if (this != &other) {
    *this = MultiHeadAttention(other);
  }
  return *this;
}

AttentionResult MultiHeadAttention::forward(const Tensor<3>& queries, const Tensor<3>& keys,
                                            const Tensor<3>& values,
                                            const ForwardOptions& options) {
  return checked_forward<3>(queries, &keys, &values, options);
}

ForwardResult<2> MultiHeadAttention::forward(const Tensor<2>& queries, const Tensor<2>& keys,
                                             const Tensor<2>& values,
                                             const ForwardOptions& options) {
  return checked_forward<2>(queries, &keys, &values, options);
}

AttentionResult MultiHeadAttention::forward(const Tensor<3>& queries,
                                            const ForwardOptions& options) {
  return checked_forward<3>(queries, nullptr, nullptr, options);
}

ForwardResult<2> MultiHeadAttention::forward(const Tensor<2>& queries,
                                             const ForwardOptions& options) {
  return checked_forward<2>(queries, nullptr, nullptr, options);
}

template <std::size_t Rank>
ForwardResult<Rank> MultiHeadAttention::checked_forward(const Tensor<Rank>& queries,
                                                        const Tensor<Rank>* keys,
                                                        const Tensor<Rank>* values,
                                                        const ForwardOptions& options) {
  const auto shape_of = [](const Tensor<Rank>* tensor) {
    return tensor != nullptr ? Shape(tensor->shape()) : Shape();
  };
  return report_out_of_memory([&] {
    const MaskSizes sizes = validation::check_forward(*this, queries.shape(), shape_of(keys),
                                                      shape_of(values), options);
    const MaskStorage masks({.valid_lens = options.valid_lens,
                             .mask = options.mask,
                             .causal = options.causal,
                             .window = options.window,
                             .empty_rows = options.empty_rows},
                            sizes);
    auto output_shape = queries.shape();
    output_shape.back() = settings_.output_size;
    ForwardResult<Rank> result{.output = make_tensor<Rank>(output_shape),
                               .attention_weights = std::nullopt};
    if (options.return_weights) {
      std::array<std::size_t, Rank + 1> weights_shape{};
      weights_shape.front() = sizes.batch;
      weights_shape[Rank - 2] = sizes.num_heads;
      weights_shape[Rank - 1] = sizes.num_queries;
      weights_shape[Rank] = sizes.num_keys + sizes.num_extra_slots;
      result.attention_weights = make_tensor<Rank + 1>(weights_shape);
    }
    const std::size_t threads = parallel::num_threads();
    auto workspace = make_tensor<1>({checked_count(
        workspace_size(static_cast<double>(sizes.batch), static_cast<double>(sizes.num_queries),
                       static_cast<double>(sizes.num_keys), static_cast<double>(threads)))});
    const auto size_of = [&](const Tensor<Rank>* tensor) {
      return tensor != nullptr ? tensor->shape().back() : 0;
    };
    ForwardArguments arguments{
        .input_sizes = {.query_size = size_of(&queries),
                        .key_size = size_of(keys),
                        .value_size = size_of(values)},
        .queries = queries.data(),
        .keys = keys != nullptr ? keys->data() : nullptr,
        .values = values != nullptr ? values->data() : nullptr,
        .num_new_keys = keys != nullptr ? keys->shape(Rank - 2) : 0,
        .mask = &masks.mask(),
        .cache = options.cache,
        .output = result.output.data(),
        .attention_weights = result.attention_weights ? result.attention_weights->data() : nullptr,
        .weights_stage = options.weights_stage,
        .workspace = workspace.data(),
        .num_threads = threads,
        .requires_grad = options.requires_grad};
    if (const auto* gate = std::get_if<Tensor<1>>(&options.head_gate)) {
      arguments.head_gate = gate->data();
    } else if (const auto* gates = std::get_if<Tensor<2>>(&options.head_gate)) {
      arguments.head_gate = gates->data();
      arguments.gate_stride = sizes.num_heads;
    }
    forward_into(arguments, allocate(arguments));
    if (options.requires_grad) {
      pending_has_batch_axis_ = Rank == 3;
    }
    return result;
  });
}

ForwardMemory MultiHeadAttention::allocate(const ForwardArguments& arguments) const {
  ForwardMemory memory;
  const InputSizes inputs = parameters_ ? input_sizes() : arguments.input_sizes;
  if (!parameters_) {
    memory.parameters.emplace(settings_, inputs);
    memory.parameters->initialize(settings_.seed);
  }
  if (arguments.requires_grad) {
    if (!gradients_.exist()) {
      memory.gradients = ParameterGradients(settings_, inputs);
    }
    const AttentionMask& mask = *arguments.mask;
    memory.record.emplace(record_sizes(inputs, mask), mask, settings_.num_heads,
                          arguments.head_gate, arguments.gate_stride,
                          record_ ? &*record_ : nullptr);
  }
  return memory;
}

void MultiHeadAttention::keep(ForwardMemory&& memory, const InputSizes& inputs) noexcept {
  if (memory.parameters) {
    parameters_ = std::move(memory.parameters);
    set_sizes(inputs);
  }
  if (memory.gradients.exist()) {
    gradients_ = std::move(memory.gradients);
  }
  if (memory.record) {
    if (record_) {
      memory.record->take_room(*record_);
    }
    record_ = std::move(memory.record);
    record_->set_dropout(dropout());
    pending_ = PendingBackward::ready;
  }
}

Dropout MultiHeadAttention::dropout() const noexcept {
  return {.probability = training_ ? settings_.dropout : 0,
          .seed = settings_.seed,
          .call = dropout_calls_};
}

void MultiHeadAttention::forward_into(const ForwardArguments& given,
                                      ForwardMemory&& memory) noexcept {
  keep(std::move(memory), given.input_sizes);
  ForwardArguments arguments = given;
  const AttentionMask& mask = *arguments.mask;
  const std::size_t query_rows = mask.batch * mask.num_queries;
  const std::size_t query_width = settings_.query_width();
  LayerParameters& parameters = *parameters_;

  if (arguments.requires_grad) {
    keep_inputs(arguments);
  }
  Workspace workspace(arguments.workspace);
  Workspace kept(arguments.requires_grad ? record_->projections() : nullptr);
  Workspace& heads = arguments.requires_grad ? kept : workspace;
  InputProjections projections;
  const float* Q = projections.add(parameters.W_q, arguments.queries, query_rows, nullptr,
                                   heads);  // (batch, queries, query width)
  // A later query may read what this one does not, so a cache takes all keys; else those that no
  // query reads are left alone.
  const std::uint8_t* read = nullptr;
  if (arguments.cache == nullptr && parameters.W_k) {
    read = mark_read_keys(mask, settings_.num_heads, workspace);
  }
  const bool every_key_is_scored =
      arguments.attention_weights != nullptr && (arguments.weights_stage == WeightsStage::raw ||
                                                 arguments.weights_stage == WeightsStage::softcap);
  const std::size_t key_rows = mask.batch * arguments.num_new_keys;
  const auto kv_heads = [&](const float* rows) {
    return split_heads_view(rows, arguments.num_new_keys, settings_.num_kv_heads,
                            settings_.head_size);
  };
  KeyValues key_values{
      .keys = kv_heads(projections.add(parameters.W_k, arguments.keys, key_rows,
                                       every_key_is_scored ? nullptr : read, heads)),
      .values = kv_heads(projections.add(parameters.W_v, arguments.values, key_rows, read, heads))};
  projections.project(arguments.num_threads);
  if (arguments.cache != nullptr) {
    key_values = append_to_cache(*arguments.cache, key_values, arguments.num_new_keys, settings_);
  }

  float* gated = parameters.W_o ? workspace.take(query_rows * query_width) : arguments.output;
  float* pooled = arguments.requires_grad ? record_->pooled() : gated;
  PoolingArguments pooling = pooling_arguments(mask, Q, key_values.keys, key_values.values, pooled);
  pooling.dropout = dropout();
  pooling.attention_weights = arguments.attention_weights;
  pooling.weights_stage = arguments.weights_stage;
  pooling.num_threads = arguments.num_threads;
  if (!arguments.requires_grad) {
    pooling.head_gate = arguments.head_gate;
    pooling.gate_stride = arguments.gate_stride;
  }
  // transpose_qkv, the pooling of each head and transpose_output: the heads lie side by side in Q,
  // K and V, are read there, and are written side by side.
  if (settings_.pooling == Pooling::additive) {
    pool(pooling, additive_scoring(), workspace.rest());
  } else {
    pool(pooling, DotProductScoring{.scale = settings_.scale, .softcap = settings_.softcap},
         workspace.rest());
  }
  if (arguments.requires_grad) {
    // The gradient of a gate needs what it multiplied.
    gate_heads(record_->pooled(), arguments.head_gate, arguments.gate_stride,
               {.batch = mask.batch,
                .num_heads = settings_.num_heads,
                .length = mask.num_queries,
                .size = settings_.head_size},
               gated);
  }
  if (parameters.W_o) {
    const RowProjection last{.linear = &*parameters.W_o,
                             .inputs = gated,
                             .outputs = arguments.output,
                             .rows = query_rows};
    project({&last, 1}, arguments.num_threads);
  }

  if (arguments.cache != nullptr) {
    arguments.cache->append(arguments.num_new_keys);
  }
  if (training_ && settings_.dropout > 0) {
    ++dropout_calls_;
  }
}

PoolingArguments MultiHeadAttention::pooling_arguments(const AttentionMask& mask, const float* Q,
                                                       const HeadsView<const float>& keys,
                                                       const HeadsView<const float>& values,
                                                       float* pooled) const noexcept {
  const std::size_t head_size = settings_.head_size;
  const auto query_heads = [&](auto* data) {
    return split_heads_view(data, mask.num_queries, settings_.num_heads, head_size);
  };
  PoolingArguments pooling{.mask = &mask,
                           .num_heads = settings_.num_heads,
                           .num_kv_heads = settings_.num_kv_heads,
                           .query_size = head_size,
                           .key_size = head_size,
                           .value_size = head_size,
                           .queries = query_heads(Q),
                           .keys = keys,
                           .values = values,
                           .pooled = query_heads(pooled)};
  if (parameters_->bias_k) {
    pooling.extra_slots[0] = {.key = parameters_->bias_k->data(),
                              .value = parameters_->bias_v->data()};
  }
  return pooling;
}

AdditiveScoring MultiHeadAttention::additive_scoring() const noexcept {
  return {.W_q = parameters_->attention_W_q->data(),
          .W_k = parameters_->attention_W_k->data(),
          .w_v = parameters_->attention_w_v->data(),
          .hiddens = settings_.attention_hiddens};
}

double MultiHeadAttention::workspace_size(double batch, double num_queries, double num_keys,
                                          double num_threads) const noexcept {
  const auto head_size = static_cast<double>(settings_.head_size);
  const auto query_width = static_cast<double>(settings_.query_width());
  const auto key_value_width = static_cast<double>(settings_.key_value_width());
  const auto columns = num_keys + static_cast<double>(settings_.num_extra_slots());
  const double attention_hiddens =
      settings_.pooling == Pooling::additive ? static_cast<double>(settings_.attention_hiddens) : 0;
  const double read_marks = batch * num_keys / sizeof(float);
  // Of each piece of workspace: queries, keys, values, marks, pooled heads.
  constexpr double padding = 5.0 * Workspace::line;
  return 2 * batch * (num_queries * query_width + num_keys * key_value_width) + read_marks +
         padding +
         num_threads *
             pooling_workspace_size(columns, head_size, head_size, head_size, attention_hiddens);
}

MultiHeadAttention& MultiHeadAttention::train() noexcept {
  training_ = true;
  return *this;
}

MultiHeadAttention& MultiHeadAttention::eval() noexcept {
  training_ = false;
  return *this;
}

void MultiHeadAttention::set_sizes(const InputSizes& sizes) noexcept {
  query_size_ = sizes.query_size;
  key_size_ = sizes.key_size;
  value_size_ = sizes.value_size;
}

void MultiHeadAttention::initialize(const InputSizes& sizes) {
  LayerParameters parameters(settings_, sizes);
  parameters.initialize(settings_.seed);
  parameters_ = std::move(parameters);
  set_sizes(sizes);
}

KeyValueCache MultiHeadAttention::create_cache(const CacheOptions& options) const {
  return report_out_of_memory([&] {
    validation::check_cache_options(*this, options);
    return KeyValueCache(identity(), static_cast<std::size_t>(options.batch_size),
                         static_cast<std::size_t>(options.max_length), settings_.num_kv_heads,
                         settings_.head_size);
  });
}

StateDict MultiHeadAttention::state_dict() const {
  return report_out_of_memory([&] {
    validation::check_sizes_known(*this, "state_dict");
    StateDict result;
    for (const auto& [number, shape] : parameter_shapes(settings_, input_sizes())) {
      auto tensor = make_array(shape);
      std::copy_n(parameters_->data(number), tensor.size(), tensor.data());
      result.emplace(parameter_names[number], std::move(tensor));
    }
    return result;
  });
}

void MultiHeadAttention::load_state_dict(const StateDict& state_dict) {
  report_out_of_memory([&] {
    const InputSizes sizes = validation::check_state_dict(*this, state_dict);
    LayerParameters parameters(settings_, sizes);
    for (const auto& [number, shape] : parameter_shapes(settings_, sizes)) {
      const auto& tensor = state_dict.at(std::string(parameter_names[number]));
      std::copy_n(tensor.data(), tensor.size(), parameters.data(number));
    }
    parameters_ = std::move(parameters);
    set_sizes(sizes);
    parameters_changed();
  });
}

}  // namespace headwise
