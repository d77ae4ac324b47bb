#pragma once

#include <cstddef>
#include <headwise/core/attention/pooling_arguments.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/arena.hpp>

/// From queries and keys to attention weights, for the heads of one sample that share a key-value
/// head: what pooling and its gradient share. Internal to them.
namespace headwise {

/// The scores of some queries of a head, which are turned into attention weights in place. Columns
/// are the keys of `visible_keys`, followed by the extra slots.
class ScoreBlock {
 public:
  struct Memory {
    /// (columns, key size), where extra slots follow the keys, or these are integers
    float* gathered_keys;
    float* gathered_values;  ///< (columns, value size)
    float* packed_keys;      ///< keys, or their features, packed as columns
    float* key_features;     ///< W_k k of every key, of additive scores
    float* query_features;   ///< W_q q of a block of queries
    float* scores;           ///< (rows, row_stride)

    /// For `rows` queries at a time.
    static Memory lay_out(Arena& arena, const PoolingSizes& sizes, std::size_t rows) noexcept;
  };

  /// The keys of a sample that need columns: all of them if stages before the masks are returned,
  /// else the range that some query reads, of integers from where a panel begins.
  [[nodiscard]] static KeyRange visible_keys(const PoolingArguments& arguments,
                                             std::size_t sample) noexcept;

  /// Reads the keys and values of the head, which are not copied without extra slots. `memory` is
  /// laid out for `keys` and the extra slots. `may_read_in_place` allows leaving the keys unpacked
  /// where there are too few scores to pay for it.
  ScoreBlock(const PoolingArguments& arguments, const Scoring& scoring, const PackedScoring& packed,
             std::size_t sample, std::size_t kv_head, KeyRange keys, bool may_read_in_place,
             const Memory& memory) noexcept;

  /// Floats from one row of so many columns to the next. Padded, since rows at powers of two would
  /// compete for the same sets of the cache.
  [[nodiscard]] static std::size_t row_stride(std::size_t columns) noexcept {
    return kernels::round_up_to_panel(columns) + kernels::panel_width();
  }

  [[nodiscard]] KeyRange visible_keys() const noexcept { return visible_keys_; }
  /// Whether keys and values are read in place, unpacked.
  [[nodiscard]] bool reads_in_place() const noexcept { return reads_in_place_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t row_stride() const noexcept { return row_stride(columns_); }
  /// One row per column.
  [[nodiscard]] Rows keys() const noexcept { return keys_; }
  [[nodiscard]] Rows values() const noexcept { return values_; }
  /// Those read in place as integers; null if they are floats.
  [[nodiscard]] const QuantizedHeads* integers() const noexcept { return integers_; }
  /// The values as floats, integers or not.
  [[nodiscard]] Rows gathered_values() const noexcept;
  /// Scores, or weights, of query i of the block.
  [[nodiscard]] float* row(std::size_t i) const noexcept {
    return memory_.scores + i * row_stride();
  }

  /// The columns that the queries [first, first + rows) of the head need: a part of them under a
  /// causal mask or a window; all of them with extra slots, uniform empty rows, or where the
  /// weights of one of them are returned or captured.
  [[nodiscard]] KeyRange columns_of(std::size_t head, std::size_t first,
                                    std::size_t rows) const noexcept;

  /// Whether the query's weights themselves are needed, not only their products with the values.
  [[nodiscard]] bool keeps_weights(std::size_t head, std::size_t query) const noexcept {
    return arguments_.dropout.active() || writes_row(head, query);
  }

  /// Computes scores of the queries [first, first + rows) of the head at the columns in `columns`.
  void score(std::size_t head, std::size_t first, std::size_t rows,
             KeyRange columns) const noexcept;

  /// Turns the scores of one query into the numerators of its weights: softcap, masks,
  /// exponentials. Returns the factor that normalizes them to a sum of 1. `capped`, unless null,
  /// receives the scores after the softcap.
  float masked_softmax_row(std::size_t head, std::size_t query, KeyRange columns, float* row,
                           float* capped = nullptr) const noexcept;

  /// Stores a row of the attention weights in the outputs of this stage. Keys without a column get
  /// `elsewhere`.
  void store_weights(WeightsStage stage, const float* row, std::size_t head, std::size_t query,
                     float elsewhere) const noexcept;

  /// Stores them in an output that has the row.
  void store_row(const WeightsOutput& output, const float* row, std::size_t head, std::size_t query,
                 float elsewhere) const noexcept;

  /// Applies dropout to a query's weights. A key's depends on its own index, not on which have
  /// columns.
  void apply_dropout(std::size_t head, std::size_t query, KeyRange columns,
                     float* row) const noexcept;

  /// Whether the masks allow the query the key, or extra slot, of this column.
  [[nodiscard]] bool is_visible(std::size_t head, std::size_t query,
                                std::size_t column) const noexcept;

  /// Additive scores are not capped.
  [[nodiscard]] bool has_softcap() const noexcept { return scoring_.dot_product.softcap > 0.0F; }
  [[nodiscard]] const Scoring& scoring() const noexcept { return scoring_; }
  /// For additive scores: W_q q of query i of those scored last; W_k k of all keys, packed as
  /// columns.
  [[nodiscard]] const float* query_features(std::size_t i) const noexcept {
    return memory_.query_features + i * scoring_.additive.hiddens;
  }
  [[nodiscard]] const float* packed_key_features() const noexcept { return memory_.packed_keys; }

 private:
  template <typename SlotRow>
  [[nodiscard]] Rows rows_of(const HeadsView<const float>& heads, std::size_t size,
                             std::size_t kv_head, SlotRow slot_row, float* gathered) const noexcept;
  void pack_keys() const noexcept;
  float exp_visible(std::size_t head, std::size_t query, KeyRange columns, KeyRange keys,
                    float* row) const noexcept;
  /// Whether some output has the query's row.
  [[nodiscard]] bool writes_row(std::size_t head, std::size_t query) const noexcept;
  [[nodiscard]] std::size_t row_index(std::size_t head, std::size_t query) const noexcept;

  const PoolingArguments& arguments_;
  const AttentionMask& mask_;
  const Scoring& scoring_;
  const PackedScoring& packed_;
  std::size_t sample_;
  KeyRange visible_keys_;
  std::size_t columns_;
  std::size_t kv_head_;
  bool reads_in_place_;
  const QuantizedHeads* integers_;
  Memory memory_;
  Rows keys_{};
  Rows values_{};
};

}  // namespace headwise
