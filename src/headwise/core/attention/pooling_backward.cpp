#include <algorithm>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/attention/pooling_backward.hpp>
#include <headwise/core/attention/score_block.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

/// Queries of a block of scores: more than in the forward pass, since they are the depth of some of
/// the products.
constexpr std::size_t backward_block_rows = 64;

/// Gradients of the scores of some queries, in the layout of `ScoreBlock`.
struct ScoreGradients {
  std::size_t head;
  std::size_t first;  ///< of the queries
  std::size_t rows;
  KeyRange columns;
  const float* data;
};

/// Turns the gradients of one key-value head's scores into those of queries and keys: the part in
/// which the pooling functions differ.
class ScoringBackward {
 public:
  struct Memory {
    float* key_gradients;  ///< (columns, key size)
    float* packed;         ///< for the right-hand matrix of a GEMM
    float* packed_keys;    ///< packed as rows, for dot products
    // For additive scores: gradients of the features of a block of queries and of all keys, the
    // latter also packed as the keys are.
    float* query_features;
    float* key_features;
    float* packed_key_features;

    static Memory lay_out(Arena& arena, const PoolingSizes& sizes) noexcept {
      const std::size_t hiddens = sizes.attention_hiddens;
      const bool is_additive = hiddens > 0;
      const std::size_t widest =
          kernels::round_up_to_panel(std::max(sizes.query_size, sizes.key_size));
      const std::size_t deepest = is_additive
                                      ? std::max({backward_block_rows, hiddens, sizes.columns})
                                      : backward_block_rows;
      return {
          .key_gradients = arena.take(sizes.columns, sizes.key_size),
          .packed = arena.take(deepest, widest),
          .packed_keys = arena.take(is_additive ? 0 : sizes.columns,
                                    kernels::round_up_to_panel(sizes.key_size)),
          .query_features = arena.take(backward_block_rows, hiddens),
          .key_features = arena.take(sizes.columns, hiddens),
          .packed_key_features = arena.take(hiddens, kernels::round_up_to_panel(sizes.columns))};
    }
  };

  ScoringBackward(const PoolingArguments& arguments, const PoolingGradients& gradients,
                  const ScoreBlock& block, std::size_t sample, std::size_t kv_head,
                  const Memory& memory) noexcept
      : arguments_(arguments),
        gradients_(gradients),
        scoring_(block.scoring()),
        block_(block),
        sample_(sample),
        memory_(memory) {
    if (!scoring_.is_additive()) {
      kernels::pack_rows(block.keys().data, block.keys().stride, block.columns(),
                         arguments.key_size, memory.packed_keys);
      return;
    }
    const std::size_t hiddens = scoring_.additive.hiddens;
    const std::size_t index = sample * arguments.num_kv_heads + kv_head;
    W_q_gradient_ = gradients.W_q + index * hiddens * arguments.query_size;
    W_k_gradient_ = gradients.W_k + index * hiddens * arguments.key_size;
    w_v_gradient_ = gradients.w_v + index * hiddens;
  }

  /// Sets every sum to 0. `skip_zeros` makes later sums skip terms with a factor of 0.
  void reset(bool skip_zeros) noexcept {
    skip_zeros_ = skip_zeros;
    write_zeros(memory_.key_gradients, block_.columns() * arguments_.key_size);
    if (scoring_.is_additive()) {
      const std::size_t hiddens = scoring_.additive.hiddens;
      write_zeros(W_q_gradient_, hiddens * arguments_.query_size);
      write_zeros(W_k_gradient_, hiddens * arguments_.key_size);
      write_zeros(w_v_gradient_, hiddens);
      write_zeros(memory_.packed_key_features, kernels::packed_size(hiddens, block_.columns()));
    }
  }

  /// Writes the gradients of the queries that were scored last and adds to those of the keys.
  void add(const ScoreGradients& scores) const noexcept {
    scoring_.is_additive() ? add_additive(scores) : add_dot_products(scores);
  }

  /// Gradients of the keys, (columns, key size), after all queries were added.
  [[nodiscard]] const float* finish() const noexcept {
    if (scoring_.is_additive()) {
      finish_additive();
    }
    return memory_.key_gradients;
  }

  /// Whether the gradients of keys and parameters are finite.
  [[nodiscard]] bool all_finite() const noexcept {
    const auto finite = [](const float* numbers, std::size_t count) {
      return kernels::all_finite(numbers, count, 1, count);
    };
    return finite(memory_.key_gradients, block_.columns() * arguments_.key_size) &&
           (!scoring_.is_additive() ||
            (finite(W_q_gradient_, scoring_.additive.hiddens * arguments_.query_size) &&
             finite(W_k_gradient_, scoring_.additive.hiddens * arguments_.key_size) &&
             finite(w_v_gradient_, scoring_.additive.hiddens)));
  }

 private:
  /// dQ = scale · dS K, dK += scale · dSᵀ Q.
  void add_dot_products(const ScoreGradients& scores) const noexcept {
    const HeadsView<const float>& queries = arguments_.queries;
    const HeadsView<float>& gradients = gradients_.queries;
    const std::size_t size = arguments_.key_size;
    const float scale = scoring_.dot_product.scale;
    const auto [begin, end] = scores.columns;
    const float* data = scores.data + begin;
    const std::size_t stride = block_.row_stride();
    float* query_gradients =
        gradients.head(sample_, scores.head) + scores.first * gradients.row_stride;
    if (skip_zeros_) {
      for (std::size_t i = 0; i < scores.rows; ++i) {
        write_zeros(query_gradients + i * gradients.row_stride, size);
      }
      const Rows keys{.data = block_.keys().data + begin * block_.keys().stride,
                      .stride = block_.keys().stride};
      gemm_skipping_zeros(scores.rows, size, end - begin, {.data = data, .row_stride = stride},
                          keys, scale, query_gradients, gradients.row_stride);
    } else {
      kernels::gemm(scores.rows, size, end - begin, {.data = data, .row_stride = stride},
                    {.panels = memory_.packed_keys + begin * kernels::panel_width(),
                     .panel_stride = block_.columns() * kernels::panel_width()},
                    scale, {}, query_gradients, gradients.row_stride);
    }
    const Rows block{.data = queries.head(sample_, scores.head) + scores.first * queries.row_stride,
                     .stride = queries.row_stride};
    add_product(end - begin, size, scores.rows,
                {.data = data, .row_stride = 1, .depth_stride = stride}, block, scale,
                memory_.key_gradients + begin * size, size);
  }

  /// With the features f = W_q q and g = W_k k: df and dg from the kernel, then dq = df W_q, dW_q
  /// += dfᵀ q.
  void add_additive(const ScoreGradients& scores) const noexcept {
    const std::size_t hiddens = scoring_.additive.hiddens;
    const HeadsView<const float>& queries = arguments_.queries;
    const HeadsView<float>& gradients = gradients_.queries;
    const std::size_t size = arguments_.query_size;
    // Packed keys begin at whole panels.
    const std::size_t first =
        scores.columns.begin / kernels::panel_width() * kernels::panel_width();
    write_zeros(memory_.query_features, scores.rows * hiddens);
    for (std::size_t i = 0; i < scores.rows; ++i) {
      kernels::additive_scores_gradient(
          block_.query_features(i), block_.packed_key_features() + first * hiddens,
          scoring_.additive.w_v, scores.data + i * block_.row_stride() + first, hiddens,
          scores.columns.end - first, memory_.query_features + i * hiddens,
          memory_.packed_key_features + first * hiddens, w_v_gradient_);
    }
    float* query_gradients =
        gradients.head(sample_, scores.head) + scores.first * gradients.row_stride;
    for (std::size_t i = 0; i < scores.rows; ++i) {
      write_zeros(query_gradients + i * gradients.row_stride, size);
    }
    add_product(scores.rows, size, hiddens, {.data = memory_.query_features, .row_stride = hiddens},
                {.data = scoring_.additive.W_q, .stride = size}, 1.0F, query_gradients,
                gradients.row_stride);
    const Rows block{.data = queries.head(sample_, scores.head) + scores.first * queries.row_stride,
                     .stride = queries.row_stride};
    add_product(hiddens, size, scores.rows,
                {.data = memory_.query_features, .row_stride = 1, .depth_stride = hiddens}, block,
                1.0F, W_q_gradient_, size);
  }

  /// dk = dg W_k, dW_k = dgᵀ k.
  void finish_additive() const noexcept {
    const std::size_t hiddens = scoring_.additive.hiddens;
    const std::size_t size = arguments_.key_size;
    const std::size_t width = kernels::panel_width();
    for (std::size_t column = 0; column < block_.columns(); ++column) {
      const float* packed =
          memory_.packed_key_features + column / width * width * hiddens + column % width;
      for (std::size_t u = 0; u < hiddens; ++u) {
        memory_.key_features[column * hiddens + u] = packed[u * width];
      }
    }
    add_product(block_.columns(), size, hiddens,
                {.data = memory_.key_features, .row_stride = hiddens},
                {.data = scoring_.additive.W_k, .stride = size}, 1.0F, memory_.key_gradients, size);
    add_product(hiddens, size, block_.columns(),
                {.data = memory_.key_features, .row_stride = 1, .depth_stride = hiddens},
                block_.keys(), 1.0F, W_k_gradient_, size);
  }

  void add_product(std::size_t rows, std::size_t columns, std::size_t depth,
                   kernels::StridedMatrix a, Rows b, float scale, float* c,
                   std::size_t c_stride) const noexcept {
    if (skip_zeros_) {
      gemm_skipping_zeros(rows, columns, depth, a, b, scale, c, c_stride);
    } else {
      pack_and_gemm(rows, columns, depth, a, b, scale, {.data = c, .row_stride = c_stride}, c,
                    c_stride, memory_.packed);
    }
  }

  const PoolingArguments& arguments_;
  const PoolingGradients& gradients_;
  const Scoring& scoring_;
  const ScoreBlock& block_;
  std::size_t sample_;
  Memory memory_;
  bool skip_zeros_ = false;
  // This head's contribution to the gradients of the parameters of additive scores.
  float* W_q_gradient_ = nullptr;
  float* W_k_gradient_ = nullptr;
  float* w_v_gradient_ = nullptr;
};

/// The gradient of pooling for the heads of one sample that share a key-value head. With P the
/// weights, D their dropout, O = (P ∘ D) V the pooled result and dO its gradient,
///   dV = (P ∘ D)ᵀ dO,  dP = D ∘ (dO Vᵀ),  dS = P ∘ (dP − rowsum(P ∘ dP)).
/// rowsum(dO ∘ O) is the same number (Dao et al. 2022, FlashAttention, appendix B), but not to the
/// last bit, so that dP would not cancel where softmax saturates; it is the gradient of the gate.
class HeadPoolingBackward {
 public:
  /// Working memory of a thread.
  struct Memory {
    ScoreBlock::Memory block;
    float* packed_values;    ///< packed as columns
    float* packed_block;     ///< gradients of a block of queries, packed as rows
    float* value_gradients;  ///< (columns, value size)
    float* score_gradients;  ///< as the scores
    float* dropout_factors;  ///< of one row
    float* capped;           ///< scores of one row
    ScoringBackward::Memory scoring;

    static Memory lay_out(Arena& arena, const PoolingSizes& sizes) noexcept {
      const std::size_t stride = ScoreBlock::row_stride(sizes.columns);
      return {
          .block = ScoreBlock::Memory::lay_out(arena, sizes, backward_block_rows),
          .packed_values = arena.take(sizes.value_size, kernels::round_up_to_panel(sizes.columns)),
          .packed_block =
              arena.take(backward_block_rows, kernels::round_up_to_panel(sizes.value_size)),
          .value_gradients = arena.take(sizes.columns, sizes.value_size),
          .score_gradients = arena.take(backward_block_rows, stride),
          .dropout_factors = arena.take(stride),
          .capped = arena.take(stride),
          .scoring = ScoringBackward::Memory::lay_out(arena, sizes)};
    }
  };

  /// `memory` is laid out for `keys`, those of the sample that are visible.
  HeadPoolingBackward(const PoolingArguments& arguments, const Scoring& scoring,
                      const PackedScoring& packed, const PoolingGradients& gradients,
                      std::size_t sample, std::size_t kv_head, KeyRange keys,
                      const Memory& memory) noexcept
      : arguments_(arguments),
        mask_(*arguments.mask),
        gradients_(gradients),
        sample_(sample),
        kv_head_(kv_head),
        block_(arguments, scoring, packed, sample, kv_head, keys, false, memory.block),
        memory_(memory),
        scoring_(arguments, gradients, block_, sample, kv_head, memory.scoring) {
    kernels::pack_columns(block_.values().data, block_.values().stride, arguments.value_size,
                          block_.columns(), memory.packed_values);
  }

  /// Computes by GEMM first, and again skipping zeros if a result is not finite: 0 times a masked
  /// NaN is NaN.
  void run() noexcept {
    skip_zeros_ = false;
    add_all_queries();
    if (!all_finite()) {
      skip_zeros_ = true;
      add_all_queries();
    }
    write_rows(gradients_.keys, scoring_key_gradients_, arguments_.key_size,
               [](const ExtraSlotGradient& slot) { return slot.key; });
    write_rows(gradients_.values, memory_.value_gradients, arguments_.value_size,
               [](const ExtraSlotGradient& slot) { return slot.value; });
  }

 private:
  [[nodiscard]] std::size_t group() const noexcept {
    return arguments_.num_heads / arguments_.num_kv_heads;
  }

  [[nodiscard]] float* gradient_row(std::size_t i) const noexcept {
    return memory_.score_gradients + i * block_.row_stride();
  }

  void add_all_queries() noexcept {
    scoring_.reset(skip_zeros_);
    write_zeros(memory_.value_gradients, block_.columns() * arguments_.value_size);
    for (std::size_t head = kv_head_ * group(); head < (kv_head_ + 1) * group(); ++head) {
      double gate_gradient = 0;
      for (std::size_t first = 0; first < mask_.num_queries; first += backward_block_rows) {
        add_block(head, first, std::min(backward_block_rows, mask_.num_queries - first),
                  gate_gradient);
      }
      gradients_.head_gate[sample_ * arguments_.num_heads + head] =
          static_cast<float>(gate_gradient);
    }
    scoring_key_gradients_ = scoring_.finish();
  }

  [[nodiscard]] bool all_finite() const noexcept {
    bool finite =
        scoring_.all_finite() && kernels::all_finite(memory_.value_gradients, arguments_.value_size,
                                                     block_.columns(), arguments_.value_size);
    for (std::size_t i = 0; i < group(); ++i) {
      finite =
          finite && kernels::all_finite(gradients_.queries.head(sample_, kv_head_ * group() + i),
                                        gradients_.queries.row_stride, mask_.num_queries,
                                        arguments_.query_size);
    }
    return finite;
  }

  void add_block(std::size_t head, std::size_t first, std::size_t rows,
                 double& gate_gradient) noexcept {
    const KeyRange columns = block_.columns_of(head, first, rows);
    const std::size_t size = arguments_.value_size;
    const HeadsView<const float>& gradients = gradients_.pooled;
    const Rows block{.data = gradients.head(sample_, head) + first * gradients.row_stride,
                     .stride = gradients.row_stride};
    const float gate = gradients_.gates != nullptr
                           ? gradients_.gates[sample_ * gradients_.gate_stride + head]
                           : 1.0F;
    block_.score(head, first, rows, columns);
    // Packed values begin at whole panels.
    const std::size_t aligned = columns.begin / kernels::panel_width() * kernels::panel_width();
    kernels::gemm(rows, columns.end - aligned, size,
                  {.data = block.data, .row_stride = block.stride},
                  {.panels = memory_.packed_values + aligned * size,
                   .panel_stride = size * kernels::panel_width()},
                  gate, {}, memory_.score_gradients + aligned, block_.row_stride());
    const HeadsView<float>& pooled = arguments_.pooled;
    const float* results = pooled.head(sample_, head) + first * pooled.row_stride;
    for (std::size_t i = 0; i < rows; ++i) {
      float dot = 0;
      kernels::gemv(block.data + i * block.stride, results + i * pooled.row_stride, size, 1, size,
                    1.0F, &dot);
      gate_gradient += static_cast<double>(dot);
      softmax_row_backward(head, first + i, columns, block_.row(i), gradient_row(i));
    }
    const kernels::StridedMatrix transposed{.data = block_.row(0) + columns.begin,
                                            .row_stride = 1,
                                            .depth_stride = block_.row_stride()};
    float* value_gradients = memory_.value_gradients + columns.begin * size;
    if (skip_zeros_) {
      gemm_skipping_zeros(columns.size(), size, rows, transposed, block, gate, value_gradients,
                          size);
    } else {
      pack_and_gemm(columns.size(), size, rows, transposed, block, gate,
                    {.data = value_gradients, .row_stride = size}, value_gradients, size,
                    memory_.packed_block);
    }
    scoring_.add({.head = head,
                  .first = first,
                  .rows = rows,
                  .columns = columns,
                  .data = memory_.score_gradients});
  }

  /// Turns the scores of one query into its weights after dropout, and the gradients of these into
  /// those of the scores.
  void softmax_row_backward(std::size_t head, std::size_t query, KeyRange columns, float* weights,
                            float* gradients) const noexcept {
    const bool has_softcap = block_.has_softcap();
    const float factor = block_.masked_softmax_row(head, query, columns, weights,
                                                   has_softcap ? memory_.capped : nullptr);
    float* weights_here = weights + columns.begin;
    float* gradients_here = gradients + columns.begin;
    if (arguments_.dropout.active()) {
      std::fill_n(memory_.dropout_factors, block_.columns(), 1.0F);
      block_.apply_dropout(head, query, columns, memory_.dropout_factors);
      kernels::multiply(gradients_here, memory_.dropout_factors + columns.begin, columns.size());
    }
    for (std::size_t i = 0; skip_zeros_ && i < columns.size(); ++i) {
      if (!block_.is_visible(head, query, columns.begin + i)) {
        gradients_here[i] = 0.0F;
      }
    }
    kernels::softmax_gradient(gradients_here, weights_here, columns.size(), factor);
    if (has_softcap) {
      kernels::softcap_gradient(gradients_here, memory_.capped + columns.begin, columns.size(),
                                block_.scoring().dot_product.softcap);
    }
    if (skip_zeros_) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        gradients_here[i] = weights_here[i] == 0.0F ? 0.0F : gradients_here[i];
      }
    }
    // `ScoringBackward` may read the panel from its beginning.
    const std::size_t aligned = columns.begin / kernels::panel_width() * kernels::panel_width();
    write_zeros(gradients + aligned, columns.begin - aligned);
    // The weights of an empty row do not depend on scores.
    if (mask_.rules.empty_rows == EmptyRows::uniform && mask_.row_is_empty(sample_, head, query)) {
      write_zeros(gradients_here, columns.size());
    }
    if (arguments_.dropout.active()) {
      kernels::multiply(weights_here, memory_.dropout_factors + columns.begin, columns.size());
      for (std::size_t i = 0; skip_zeros_ && i < columns.size(); ++i) {
        weights_here[i] =
            memory_.dropout_factors[columns.begin + i] == 0.0F ? 0.0F : weights_here[i];
      }
    }
  }

  /// Copies the gradients of the columns to those of keys, or values, and of extra slots.
  template <typename SlotRow>
  void write_rows(const HeadsView<float>& to, const float* rows, std::size_t size,
                  SlotRow slot_row) const noexcept {
    const KeyRange visible = block_.visible_keys();
    float* row = to.head(sample_, kv_head_);
    for (std::size_t key = 0; key < mask_.num_keys; ++key, row += to.row_stride) {
      if (visible.begin <= key && key < visible.end) {
        std::copy_n(rows + (key - visible.begin) * size, size, row);
      } else {
        write_zeros(row, size);
      }
    }
    for (std::size_t i = 0; i < mask_.num_extra_slots; ++i) {
      float* slot = slot_row(gradients_.extra_slots[i]);
      if (slot != nullptr) {
        std::copy_n(rows + (visible.size() + i) * size, size,
                    slot + (sample_ * arguments_.num_kv_heads + kv_head_) * size);
      }
    }
  }

  const PoolingArguments& arguments_;
  const AttentionMask& mask_;
  const PoolingGradients& gradients_;
  std::size_t sample_;
  std::size_t kv_head_;
  bool skip_zeros_ = false;
  ScoreBlock block_;
  Memory memory_;
  ScoringBackward scoring_;
  const float* scoring_key_gradients_ = nullptr;
};

}  // namespace

PoolingBackwardMemory PoolingBackwardMemory::lay_out(Arena& arena, const PoolingSizes& sizes,
                                                     std::size_t num_threads) noexcept {
  const PackedScoring packed = PackedScoring::lay_out(arena, sizes);
  return {.packed = packed,
          .threads = {arena, num_threads, [&](Arena& part) {
                        static_cast<void>(HeadPoolingBackward::Memory::lay_out(part, sizes));
                      }}};
}

/// A piece of work is a key-value head of a sample; the caller sums gradients that heads share.
void pool_backward(const PoolingArguments& arguments, const Scoring& scoring,
                   const PoolingGradients& gradients, Arena& arena) noexcept {
  const Arena::Scope scope(arena);
  const PoolingSizes sizes = sizes_of(arguments, scoring);
  const PoolingBackwardMemory memory =
      PoolingBackwardMemory::lay_out(arena, sizes, arguments.num_threads);
  memory.packed.pack(scoring, sizes);
  const AttentionMask& mask = *arguments.mask;
  const std::size_t size = arguments.query_size + arguments.key_size + 2 * arguments.value_size;
  const double operations =
      2.0 * static_cast<double>(mask.batch * arguments.num_heads * mask.num_queries) *
      static_cast<double>(mask.num_keys) * static_cast<double>(size + scoring.additive.hiddens);
  const std::size_t threads = parallel::threads_worth(operations, arguments.num_threads);
  parallel::for_each(
      mask.batch * arguments.num_kv_heads, threads, [&](std::size_t piece, std::size_t thread) {
        const std::size_t sample = piece / arguments.num_kv_heads;
        const KeyRange keys = ScoreBlock::visible_keys(arguments, sample);
        PoolingSizes visible = sizes;
        visible.columns = keys.size() + mask.num_extra_slots;
        Arena thread_arena = memory.threads.of(thread);
        HeadPoolingBackward(arguments, scoring, memory.packed, gradients, sample,
                            piece % arguments.num_kv_heads, keys,
                            HeadPoolingBackward::Memory::lay_out(thread_arena, visible))
            .run();
      });
}

}  // namespace headwise
