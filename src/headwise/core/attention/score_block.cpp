#include <algorithm>
#include <cmath>
#include <headwise/core/attention/score_block.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/zeros.hpp>

namespace headwise {
namespace {

/// For up to this many queries of a key-value head, packing keys and values takes longer than
/// reading them in place.
constexpr std::size_t max_queries_in_place = 3;
/// Likewise for up to this many scores.
constexpr std::size_t max_scores_in_place = 32;
/// For up to this many queries, integers are multiplied without conversion to floats.
constexpr std::size_t max_queries_of_integers = 32;

bool is_better_in_place(const PoolingArguments& arguments, const Scoring& scoring,
                        std::size_t columns) noexcept {
  const std::size_t group = arguments.num_heads / std::max<std::size_t>(arguments.num_kv_heads, 1);
  const std::size_t queries = group * arguments.mask->num_queries;
  if (arguments.quantized != nullptr) {
    return queries <= max_queries_of_integers && arguments.mask->num_extra_slots == 0 &&
           !scoring.is_additive();
  }
  return queries <= max_queries_in_place || queries * columns <= max_scores_in_place;
}

bool returns_stage(const PoolingArguments& arguments, WeightsStage stage) noexcept {
  return std::ranges::any_of(arguments.weights, [&](const WeightsOutput& output) {
    return output.to != nullptr && output.stage == stage;
  });
}

}  // namespace

float* row_of(const PoolingArguments& arguments, const WeightsOutput& output, std::size_t sample,
              std::size_t head, std::size_t query) noexcept {
  if (output.to == nullptr) {
    return nullptr;
  }
  const AttentionMask& mask = *arguments.mask;
  const WeightRows& rows = output.rows;
  const auto place_of = [](const std::int32_t* places, std::size_t index) {
    return places != nullptr ? std::int64_t{places[index]} : static_cast<std::int64_t>(index);
  };
  const std::int64_t head_place = place_of(rows.head_places, head);
  const std::int64_t query_place = place_of(rows.query_places, query);
  if (head_place < 0 || query_place < 0) {
    return nullptr;
  }
  const std::size_t heads = rows.head_places != nullptr ? rows.num_heads : arguments.num_heads;
  const std::size_t queries = rows.query_places != nullptr ? rows.num_queries : mask.num_queries;
  const std::size_t index = (sample * heads + static_cast<std::size_t>(head_place)) * queries +
                            static_cast<std::size_t>(query_place);
  return output.to + index * (mask.num_keys + mask.num_extra_slots);
}

PackedScoring PackedScoring::lay_out(Arena& arena, const PoolingSizes& sizes) noexcept {
  const std::size_t hiddens = kernels::round_up_to_panel(sizes.attention_hiddens);
  PackedScoring packed;
  if (hiddens > 0) {
    packed.W_q = arena.take(sizes.query_size, hiddens);
    packed.W_k = arena.take(sizes.key_size, hiddens);
  }
  return packed;
}

void PackedScoring::pack(const Scoring& scoring, const PoolingSizes& sizes) const noexcept {
  if (scoring.is_additive()) {
    const AdditiveScoring& additive = scoring.additive;
    kernels::pack_columns(additive.W_q, sizes.query_size, sizes.query_size, additive.hiddens, W_q);
    kernels::pack_columns(additive.W_k, sizes.key_size, sizes.key_size, additive.hiddens, W_k);
  }
}

ScoreBlock::Memory ScoreBlock::Memory::lay_out(Arena& arena, const PoolingSizes& sizes,
                                               std::size_t rows) noexcept {
  const bool is_additive = sizes.attention_hiddens > 0;
  const std::size_t gathered_rows =
      sizes.num_extra_slots > 0 || sizes.quantized ? sizes.columns : 0;
  const std::size_t hiddens = sizes.attention_hiddens;
  return {.gathered_keys = arena.take(gathered_rows, sizes.key_size),
          .gathered_values = arena.take(gathered_rows, sizes.value_size),
          .packed_keys = arena.take(is_additive ? hiddens : sizes.key_size,
                                    kernels::round_up_to_panel(sizes.columns)),
          .key_features = arena.take(sizes.columns, hiddens),
          .query_features = arena.take(rows, hiddens),
          .scores = arena.take(rows, row_stride(sizes.columns))};
}

KeyRange ScoreBlock::visible_keys(const PoolingArguments& arguments, std::size_t sample) noexcept {
  if (returns_stage(arguments, WeightsStage::raw) ||
      returns_stage(arguments, WeightsStage::softcap)) {
    return {.begin = 0, .end = arguments.mask->num_keys};
  }
  KeyRange keys = arguments.mask->range_of_sample(sample, arguments.num_heads);
  if (arguments.quantized != nullptr) {
    keys.begin -= keys.begin % kernels::panel_width();
  }
  return keys;
}

ScoreBlock::ScoreBlock(const PoolingArguments& arguments, const Scoring& scoring,
                       const PackedScoring& packed, std::size_t sample, std::size_t kv_head,
                       KeyRange keys, bool may_read_in_place, const Memory& memory) noexcept
    : arguments_(arguments),
      mask_(*arguments.mask),
      scoring_(scoring),
      packed_(packed),
      sample_(sample),
      visible_keys_(keys),
      columns_(keys.size() + mask_.num_extra_slots),
      kv_head_(kv_head),
      reads_in_place_(may_read_in_place && is_better_in_place(arguments, scoring, columns_)),
      integers_(reads_in_place_ ? arguments.quantized : nullptr),
      memory_(memory) {
  if (integers_ != nullptr) {
    return;
  }
  const auto slot_key = [](const ExtraSlot& slot) { return slot.key; };
  const auto slot_value = [](const ExtraSlot& slot) { return slot.value; };
  keys_ = rows_of(arguments_.keys, arguments_.key_size, kv_head, slot_key, memory.gathered_keys);
  values_ = rows_of(arguments_.values, arguments_.value_size, kv_head, slot_value,
                    memory.gathered_values);
  pack_keys();
}

/// The visible rows of one head followed by the extra slots': in place without extra slots, else
/// gathered.
template <typename SlotRow>
Rows ScoreBlock::rows_of(const HeadsView<const float>& heads, std::size_t size, std::size_t kv_head,
                         SlotRow slot_row, float* gathered) const noexcept {
  float* row = gathered;
  if (arguments_.quantized != nullptr) {
    const bool are_keys = gathered == memory_.gathered_keys;
    arguments_.quantized->read(sample_, kv_head, visible_keys_, are_keys ? gathered : nullptr,
                               are_keys ? nullptr : gathered);
    row += visible_keys_.size() * size;
  } else {
    const float* first = heads.head(sample_, kv_head) + visible_keys_.begin * heads.row_stride;
    if (mask_.num_extra_slots == 0) {
      return {.data = first, .stride = heads.row_stride};
    }
    for (std::size_t i = 0; i < visible_keys_.size(); ++i, row += size) {
      std::copy_n(first + i * heads.row_stride, size, row);
    }
  }
  for (std::size_t i = 0; i < mask_.num_extra_slots; ++i, row += size) {
    const float* slot = slot_row(arguments_.extra_slots[i]);
    if (slot != nullptr) {
      std::copy_n(slot + kv_head * size, size, row);
    } else {
      write_zeros(row, size);
    }
  }
  return {.data = gathered, .stride = size};
}

Rows ScoreBlock::gathered_values() const noexcept {
  if (integers_ == nullptr) {
    return values_;
  }
  integers_->read(sample_, kv_head_, visible_keys_, nullptr, memory_.gathered_values);
  return {.data = memory_.gathered_values, .stride = arguments_.value_size};
}

KeyRange ScoreBlock::columns_of(std::size_t head, std::size_t first,
                                std::size_t rows) const noexcept {
  const KeyRange all{.begin = 0, .end = columns_};
  if (mask_.num_extra_slots > 0 || mask_.rules.empty_rows == EmptyRows::uniform) {
    return all;
  }
  for (std::size_t query = first; query < first + rows; ++query) {
    if (writes_row(head, query)) {
      return all;
    }
  }
  const auto is_null = [](const WeightsOutput& output) { return output.to == nullptr; };
  if (std::ranges::all_of(arguments_.weights, is_null) && !mask_.ranges_differ()) {
    return all;
  }
  KeyRange needed{.begin = columns_, .end = 0};
  for (std::size_t query = first; query < first + rows; ++query) {
    const KeyRange keys = mask_.range(sample_, query);
    if (keys.size() > 0) {
      needed.begin = std::min(needed.begin, keys.begin - visible_keys_.begin);
      needed.end = std::max(needed.end, keys.end - visible_keys_.begin);
    }
  }
  return needed.begin < needed.end ? needed : KeyRange{};
}

void ScoreBlock::pack_keys() const noexcept {
  const std::size_t size = arguments_.key_size;
  if (!scoring_.is_additive()) {
    if (!reads_in_place_) {
      kernels::pack_columns(keys_.data, keys_.stride, size, columns_, memory_.packed_keys);
    }
    return;
  }
  const std::size_t hiddens = scoring_.additive.hiddens;
  kernels::gemm(columns_, hiddens, size, {.data = keys_.data, .row_stride = keys_.stride},
                {.panels = packed_.W_k, .panel_stride = size * kernels::panel_width()}, 1.0F, {},
                memory_.key_features, hiddens);
  kernels::pack_columns(memory_.key_features, hiddens, hiddens, columns_, memory_.packed_keys);
}

void ScoreBlock::score(std::size_t head, std::size_t first, std::size_t rows,
                       KeyRange columns) const noexcept {
  if (columns.size() == 0) {
    return;
  }
  const std::size_t stride = arguments_.queries.row_stride;
  const float* queries = arguments_.queries.head(sample_, head) + first * stride;
  // Packed keys begin at whole panels.
  const std::size_t aligned = columns.begin / kernels::panel_width() * kernels::panel_width();
  const std::size_t count = columns.end - aligned;
  if (integers_ != nullptr) {
    const kernels::QuantizedMatrix keys =
        integers_->keys(sample_, kv_head_, visible_keys_.begin + aligned);
    for (std::size_t i = 0; i < rows; ++i) {
      kernels::quantized_gemv(queries + i * stride, nullptr, arguments_.key_size, keys, count,
                              scoring_.dot_product.scale, nullptr, row(i) + aligned);
    }
    return;
  }
  if (reads_in_place_ && !scoring_.is_additive()) {
    for (std::size_t i = 0; i < rows; ++i) {
      kernels::gemv(queries + i * stride, keys_.data + columns.begin * keys_.stride, keys_.stride,
                    columns.size(), arguments_.key_size, scoring_.dot_product.scale,
                    row(i) + columns.begin);
    }
    return;
  }
  if (!scoring_.is_additive()) {
    const std::size_t size = arguments_.key_size;
    kernels::gemm(rows, count, size, {.data = queries, .row_stride = stride},
                  {.panels = memory_.packed_keys + aligned * size,
                   .panel_stride = size * kernels::panel_width()},
                  scoring_.dot_product.scale, {}, row(0) + aligned, row_stride());
    return;
  }
  const std::size_t size = arguments_.query_size;
  const std::size_t hiddens = scoring_.additive.hiddens;
  kernels::gemm(rows, hiddens, size, {.data = queries, .row_stride = stride},
                {.panels = packed_.W_q, .panel_stride = size * kernels::panel_width()}, 1.0F, {},
                memory_.query_features, hiddens);
  for (std::size_t i = 0; i < rows; ++i) {
    kernels::additive_scores(memory_.query_features + i * hiddens,
                             memory_.packed_keys + aligned * hiddens, scoring_.additive.w_v,
                             hiddens, count, row(i) + aligned);
  }
}

float ScoreBlock::masked_softmax_row(std::size_t head, std::size_t query, KeyRange columns,
                                     float* row, float* capped) const noexcept {
  store_weights(WeightsStage::raw, row, head, query, minus_infinity);
  if (has_softcap()) {
    kernels::softcap(row + columns.begin, columns.size(), scoring_.dot_product.softcap);
  }
  if (capped != nullptr) {
    std::copy(row + columns.begin, row + columns.end, capped + columns.begin);
  }
  store_weights(WeightsStage::softcap, row, head, query, minus_infinity);
  const KeyRange keys = mask_.range(sample_, query);
  const std::size_t first = keys.size() > 0 ? keys.begin - visible_keys_.begin : columns.begin;
  const std::size_t last = first + keys.size();
  const std::size_t slots = columns.end - mask_.num_extra_slots;
  std::fill(row + columns.begin, row + first, minus_infinity);
  std::fill(row + last, row + slots, minus_infinity);
  const bool any_key = mask_.apply(sample_, head, query, keys, row + first);
  store_weights(WeightsStage::masked, row, head, query, minus_infinity);
  if (mask_.num_extra_slots > 0) {
    return exp_visible(head, query, columns, columns, row);
  }
  if (any_key) {
    return exp_visible(head, query, columns, {.begin = first, .end = last}, row);
  }
  const bool uniform = mask_.rules.empty_rows == EmptyRows::uniform;
  std::fill(row + columns.begin, row + columns.end,
            uniform ? 1.0F / static_cast<float>(columns_) : 0.0F);
  return 1.0F;
}

/// The numerators of the softmax over the columns [keys.begin, keys.end), zeros in the others;
/// returns the factor that normalizes them. A NaN among the visible scores makes the weights of all
/// visible keys NaN; masked keys still have weight 0.
float ScoreBlock::exp_visible(std::size_t head, std::size_t query, KeyRange columns, KeyRange keys,
                              float* row) const noexcept {
  const float sum = kernels::exp_minus_max(row + keys.begin, keys.size());
  write_zeros(row + columns.begin, keys.begin - columns.begin);
  write_zeros(row + keys.end, columns.end - keys.end);
  if (!std::isnan(sum)) {
    return 1.0F / sum;
  }
  for (std::size_t column = keys.begin; column < keys.end; ++column) {
    row[column] = is_visible(head, query, column) ? sum : 0.0F;
  }
  return 1.0F;
}

bool ScoreBlock::is_visible(std::size_t head, std::size_t query,
                            std::size_t column) const noexcept {
  const KeyRange keys = mask_.range(sample_, query);
  const std::size_t key = visible_keys_.begin + column;
  return column >= visible_keys_.size() ||
         (keys.begin <= key && key < keys.end && mask_.allows(sample_, head, query, key));
}

void ScoreBlock::apply_dropout(std::size_t head, std::size_t query, KeyRange columns,
                               float* row) const noexcept {
  const std::size_t index = row_index(head, query);
  const std::size_t keys = columns.size() - mask_.num_extra_slots;
  arguments_.dropout.apply(row + columns.begin, index, visible_keys_.begin + columns.begin, keys);
  arguments_.dropout.apply(row + visible_keys_.size(), index, mask_.num_keys,
                           mask_.num_extra_slots);
}

void ScoreBlock::store_weights(WeightsStage stage, const float* row, std::size_t head,
                               std::size_t query, float elsewhere) const noexcept {
  for (const WeightsOutput& output : arguments_.weights) {
    if (output.stage == stage) {
      store_row(output, row, head, query, elsewhere);
    }
  }
}

void ScoreBlock::store_row(const WeightsOutput& output, const float* row, std::size_t head,
                           std::size_t query, float elsewhere) const noexcept {
  float* to = row_of(arguments_, output, sample_, head, query);
  if (to == nullptr) {
    return;
  }
  std::fill_n(to, mask_.num_keys, elsewhere);
  std::copy_n(row, visible_keys_.size(), to + visible_keys_.begin);
  std::copy_n(row + visible_keys_.size(), mask_.num_extra_slots, to + mask_.num_keys);
}

bool ScoreBlock::writes_row(std::size_t head, std::size_t query) const noexcept {
  const auto has_row = [&](const WeightsOutput& output) {
    return row_of(arguments_, output, sample_, head, query) != nullptr;
  };
  return std::ranges::any_of(arguments_.weights, has_row) || has_row(arguments_.dropped_weights);
}

std::size_t ScoreBlock::row_index(std::size_t head, std::size_t query) const noexcept {
  return (sample_ * arguments_.num_heads + head) * mask_.num_queries + query;
}

}  // namespace headwise
