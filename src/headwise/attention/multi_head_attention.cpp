#include <headwise/attention/dot_product_attention.hpp>
#include <headwise/attention/multi_head_attention.hpp>
#include <headwise/attention/validation.hpp>
#include <headwise/random.hpp>
#include <random>

namespace headwise {
namespace {

std::optional<std::size_t> to_size(std::optional<std::int64_t> size) noexcept {
  return size.has_value() ? std::optional(static_cast<std::size_t>(*size)) : std::nullopt;
}

std::uint64_t random_seed() {
  std::random_device device;
  return device();
}

/// Projects the rows (batch, keys, in) → (batch, keys, out) that some query reads, and no others:
/// what masked memory holds is never looked at. Neighbouring samples that are read to the end are
/// projected in one go.
void project_seen_rows(Linear& linear, const float* inputs, const KeyRanges& ranges,
                       float* outputs) {
  const std::size_t out = linear.weight().shape(0);
  const std::size_t in = linear.weight().shape(1);
  KeyRange rows{};
  const auto project = [&] {
    linear.project(inputs + rows.begin * in, rows.size(), outputs + rows.begin * out);
  };
  for (std::size_t sample = 0; sample < ranges.batch(); ++sample) {
    const KeyRange keys = ranges.of_sample(sample);
    const std::size_t first = sample * ranges.num_keys();
    if (rows.end != first + keys.begin) {
      project();
      rows.begin = first + keys.begin;
    }
    rows.end = first + keys.end;
  }
  project();
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const MultiHeadAttentionOptions& options)
    : num_hiddens_(static_cast<std::size_t>(options.num_hiddens)),
      num_heads_(static_cast<std::size_t>(options.num_heads)),
      dropout_(options.dropout),
      bias_(options.bias),
      seed_(options.seed.has_value() ? *options.seed : random_seed()),
      query_size_(to_size(options.query_size)),
      key_size_(to_size(options.key_size)),
      value_size_(to_size(options.value_size)) {
  if constexpr (validation::enabled) {
    validation::check_layer_options(options);
  }
  if (query_size_ && key_size_ && value_size_) {
    validation::report_out_of_memory([&] {
      initialize({.query_size = *query_size_, .key_size = *key_size_, .value_size = *value_size_});
    });
  }
}

AttentionResult MultiHeadAttention::forward(const Tensor<3>& queries, const Tensor<3>& keys,
                                            const Tensor<3>& values,
                                            const ForwardOptions& options) {
  validation::check_forward(*this, queries.shape(), keys.shape(), values.shape(), options);
  return validation::report_out_of_memory(
      [&] { return checked_forward(queries, keys, values, options); });
}

AttentionResult MultiHeadAttention::checked_forward(const Tensor<3>& queries, const Tensor<3>& keys,
                                                    const Tensor<3>& values,
                                                    const ForwardOptions& options) {
  const std::size_t batch = queries.shape(0);
  const std::size_t num_queries = queries.shape(1);
  const std::size_t num_keys = keys.shape(1);
  const ValidLensStorage lens(options.valid_lens);
  KeyRanges ranges(batch, num_queries, num_keys, options.empty_rows);
  lens.limit(ranges);

  AttentionResult result{.output = Tensor<3>::from_shape({batch, num_queries, num_hiddens_}),
                         .attention_weights = std::nullopt};
  if (options.return_weights) {
    result.attention_weights = Tensor<4>::from_shape({batch, num_heads_, num_queries, num_keys});
  }
  auto workspace = Tensor<1>::from_shape({static_cast<std::size_t>(
      workspace_size(static_cast<double>(batch), static_cast<double>(num_queries),
                     static_cast<double>(num_keys)))});
  if (!projections_) {
    initialize(
        {.query_size = queries.shape(2), .key_size = keys.shape(2), .value_size = values.shape(2)});
  }
  forward_into(
      {.queries = queries.data(),
       .keys = keys.data(),
       .values = values.data(),
       .ranges = &ranges,
       .output = result.output.data(),
       .attention_weights = result.attention_weights ? result.attention_weights->data() : nullptr,
       .workspace = workspace.data()});
  return result;
}

void MultiHeadAttention::forward_into(const ForwardArguments& arguments) {
  const KeyRanges& ranges = *arguments.ranges;
  const std::size_t query_rows = ranges.batch() * ranges.num_queries();
  const std::size_t key_rows = ranges.batch() * ranges.num_keys();
  const std::size_t head_size = num_hiddens_ / num_heads_;
  auto& [W_q, W_k, W_v, W_o] = *projections_;

  float* Q = arguments.workspace;               // (batch, queries, num_hiddens)
  float* K = Q + query_rows * num_hiddens_;     // (batch, keys, num_hiddens)
  float* V = K + key_rows * num_hiddens_;       // (batch, keys, num_hiddens)
  float* pooled = V + key_rows * num_hiddens_;  // (batch, queries, num_hiddens)
  float* pooling_workspace = pooled + query_rows * num_hiddens_;

  W_q.project(arguments.queries, query_rows, Q);
  project_seen_rows(W_k, arguments.keys, ranges, K);
  project_seen_rows(W_v, arguments.values, ranges, V);

  // transpose_qkv, the pooling of each head and transpose_output: the heads lie side by side in Q,
  // K and V, are read there, and are written side by side.
  pool_by_dot_product(
      {.ranges = &ranges,
       .num_heads = num_heads_,
       .head_size = head_size,
       .value_size = head_size,
       .queries = split_heads_view<const float>(Q, ranges.num_queries(), num_heads_, head_size),
       .keys = split_heads_view<const float>(K, ranges.num_keys(), num_heads_, head_size),
       .values = split_heads_view<const float>(V, ranges.num_keys(), num_heads_, head_size),
       .scale = default_scale(head_size),
       .dropout = {.probability = training_ ? dropout_ : 0, .seed = seed_, .call = dropout_calls_},
       .pooled = split_heads_view(pooled, ranges.num_queries(), num_heads_, head_size),
       .attention_weights = arguments.attention_weights},
      pooling_workspace);

  W_o.project(pooled, query_rows, arguments.output);
  if (training_ && dropout_ > 0) {
    ++dropout_calls_;
  }
}

double MultiHeadAttention::workspace_size(double batch, double num_queries,
                                          double num_keys) const noexcept {
  const auto hiddens = static_cast<double>(num_hiddens_);
  const double head_size = hiddens / static_cast<double>(num_heads_);
  return 2 * batch * (num_queries + num_keys) * hiddens +
         pooling_workspace_size(num_keys, head_size, head_size);
}

MultiHeadAttention& MultiHeadAttention::train() noexcept {
  training_ = true;
  return *this;
}

MultiHeadAttention& MultiHeadAttention::eval() noexcept {
  training_ = false;
  return *this;
}

MultiHeadAttention::Projections MultiHeadAttention::make_projections(
    const InputSizes& sizes) const {
  return {.W_q = Linear(sizes.query_size, num_hiddens_, bias_),
          .W_k = Linear(sizes.key_size, num_hiddens_, bias_),
          .W_v = Linear(sizes.value_size, num_hiddens_, bias_),
          .W_o = Linear(num_hiddens_, num_hiddens_, bias_)};
}

void MultiHeadAttention::initialize(const InputSizes& sizes) {
  Projections projections = make_projections(sizes);
  std::uint32_t stream = random_stream::parameters;
  for (Linear* linear : {&projections.W_q, &projections.W_k, &projections.W_v, &projections.W_o}) {
    linear->initialize(seed_, stream);
    stream += 2;  // weight and bias
  }
  projections_ = std::move(projections);
  query_size_ = sizes.query_size;
  key_size_ = sizes.key_size;
  value_size_ = sizes.value_size;
}

StateDict MultiHeadAttention::state_dict() const {
  validation::check_sizes_known(*this, "state_dict");
  return validation::report_out_of_memory([&] {
    StateDict result;
    const auto add = [&result](const std::string& name, const Linear& linear) {
      result[name + ".weight"] = linear.weight();
      if (linear.bias()) {
        result[name + ".bias"] = *linear.bias();
      }
    };
    add("W_q", projections_->W_q);
    add("W_k", projections_->W_k);
    add("W_v", projections_->W_v);
    add("W_o", projections_->W_o);
    return result;
  });
}

void MultiHeadAttention::load_state_dict(const StateDict& state_dict) {
  const InputSizes sizes = validation::check_state_dict(*this, state_dict);
  Projections projections = validation::report_out_of_memory([&] {
    Projections loaded = make_projections(sizes);
    const auto take = [&state_dict](const std::string& name, Linear& linear) {
      linear.mutable_weight() = state_dict.at(name + ".weight");
      if (linear.bias()) {
        *linear.mutable_bias() = state_dict.at(name + ".bias");
      }
    };
    take("W_q", loaded.W_q);
    take("W_k", loaded.W_k);
    take("W_v", loaded.W_v);
    take("W_o", loaded.W_o);
    return loaded;
  });
  projections_ = std::move(projections);
  query_size_ = sizes.query_size;
  key_size_ = sizes.key_size;
  value_size_ = sizes.value_size;
}

}  // namespace headwise
