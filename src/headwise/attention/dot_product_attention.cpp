#include <algorithm>
#include <cmath>
#include <headwise/attention/dot_product_attention.hpp>
#include <headwise/attention/masked_softmax.hpp>
#include <headwise/attention/validation.hpp>
#include <headwise/kernels/finite.hpp>
#include <headwise/kernels/matrix_multiply.hpp>

namespace headwise {
namespace {

/// Queries whose scores exist at the same time.
constexpr std::size_t block_rows = 16;

/// Pools one head of one sample.
class HeadPooling {
 public:
  HeadPooling(const PoolingArguments& arguments, std::size_t sample, std::size_t head,
              float* workspace) noexcept
      : arguments_(arguments),
        sample_(sample),
        head_(head),
        seen_(arguments.ranges->of_sample(sample)),
        packed_keys_(workspace),
        packed_values_(packed_keys_ + kernels::packed_size(arguments.head_size, seen_.size())),
        scores_(packed_values_ + kernels::packed_size(seen_.size(), arguments.value_size)) {
    const HeadsView<const float>& keys = arguments.keys;
    const HeadsView<const float>& values = arguments.values;
    const float* seen_keys = keys.head(sample, head) + seen_.begin * keys.row_stride;
    const float* seen_values = values.head(sample, head) + seen_.begin * values.row_stride;
    kernels::pack_columns(seen_keys, keys.row_stride, arguments.head_size, seen_.size(),
                          packed_keys_);
    kernels::pack_rows(seen_values, values.row_stride, seen_.size(), arguments.value_size,
                       packed_values_);
    values_are_finite_ =
        kernels::all_finite(seen_values, values.row_stride, seen_.size(), arguments.value_size);
  }

  void pool() const noexcept {
    const std::size_t num_queries = arguments_.ranges->num_queries();
    for (std::size_t first = 0; first < num_queries; first += block_rows) {
      pool_block(first, std::min(block_rows, num_queries - first));
    }
  }

 private:
  void pool_block(std::size_t first, std::size_t rows) const noexcept {
    score(first, rows);
    for (std::size_t i = 0; i < rows; ++i) {
      weigh(first + i, scores_ + i * seen_.size());
    }
    if (values_are_finite_) {
      sum_values(first, rows, scores_, seen_);
      return;
    }
    // A weight of 0 does not silence a NaN or an infinity, so each row sums just the values it
    // sees.
    for (std::size_t i = 0; i < rows; ++i) {
      sum_values(first + i, 1, scores_ + i * seen_.size(), row(first + i).keys);
    }
  }

  /// scores (rows, seen keys) = Q Kᵀ
  void score(std::size_t first, std::size_t rows) const noexcept {
    const HeadsView<const float>& queries = arguments_.queries;
    const std::size_t depth = arguments_.head_size;
    kernels::matrix_multiply(
        rows, seen_.size(), depth, queries.head(sample_, head_) + first * queries.row_stride,
        queries.row_stride, {.panels = packed_keys_, .panel_stride = depth * kernels::panel_width},
        nullptr, scores_, seen_.size());
  }

  /// Scores of one query become its weights: masked softmax, a copy for the caller, dropout.
  void weigh(std::size_t query, float* scores) const noexcept {
    const KeyRanges& ranges = *arguments_.ranges;
    softmax_over_row(scores, seen_, row(query), arguments_.scale);
    const std::size_t index =
        (sample_ * arguments_.num_heads + head_) * ranges.num_queries() + query;
    if (arguments_.attention_weights != nullptr) {
      float* weights = arguments_.attention_weights + index * ranges.num_keys();
      std::fill_n(weights, ranges.num_keys(), 0.0F);
      std::copy_n(scores, seen_.size(), weights + seen_.begin);
    }
    if (arguments_.dropout.active()) {
      arguments_.dropout.apply(scores, index, seen_.begin, seen_.size());
    }
  }

  /// pooled (rows, value size) = weights V, over the keys of `keys` only
  void sum_values(std::size_t first, std::size_t rows, const float* weights,
                  KeyRange keys) const noexcept {
    const HeadsView<float>& pooled = arguments_.pooled;
    const std::size_t offset = keys.size() > 0 ? keys.begin - seen_.begin : 0;
    kernels::matrix_multiply(
        rows, arguments_.value_size, keys.size(), weights + offset, seen_.size(),
        {.panels = packed_values_ + offset * kernels::panel_width,
         .panel_stride = seen_.size() * kernels::panel_width},
        nullptr, pooled.head(sample_, head_) + first * pooled.row_stride, pooled.row_stride);
  }

  [[nodiscard]] QueryRow row(std::size_t query) const noexcept {
    return arguments_.ranges->row(sample_, query);
  }

  const PoolingArguments& arguments_;
  std::size_t sample_;
  std::size_t head_;
  /// The keys that some query of the sample reads; only these are packed, scored and summed.
  KeyRange seen_;
  float* packed_keys_;
  float* packed_values_;
  float* scores_;
  bool values_are_finite_ = true;
};

struct SeparateHeads {
  std::size_t batch, num_heads, num_queries, num_keys, head_size, value_size;
};

template <std::size_t Rank>
PoolingResult<Rank> pool_tensors(const SeparateHeads& sizes, const Tensor<Rank>& queries,
                                 const Tensor<Rank>& keys, const Tensor<Rank>& values,
                                 const DotProductAttentionOptions& options) {
  validation::check_valid_lens(options.valid_lens, sizes.batch, sizes.num_queries, sizes.num_keys);
  const ValidLensStorage lens(options.valid_lens);
  KeyRanges ranges(sizes.batch, sizes.num_queries, sizes.num_keys, options.empty_rows);
  lens.limit(ranges);

  auto shape = queries.shape();
  shape.back() = sizes.value_size;
  PoolingResult<Rank> result{.output = Tensor<Rank>::from_shape(shape),
                             .attention_weights = std::nullopt};
  if (options.return_weights) {
    shape.back() = sizes.num_keys;
    result.attention_weights = Tensor<Rank>::from_shape(shape);
  }
  auto workspace = Tensor<1>::from_shape({static_cast<std::size_t>(pooling_workspace_size(
      static_cast<double>(sizes.num_keys), static_cast<double>(sizes.head_size),
      static_cast<double>(sizes.value_size)))});
  const std::size_t heads = sizes.num_heads;
  const PoolingArguments arguments{
      .ranges = &ranges,
      .num_heads = heads,
      .head_size = sizes.head_size,
      .value_size = sizes.value_size,
      .queries = separate_heads_view(queries.data(), heads, sizes.num_queries, sizes.head_size),
      .keys = separate_heads_view(keys.data(), heads, sizes.num_keys, sizes.head_size),
      .values = separate_heads_view(values.data(), heads, sizes.num_keys, sizes.value_size),
      .scale = default_scale(sizes.head_size),
      .dropout = {},
      .pooled =
          separate_heads_view(result.output.data(), heads, sizes.num_queries, sizes.value_size),
      .attention_weights =
          result.attention_weights.has_value() ? result.attention_weights->data() : nullptr,
  };
  pool_by_dot_product(arguments, workspace.data());
  return result;
}

}  // namespace

float default_scale(std::size_t head_size) noexcept {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_size)));
}

double pooling_workspace_size(double num_keys, double head_size, double value_size) noexcept {
  constexpr double padding = kernels::panel_width;
  return head_size * (num_keys + padding) + num_keys * (value_size + padding) +
         block_rows * num_keys;
}

void pool_by_dot_product(const PoolingArguments& arguments, float* workspace) noexcept {
  for (std::size_t sample = 0; sample < arguments.ranges->batch(); ++sample) {
    for (std::size_t head = 0; head < arguments.num_heads; ++head) {
      HeadPooling(arguments, sample, head, workspace).pool();
    }
  }
}

PoolingResult<3> dot_product_attention(const Tensor<3>& queries, const Tensor<3>& keys,
                                       const Tensor<3>& values,
                                       const DotProductAttentionOptions& options) {
  validation::check_dot_product_attention(queries.shape(), keys.shape(), values.shape());
  const SeparateHeads sizes{.batch = queries.shape(0),
                            .num_heads = 1,
                            .num_queries = queries.shape(1),
                            .num_keys = keys.shape(1),
                            .head_size = queries.shape(2),
                            .value_size = values.shape(2)};
  return validation::report_out_of_memory(
      [&] { return pool_tensors(sizes, queries, keys, values, options); });
}

PoolingResult<4> scaled_dot_product_attention(const Tensor<4>& queries, const Tensor<4>& keys,
                                              const Tensor<4>& values,
                                              const DotProductAttentionOptions& options) {
  validation::check_scaled_dot_product_attention(queries.shape(), keys.shape(), values.shape());
  const SeparateHeads sizes{.batch = queries.shape(0),
                            .num_heads = queries.shape(1),
                            .num_queries = queries.shape(2),
                            .num_keys = keys.shape(2),
                            .head_size = queries.shape(3),
                            .value_size = values.shape(3)};
  return validation::report_out_of_memory(
      [&] { return pool_tensors(sizes, queries, keys, values, options); });
}

}  // namespace headwise
