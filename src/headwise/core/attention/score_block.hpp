#pragma once

#include <cstddef>
#include <headwise/core/attention/pooling_arguments.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/arena.hpp>

/// From queries and keys to attention weights, for the heads of one sample that share a key-value
/// head: what pooling and its gradient share. Internal to them.
namespace headwise {

/// The scores of some queries of a head at a time, on their way to attention weights. Columns stand
/// for the keys of `visible_keys`, then for the extra slots.
class ScoreBlock {
 public:
  struct Memory {
    float* gathered_keys;    ///< (columns, key size), where extra slots follow the keys
    float* gathered_values;  ///< (columns, value size)
    float* packed_keys;      ///< keys, or their features, packed as columns
    float* key_features;     ///< W_k k of every key, of additive scores
    float* query_features;   ///< W_q q of a block of queries
    float* scores;           ///< (rows, row_stride)

    /// For `rows` queries at a time.
    static Memory lay_out(Arena& arena, const PoolingSizes& sizes, std::size_t rows) noexcept;
  };

  /// The keys of a sample that need columns: every one where the stages before the masks are
  /// returned; else what no query reads is left alone.
  [[nodiscard]] static KeyRange visible_keys(const PoolingArguments& arguments,
                                             std::size_t sample) noexcept;

  /// Takes the keys and values of the head, which stay where they are. `memory` is laid out for
  /// `keys` and the extra slots. `may_read_in_place` allows not to pack the keys where they are
  /// scored too few times.
  ScoreBlock(const PoolingArguments& arguments, const Scoring& scoring, const PackedScoring& packed,
             std::size_t sample, std::size_t kv_head, KeyRange keys, bool may_read_in_place,
             const Memory& memory) noexcept;

  /// Floats between two rows of so many columns. Not a power of two: rows would then compete for
  /// the same places of the cache.
  [[nodiscard]] static std::size_t row_stride(std::size_t columns) noexcept {
    return kernels::round_up_to_panel(columns) + kernels::panel_width();
  }

  [[nodiscard]] KeyRange visible_keys() const noexcept { return visible_keys_; }
  /// Whether keys and values are better read in place.
  [[nodiscard]] bool reads_in_place() const noexcept { return reads_in_place_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t row_stride() const noexcept { return row_stride(columns_); }
  /// A row a column.
  [[nodiscard]] Rows keys() const noexcept { return keys_; }
  [[nodiscard]] Rows values() const noexcept { return values_; }
  /// Scores, or weights, of query i of the block.
  [[nodiscard]] float* row(std::size_t i) const noexcept {
    return memory_.scores + i * row_stride();
  }

  /// The columns that the queries [first, first + rows) need: of a triangle or a window a part. All
  /// of them where rows may weigh keys that the masks hide from them, or extra slots.
  [[nodiscard]] KeyRange columns_of(std::size_t first, std::size_t rows) const noexcept;

  /// Scores of the queries [first, first + rows) of the head at the columns in `columns`.
  void score(std::size_t head, std::size_t first, std::size_t rows,
             KeyRange columns) const noexcept;

  /// Scores of one query become the numerators of its weights: softcap, masks, exponentials. What
  /// is returned is the factor that the weights still lack; with it they sum to 1. `capped` gets
  /// the scores as the softcap leaves them, unless it is null.
  float masked_softmax_row(std::size_t head, std::size_t query, KeyRange columns, float* row,
                           float* capped = nullptr) const noexcept;

  /// Stores a row with the attention weights if the caller asked for this stage. Keys without a
  /// column get `elsewhere`.
  void store_weights(WeightsStage stage, const float* row, std::size_t head, std::size_t query,
                     float elsewhere) const noexcept;

  /// Dropout of a query's weights. A key's depends on its own index, not on which have columns.
  void drop(std::size_t head, std::size_t query, KeyRange columns, float* row) const noexcept;

  /// Whether the masks leave the query the key, or extra slot, of this column.
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
  [[nodiscard]] std::size_t row_index(std::size_t head, std::size_t query) const noexcept;

  const PoolingArguments& arguments_;
  const AttentionMask& mask_;
  const Scoring& scoring_;
  const PackedScoring& packed_;
  std::size_t sample_;
  KeyRange visible_keys_;
  std::size_t columns_;
  bool reads_in_place_;
  Memory memory_;
  Rows keys_{};
  Rows values_{};
};

}  // namespace headwise
