#include <algorithm>
#include <headwise/core/attention/gradient_products.hpp>
#include <headwise/core/attention/head_weights.hpp>
#include <headwise/core/attention/pooling_backward.hpp>
#include <headwise/core/attention/scoring_backward.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

/// The gradient of pooling for the heads of one sample that share a key-value head. With P the
/// weights, D their dropout, O = (P ∘ D) V the pooled result and dO its gradient,
///   dV = (P ∘ D)ᵀ dO,  dP = D ∘ (dO Vᵀ),  dS = P ∘ (dP − rowsum(P ∘ dP)).
/// rowsum(dO ∘ O) is the same number (Dao et al. 2022, FlashAttention, appendix B), but not to the
/// last bit, so that dP would not cancel where softmax saturates; it is the gradient of the gate.
class HeadPoolingBackward {
 public:
  HeadPoolingBackward(const PoolingArguments& arguments, const Scoring& scoring,
                      const AdditiveScoring& additive, const PoolingGradients& gradients,
                      std::size_t sample, std::size_t kv_head, float* workspace) noexcept
      : arguments_(arguments),
        mask_(*arguments.mask),
        gradients_(gradients),
        sample_(sample),
        kv_head_(kv_head),
        head_(arguments, scoring, sample, kv_head, false, backward_block_rows, workspace),
        packed_values_(head_.workspace_end()),
        packed_block_(packed_values_ + kernels::packed_size(arguments.value_size, head_.columns())),
        value_gradients_(packed_block_ +
                         kernels::packed_size(backward_block_rows, arguments.value_size)),
        weights_(value_gradients_ + head_.columns() * arguments.value_size),
        score_gradients_(weights_ + backward_block_rows * head_.row_stride()),
        dropout_factors_(score_gradients_ + backward_block_rows * head_.row_stride()),
        capped_(dropout_factors_ + head_.row_stride()),
        scoring_(arguments, gradients, scoring, additive, head_, sample, kv_head,
                 capped_ + head_.row_stride()) {
    kernels::pack_columns(head_.values().data, head_.values().stride, arguments.value_size,
                          head_.columns(), packed_values_);
  }

  /// Fast first, and carefully if anything came out that is not finite: 0 times what a query does
  /// not see may have been NaN.
  void run() noexcept {
    careful_ = false;
    add_all_queries();
    if (!all_finite()) {
      careful_ = true;
      add_all_queries();
    }
    write_rows(gradients_.keys, scoring_key_gradients_, arguments_.key_size,
               [](const ExtraSlotGradient& slot) { return slot.key; });
    write_rows(gradients_.values, value_gradients_, arguments_.value_size,
               [](const ExtraSlotGradient& slot) { return slot.value; });
  }

  [[nodiscard]] static double workspace_size(double columns, double value_size) noexcept {
    const auto padding = static_cast<double>(kernels::panel_width());
    return value_size * (columns + padding) + backward_block_rows * (value_size + padding) +
           columns * value_size + (2 * backward_block_rows + 2) * (columns + 2 * padding);
  }

 private:
  [[nodiscard]] std::size_t group() const noexcept {
    return arguments_.num_heads / arguments_.num_kv_heads;
  }

  [[nodiscard]] float* row_of(float* block, std::size_t i) const noexcept {
    return block + i * head_.row_stride();
  }

  void add_all_queries() noexcept {
    scoring_.reset(careful_);
    std::fill_n(value_gradients_, head_.columns() * arguments_.value_size, 0.0F);
    for (std::size_t head = kv_head_ * group(); head < (kv_head_ + 1) * group(); ++head) {
      double of_gate = 0;
      for (std::size_t first = 0; first < mask_.num_queries; first += backward_block_rows) {
        add_block(head, first, std::min(backward_block_rows, mask_.num_queries - first), of_gate);
      }
      gradients_.head_gate[sample_ * arguments_.num_heads + head] = static_cast<float>(of_gate);
    }
    scoring_key_gradients_ = scoring_.finish();
  }

  [[nodiscard]] bool all_finite() const noexcept {
    bool finite =
        scoring_.all_finite() && kernels::all_finite(value_gradients_, arguments_.value_size,
                                                     head_.columns(), arguments_.value_size);
    for (std::size_t i = 0; i < group(); ++i) {
      finite =
          finite && kernels::all_finite(gradients_.queries.head(sample_, kv_head_ * group() + i),
                                        gradients_.queries.row_stride, mask_.num_queries,
                                        arguments_.query_size);
    }
    return finite;
  }

  void add_block(std::size_t head, std::size_t first, std::size_t rows, double& of_gate) noexcept {
    const KeyRange columns = head_.columns_of(first, rows);
    const std::size_t size = arguments_.value_size;
    const HeadsView<const float>& gradients = gradients_.pooled;
    const Rows block{.data = gradients.head(sample_, head) + first * gradients.row_stride,
                     .stride = gradients.row_stride};
    const float gate = arguments_.head_gate != nullptr
                           ? arguments_.head_gate[sample_ * arguments_.gate_stride + head]
                           : 1.0F;
    head_.score(head, first, rows, columns, weights_);
    // Packed values begin at whole panels.
    const std::size_t aligned = columns.begin / kernels::panel_width() * kernels::panel_width();
    kernels::gemm(
        rows, columns.end - aligned, size, {.data = block.data, .row_stride = block.stride},
        {.panels = packed_values_ + aligned * size, .panel_stride = size * kernels::panel_width()},
        gate, {}, score_gradients_ + aligned, head_.row_stride());
    const HeadsView<float>& pooled = arguments_.pooled;
    const float* results = pooled.head(sample_, head) + first * pooled.row_stride;
    for (std::size_t i = 0; i < rows; ++i) {
      float dot = 0;
      kernels::gemv(block.data + i * block.stride, results + i * pooled.row_stride, size, 1, size,
                    1.0F, &dot);
      of_gate += static_cast<double>(dot);
      differentiate_row(head, first + i, columns, row_of(weights_, i), row_of(score_gradients_, i));
    }
    const kernels::StridedMatrix transposed{
        .data = weights_ + columns.begin, .row_stride = 1, .depth_stride = head_.row_stride()};
    float* to_values = value_gradients_ + columns.begin * size;
    if (careful_) {
      add_product_of_nonzeros(columns.size(), size, rows, transposed, block, gate, to_values, size);
    } else {
      multiply_unpacked(columns.size(), size, rows, transposed, block, gate,
                        {.data = to_values, .row_stride = size}, to_values, size, packed_block_);
    }
    scoring_.add(
        {.head = head, .first = first, .rows = rows, .columns = columns, .data = score_gradients_});
  }

  /// Scores of one query become its weights after dropout, and gradients of these gradients of
  /// scores.
  void differentiate_row(std::size_t head, std::size_t query, KeyRange columns, float* weights,
                         float* gradients) const noexcept {
    const bool has_softcap = head_.scores().has_softcap();
    const float factor =
        head_.weigh(head, query, columns, weights, has_softcap ? capped_ : nullptr);
    float* weights_here = weights + columns.begin;
    float* gradients_here = gradients + columns.begin;
    if (arguments_.dropout.active()) {
      std::fill_n(dropout_factors_, head_.columns(), 1.0F);
      head_.drop(head, query, columns, dropout_factors_);
      kernels::multiply(gradients_here, dropout_factors_ + columns.begin, columns.size());
    }
    for (std::size_t i = 0; careful_ && i < columns.size(); ++i) {
      if (!head_.sees(head, query, columns.begin + i)) {
        gradients_here[i] = 0.0F;
      }
    }
    kernels::softmax_gradient(gradients_here, weights_here, columns.size(), factor);
    if (has_softcap) {
      head_.scores().softcap_gradient(gradients_here, capped_ + columns.begin, columns.size());
    }
    if (careful_) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        gradients_here[i] = weights_here[i] == 0.0F ? 0.0F : gradients_here[i];
      }
    }
    // Scoring may begin with the whole panel.
    std::fill(gradients + columns.begin / kernels::panel_width() * kernels::panel_width(),
              gradients_here, 0.0F);
    // The weights of an empty row do not depend on scores.
    if (mask_.empty_rows == EmptyRows::uniform && mask_.row_is_empty(sample_, head, query)) {
      std::fill_n(gradients_here, columns.size(), 0.0F);
    }
    if (arguments_.dropout.active()) {
      kernels::multiply(weights_here, dropout_factors_ + columns.begin, columns.size());
      for (std::size_t i = 0; careful_ && i < columns.size(); ++i) {
        weights_here[i] = dropout_factors_[columns.begin + i] == 0.0F ? 0.0F : weights_here[i];
      }
    }
  }

  /// Gradients of the columns become those of keys, or values, and of extra slots.
  template <typename SlotRow>
  void write_rows(const HeadsView<float>& to, const float* rows, std::size_t size,
                  SlotRow slot_row) const noexcept {
    const KeyRange covered = head_.covered();
    float* row = to.head(sample_, kv_head_);
    for (std::size_t key = 0; key < mask_.num_keys; ++key, row += to.row_stride) {
      if (covered.begin <= key && key < covered.end) {
        std::copy_n(rows + (key - covered.begin) * size, size, row);
      } else {
        std::fill_n(row, size, 0.0F);
      }
    }
    for (std::size_t i = 0; i < mask_.num_extra_slots; ++i) {
      float* slot = slot_row(gradients_.extra_slots[i]);
      if (slot != nullptr) {
        std::copy_n(rows + (covered.size() + i) * size, size,
                    slot + (sample_ * arguments_.num_kv_heads + kv_head_) * size);
      }
    }
  }

  const PoolingArguments& arguments_;
  const AttentionMask& mask_;
  const PoolingGradients& gradients_;
  std::size_t sample_;
  std::size_t kv_head_;
  bool careful_ = false;
  HeadWeights head_;
  float* packed_values_;  ///< as columns
  float* packed_block_;
  float* value_gradients_;  ///< (columns, value size)
  float* weights_;
  float* score_gradients_;
  float* dropout_factors_;  ///< of one row
  float* capped_;           ///< scores of one row
  ScoringBackward scoring_;
  const float* scoring_key_gradients_ = nullptr;
};

/// Every key-value head of every sample is a piece of work: what heads share is summed by the
/// caller.
void differentiate_heads(const PoolingArguments& arguments, const Scoring& scoring,
                         const AdditiveScoring& additive, const PoolingGradients& gradients,
                         std::size_t workspace_size, float* workspace) noexcept {
  const AttentionMask& mask = *arguments.mask;
  const std::size_t size = arguments.query_size + arguments.key_size + 2 * arguments.value_size;
  const double operations =
      2.0 * static_cast<double>(mask.batch * arguments.num_heads * mask.num_queries) *
      static_cast<double>(mask.num_keys) * static_cast<double>(size + additive.hiddens);
  const std::size_t threads = parallel::threads_worth(operations, arguments.num_threads);
  parallel::for_each(
      mask.batch * arguments.num_kv_heads, threads, [&](std::size_t piece, std::size_t thread) {
        HeadPoolingBackward(arguments, scoring, additive, gradients, piece / arguments.num_kv_heads,
                            piece % arguments.num_kv_heads, workspace + thread * workspace_size)
            .run();
      });
}

}  // namespace

double pooling_backward_workspace_size(double num_keys, double query_size, double key_size,
                                       double value_size, double attention_hiddens) noexcept {
  // Beside that of the forward pass, the features of a longer block of queries.
  return pooling_workspace_size(num_keys, query_size, key_size, value_size, attention_hiddens) +
         backward_block_rows * attention_hiddens +
         HeadPoolingBackward::workspace_size(num_keys, value_size) +
         ScoringBackward::workspace_size(num_keys, query_size, key_size, attention_hiddens);
}

void pool_backward(const PoolingArguments& arguments, const DotProductScoring& scoring,
                   const PoolingGradients& gradients, float* workspace) noexcept {
  differentiate_heads(arguments, {.dot_product = scoring}, {}, gradients,
                      workspace_of_thread(arguments, 0, pooling_backward_workspace_size),
                      workspace);
}

void pool_backward(const PoolingArguments& arguments, const AdditiveScoring& scoring,
                   const PoolingGradients& gradients, float* workspace) noexcept {
  const std::size_t packed = packed_weights_size(scoring, arguments);
  differentiate_heads(
      arguments, {.additive = pack_weights(scoring, arguments, workspace)}, scoring, gradients,
      workspace_of_thread(arguments, scoring.hiddens, pooling_backward_workspace_size) - packed,
      workspace + packed);
}

}  // namespace headwise
