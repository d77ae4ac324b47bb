#include <algorithm>
#include <array>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/attention/score_block.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

/// Queries of a block of scores. Each softmax is over a whole row of keys, not online.
constexpr std::size_t pooling_block_rows = 16;

/// The parts of the queries over which weights on keys are summed apart: the same for any number of
/// threads, and with them the order of all additions.
struct MassParts {
  std::size_t rows;   ///< queries of a part, a multiple of a block's
  std::size_t count;  ///< at least 1

  static MassParts of(std::size_t num_queries) noexcept {
    constexpr std::size_t min_rows = 256;
    constexpr std::size_t max_parts = 16;
    const std::size_t wanted =
        std::clamp<std::size_t>((num_queries + min_rows - 1) / min_rows, 1, max_parts);
    const std::size_t blocks = (num_queries + pooling_block_rows - 1) / pooling_block_rows;
    const std::size_t rows =
        std::max<std::size_t>((blocks + wanted - 1) / wanted, 1) * pooling_block_rows;
    return {.rows = rows, .count = std::max<std::size_t>((num_queries + rows - 1) / rows, 1)};
  }
};

/// Where weights on keys are summed: the first part in the result itself.
struct KeyMass {
  float* result = nullptr;  ///< (heads of all samples, columns); null if it is not returned
  float* others = nullptr;  ///< (heads of all samples, parts − 1, columns)
  MassParts parts{};
  std::size_t columns = 0;  ///< keys and extra slots

  /// The sums of a head over the part that the query belongs to.
  [[nodiscard]] float* sums(std::size_t head, std::size_t query) const noexcept {
    const std::size_t part = query / parts.rows;
    return part == 0 ? result + head * columns
                     : others + (head * (parts.count - 1) + part - 1) * columns;
  }

  void clear(std::size_t heads) const noexcept {
    write_zeros(result, heads * columns);
    write_zeros(others, heads * (parts.count - 1) * columns);
  }

  /// Adds the other parts to the first, in order.
  void add_parts(std::size_t heads) const noexcept {
    for (std::size_t head = 0; head < heads; ++head) {
      kernels::add_rows(others + head * (parts.count - 1) * columns, parts.count - 1, columns,
                        result + head * columns);
    }
  }
};

/// Pools the heads of one sample that share a key-value head.
class HeadPooling {
 public:
  /// Working memory of a thread.
  struct Memory {
    ScoreBlock::Memory block;
    float* packed_values;  ///< packed as rows
    float* block_mass;     ///< the weights on each column, summed over a block

    static Memory lay_out(Arena& arena, const PoolingSizes& sizes) noexcept {
      return {
          .block = ScoreBlock::Memory::lay_out(arena, sizes, pooling_block_rows),
          .packed_values = arena.take(sizes.columns, kernels::round_up_to_panel(sizes.value_size)),
          .block_mass = arena.take(sizes.summed_heads > 0 ? sizes.columns : 0)};
    }
  };

  /// `keys` are the sample's visible keys, for which `memory` is laid out.
  HeadPooling(const PoolingArguments& arguments, const Scoring& scoring,
              const PackedScoring& packed, const KeyMass& key_mass, std::size_t sample,
              std::size_t kv_head, KeyRange keys, const Memory& memory) noexcept
      : arguments_(arguments),
        mask_(*arguments.mask),
        sample_(sample),
        kv_head_(kv_head),
        key_mass_(key_mass),
        block_(arguments, scoring, packed, sample, kv_head, keys, true, memory.block),
        packed_values_(memory.packed_values),
        block_mass_(memory.block_mass) {
    if (!block_.reads_in_place()) {
      kernels::pack_rows(block_.values().data, block_.values().stride, block_.columns(),
                         arguments.value_size, packed_values_);
    }
  }

  /// Pools the queries [first, end) of one head.
  void pool(std::size_t head, std::size_t first, std::size_t end) const noexcept {
    for (; first < end; first += pooling_block_rows) {
      pool_block(head, first, std::min(pooling_block_rows, end - first));
    }
  }

 private:
  void pool_block(std::size_t head, std::size_t first, std::size_t rows) const noexcept {
    const KeyRange columns = block_.columns_of(head, first, rows);
    block_.score(head, first, rows, columns);
    std::array<float, pooling_block_rows> factors;
    for (std::size_t i = 0; i < rows; ++i) {
      factors[i] = weights_of(head, first + i, columns, block_.row(i));
    }
    if (key_mass_.result != nullptr) {
      add_key_mass(head, first, rows, columns, factors.data());
    }
    if (arguments_.dropout.active() || arguments_.dropped_weights.to != nullptr) {
      for (std::size_t i = 0; i < rows; ++i) {
        drop_weights(head, first + i, columns, block_.row(i));
      }
    }
    const HeadsView<float>& pooled = arguments_.pooled;
    float* result = pooled.head(sample_, head) + first * pooled.row_stride;
    sum_values(rows, columns, result);
    const std::size_t size = arguments_.value_size;
    if (!kernels::all_finite(result, pooled.row_stride, rows, size)) {
      for (std::size_t i = 0; i < rows; ++i) {
        kernels::scale(block_.row(i) + columns.begin, columns.size(), factors[i]);
        factors[i] = 1.0F;
        sum_visible_values(head, first + i, columns, block_.row(i), result + i * pooled.row_stride);
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      float* row = result + i * pooled.row_stride;
      if (factors[i] != 1.0F) {
        kernels::scale(row, size, factors[i]);
      }
    }
  }

  /// result (rows, value size) = weights · values. A NaN or infinity of a masked value makes it
  /// NaN.
  void sum_values(std::size_t rows, KeyRange columns, float* result) const noexcept {
    const std::size_t size = arguments_.value_size;
    const std::size_t stride = arguments_.pooled.row_stride;
    const float* weights = block_.row(0) + columns.begin;
    if (const QuantizedHeads* integers = block_.integers(); integers != nullptr) {
      // From where a block of integers begins.
      const std::size_t before = columns.begin % kernels::quantized_block;
      const std::size_t first = block_.visible_keys().begin + columns.begin - before;
      for (std::size_t i = 0; i < rows; ++i) {
        float* row = block_.row(i) + columns.begin - before;
        write_zeros(row, before);
        kernels::quantized_gemv(row, integers->value_scales(sample_, kv_head_, first),
                                before + columns.size(), integers->values(sample_, kv_head_, first),
                                size, 1.0F, nullptr, result + i * stride);
      }
      return;
    }
    if (block_.reads_in_place()) {
      const Rows values = block_.values();
      for (std::size_t i = 0; i < rows; ++i) {
        kernels::gemv_transposed(weights + i * block_.row_stride(),
                                 values.data + columns.begin * values.stride, values.stride,
                                 columns.size(), size, result + i * stride);
      }
      return;
    }
    kernels::gemm(rows, size, columns.size(), {.data = weights, .row_stride = block_.row_stride()},
                  {.panels = packed_values_ + columns.begin * kernels::panel_width(),
                   .panel_stride = block_.columns() * kernels::panel_width()},
                  1.0F, {}, result, stride);
  }

  /// Turns the scores of one query into its weights, except for the factor that is returned. Where
  /// the weights are not needed themselves, the pooled vector, which is shorter, is multiplied by
  /// it.
  float weights_of(std::size_t head, std::size_t query, KeyRange columns,
                   float* row) const noexcept {
    float factor = block_.masked_softmax_row(head, query, columns, row);
    if (arguments_.row_measures != nullptr) {
      const std::size_t index = sample_ * arguments_.num_heads + head;
      arguments_.row_measures[index * mask_.num_queries + query] =
          arguments_.measure(row + columns.begin, columns.size(), factor);
    }
    if (block_.keeps_weights(head, query)) {
      kernels::scale(row + columns.begin, columns.size(), factor);
      factor = 1.0F;
    }
    block_.store_weights(WeightsStage::softmax, row, head, query, 0.0F);
    return factor;
  }

  void drop_weights(std::size_t head, std::size_t query, KeyRange columns,
                    float* row) const noexcept {
    if (arguments_.dropout.active()) {
      block_.apply_dropout(head, query, columns, row);
    }
    block_.store_row(arguments_.dropped_weights, row, head, query, 0.0F);
  }

  /// Adds the weights of a block of queries, which `factors` normalize, to the sums of their keys.
  /// Each block is summed separately, so that the longest sum has only as many addends as a part
  /// has blocks.
  void add_key_mass(std::size_t head, std::size_t first, std::size_t rows, KeyRange columns,
                    const float* factors) const noexcept {
    kernels::gemv_transposed(factors, block_.row(0) + columns.begin, block_.row_stride(), rows,
                             columns.size(), block_mass_);
    float* sums = key_mass_.sums(sample_ * arguments_.num_heads + head, first);
    const KeyRange visible = block_.visible_keys();
    const std::size_t end = std::min(columns.end, visible.size());  // of the keys
    const std::size_t keys = end - std::min(columns.begin, end);
    kernels::add(sums + visible.begin + columns.begin, block_mass_, keys);
    kernels::add(sums + mask_.num_keys, block_mass_ + keys, columns.size() - keys);
  }

  /// Sums the visible values only, for results that are not finite: 0 times NaN or infinity is NaN.
  void sum_visible_values(std::size_t head, std::size_t query, KeyRange columns, const float* row,
                          float* result) const noexcept {
    const bool reads_all =
        mask_.rules.empty_rows == EmptyRows::uniform && mask_.row_is_empty(sample_, head, query);
    write_zeros(result, arguments_.value_size);
    const Rows values = block_.gathered_values();
    for (std::size_t column = columns.begin; column < columns.end; ++column) {
      if (reads_all || block_.is_visible(head, query, column)) {
        const float* value = values.data + column * values.stride;
        for (std::size_t i = 0; i < arguments_.value_size; ++i) {
          result[i] += row[column] * value[i];
        }
      }
    }
  }

  const PoolingArguments& arguments_;
  const AttentionMask& mask_;
  std::size_t sample_;
  std::size_t kv_head_;
  const KeyMass& key_mass_;
  ScoreBlock block_;
  float* packed_values_;
  float* block_mass_;
};

/// Minimum of queries per part: each part packs keys and values again.
constexpr std::size_t min_queries_per_part = 256;
/// Pieces per thread, on average and if there are enough queries, for load balancing.
constexpr std::size_t pieces_per_thread = 8;

/// Number of parts that the queries are split into where key-value heads alone do not occupy all
/// threads.
std::size_t parts_of(std::size_t num_queries, std::size_t kv_heads, std::size_t threads) noexcept {
  if (threads == 1 || kv_heads == 0) {
    return 1;
  }
  const std::size_t wanted = (threads * pieces_per_thread + kv_heads - 1) / kv_heads;
  return std::clamp<std::size_t>(num_queries / min_queries_per_part, 1, wanted);
}

/// Floating-point operations of scores and sums, every key counted.
double operations_of(const PoolingArguments& arguments, const Scoring& scoring) noexcept {
  constexpr double tanh_operations = 20;
  const double of_score = scoring.is_additive()
                              ? tanh_operations * static_cast<double>(scoring.additive.hiddens)
                              : 2.0 * static_cast<double>(arguments.key_size);
  const AttentionMask& mask = *arguments.mask;
  return static_cast<double>(mask.batch * arguments.num_heads) *
         static_cast<double>(mask.num_queries) * static_cast<double>(mask.num_keys) *
         (of_score + 2.0 * static_cast<double>(arguments.value_size));
}

}  // namespace

PoolingMemory PoolingMemory::lay_out(Arena& arena, const PoolingSizes& sizes,
                                     std::size_t num_threads) noexcept {
  const PackedScoring packed = PackedScoring::lay_out(arena, sizes);
  float* key_masses =
      arena.take(sizes.summed_heads, MassParts::of(sizes.summed_queries).count - 1, sizes.columns);
  return {.packed = packed,
          .key_masses = key_masses,
          .threads = {arena, num_threads, [&](Arena& part) {
                        static_cast<void>(HeadPooling::Memory::lay_out(part, sizes));
                      }}};
}

/// A piece of work is a key-value head of a sample, or a part of its queries.
void pool(const PoolingArguments& arguments, const Scoring& scoring, Arena& arena) noexcept {
  const Arena::Scope scope(arena);
  const PoolingSizes sizes = sizes_of(arguments, scoring);
  const PoolingMemory memory = PoolingMemory::lay_out(arena, sizes, arguments.num_threads);
  memory.packed.pack(scoring, sizes);
  const AttentionMask& mask = *arguments.mask;
  const std::size_t group = arguments.num_heads / std::max<std::size_t>(arguments.num_kv_heads, 1);
  const std::size_t kv_heads = mask.batch * arguments.num_kv_heads;
  const std::size_t threads =
      parallel::threads_worth(operations_of(arguments, scoring), arguments.num_threads);
  const KeyMass key_mass{.result = arguments.key_mass,
                         .others = memory.key_masses,
                         .parts = MassParts::of(mask.num_queries),
                         .columns = sizes.columns};
  key_mass.clear(sizes.summed_heads);
  if (mask.num_queries == 0) {
    return;  // however many samples there are
  }
  // A part of the work holds whole blocks, and whole parts of the sums.
  const std::size_t unit = sizes.summed_heads > 0 ? key_mass.parts.rows : pooling_block_rows;
  const std::size_t units = (mask.num_queries + unit - 1) / unit;
  const std::size_t parts = parts_of(mask.num_queries, kv_heads, threads);
  parallel::for_each(kv_heads * parts, threads, [&](std::size_t piece, std::size_t thread) {
    const std::size_t part = piece % parts;
    const std::size_t kv_head = piece / parts % arguments.num_kv_heads;
    const std::size_t sample = piece / parts / arguments.num_kv_heads;
    const KeyRange keys = ScoreBlock::visible_keys(arguments, sample);
    PoolingSizes visible = sizes;
    visible.columns = keys.size() + mask.num_extra_slots;
    Arena thread_arena = memory.threads.of(thread);
    const HeadPooling pooling(arguments, scoring, memory.packed, key_mass, sample, kv_head, keys,
                              HeadPooling::Memory::lay_out(thread_arena, visible));
    const std::size_t end = (part + 1) * units / parts * unit;
    for (std::size_t i = 0; i < group; ++i) {
      pooling.pool(kv_head * group + i, part * units / parts * unit,
                   std::min(end, mask.num_queries));
    }
  });
  key_mass.add_parts(sizes.summed_heads);
}

}  // namespace headwise
