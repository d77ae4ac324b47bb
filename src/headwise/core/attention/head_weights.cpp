#include <algorithm>
#include <cmath>
#include <headwise/core/attention/head_weights.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <limits>

namespace headwise {
namespace {

constexpr float masked_score = -std::numeric_limits<float>::infinity();

/// Queries of one sample that share a key-value head.
std::size_t queries_of_kv_head(const PoolingArguments& arguments) noexcept {
  const std::size_t group = arguments.num_heads / std::max<std::size_t>(arguments.num_kv_heads, 1);
  return group * arguments.mask->num_queries;
}

bool reads_in_place(std::size_t queries, std::size_t columns) noexcept {
  return queries <= most_direct_queries || queries * columns <= most_direct_scores;
}

}  // namespace

KeyRange HeadWeights::covered_keys() const noexcept {
  if (wants(WeightsStage::raw) || wants(WeightsStage::softcap)) {
    return {.begin = 0, .end = mask_.num_keys};
  }
  return mask_.range_of_sample(sample_, arguments_.num_heads);
}

HeadWeights::HeadWeights(const PoolingArguments& arguments, const Scoring& scoring,
                         std::size_t sample, std::size_t kv_head, bool may_be_direct,
                         std::size_t block_rows, float* workspace) noexcept
    : arguments_(arguments),
      mask_(*arguments.mask),
      sample_(sample),
      covered_(covered_keys()),
      columns_(covered_.size() + mask_.num_extra_slots),
      is_direct_(may_be_direct && reads_in_place(queries_of_kv_head(arguments), columns_)),
      gathered_keys_(workspace),
      gathered_values_(gathered_keys_ + gathered_rows() * arguments.key_size),
      scores_(scoring, arguments, columns_, is_direct_, block_rows, row_stride(columns_),
              gathered_values_ + gathered_rows() * arguments.value_size) {
  const auto slot_key = [](const ExtraSlot& slot) { return slot.key; };
  const auto slot_value = [](const ExtraSlot& slot) { return slot.value; };
  keys_ = rows_of(arguments_.keys, arguments_.key_size, kv_head, slot_key, gathered_keys_);
  values_ =
      rows_of(arguments_.values, arguments_.value_size, kv_head, slot_value, gathered_values_);
  scores_.take_keys(keys_.data, keys_.stride);
}

std::size_t HeadWeights::gathered_rows() const noexcept {
  return mask_.num_extra_slots > 0 ? columns_ : 0;
}

bool HeadWeights::wants(WeightsStage stage) const noexcept {
  return arguments_.attention_weights != nullptr && arguments_.weights_stage == stage;
}

/// The covered rows of one head followed by the extra slots': in place if there are none, else
/// gathered.
template <typename SlotRow>
Rows HeadWeights::rows_of(const HeadsView<const float>& heads, std::size_t size,
                          std::size_t kv_head, SlotRow slot_row, float* gathered) const noexcept {
  const float* first = heads.head(sample_, kv_head) + covered_.begin * heads.row_stride;
  if (mask_.num_extra_slots == 0) {
    return {.data = first, .stride = heads.row_stride};
  }
  float* row = gathered;
  for (std::size_t i = 0; i < covered_.size(); ++i, row += size) {
    std::copy_n(first + i * heads.row_stride, size, row);
  }
  for (std::size_t i = 0; i < mask_.num_extra_slots; ++i, row += size) {
    const float* slot = slot_row(arguments_.extra_slots[i]);
    if (slot != nullptr) {
      std::copy_n(slot + kv_head * size, size, row);
    } else {
      std::fill_n(row, size, 0.0F);
    }
  }
  return {.data = gathered, .stride = size};
}

KeyRange HeadWeights::columns_of(std::size_t first, std::size_t rows) const noexcept {
  const KeyRange all{.begin = 0, .end = columns_};
  if (!mask_.ranges_differ() || mask_.num_extra_slots > 0 ||
      mask_.empty_rows == EmptyRows::uniform || arguments_.attention_weights != nullptr) {
    return all;
  }
  KeyRange needed{.begin = columns_, .end = 0};
  for (std::size_t query = first; query < first + rows; ++query) {
    const KeyRange keys = mask_.range(sample_, query);
    if (keys.size() > 0) {
      needed.begin = std::min(needed.begin, keys.begin - covered_.begin);
      needed.end = std::max(needed.end, keys.end - covered_.begin);
    }
  }
  return needed.begin < needed.end ? needed : KeyRange{};
}

void HeadWeights::score(std::size_t head, std::size_t first, std::size_t rows, KeyRange columns,
                        float* scores) const noexcept {
  if (columns.size() > 0) {
    const HeadsView<const float>& queries = arguments_.queries;
    scores_.score(queries.head(sample_, head) + first * queries.row_stride, queries.row_stride,
                  rows, columns, scores);
  }
}

float HeadWeights::weigh(std::size_t head, std::size_t query, KeyRange columns, float* row,
                         float* capped) const noexcept {
  hand_out(WeightsStage::raw, row, head, query, masked_score);
  scores_.softcap(row + columns.begin, columns.size());
  if (capped != nullptr) {
    std::copy(row + columns.begin, row + columns.end, capped + columns.begin);
  }
  hand_out(WeightsStage::softcap, row, head, query, masked_score);
  const KeyRange keys = mask_.range(sample_, query);
  const std::size_t first = keys.size() > 0 ? keys.begin - covered_.begin : columns.begin;
  const std::size_t last = first + keys.size();
  const std::size_t slots = columns.end - mask_.num_extra_slots;
  std::fill(row + columns.begin, row + first, masked_score);
  std::fill(row + last, row + slots, masked_score);
  const bool any_key = mask_.apply(sample_, head, query, keys, row + first);
  hand_out(WeightsStage::masked, row, head, query, masked_score);
  if (mask_.num_extra_slots > 0) {
    return exponentiate_seen(head, query, columns, columns, row);
  }
  if (any_key) {
    return exponentiate_seen(head, query, columns, {.begin = first, .end = last}, row);
  }
  const bool uniform = mask_.empty_rows == EmptyRows::uniform;
  std::fill(row + columns.begin, row + columns.end,
            uniform ? 1.0F / static_cast<float>(columns_) : 0.0F);
  return 1.0F;
}

/// The numerators of the softmax over the columns [keys.begin, keys.end), zeros in the others;
/// returns what they are to be multiplied by. A NaN among the scores that the query sees makes the
/// whole softmax NaN; what it does not see weighs 0 all the same.
float HeadWeights::exponentiate_seen(std::size_t head, std::size_t query, KeyRange columns,
                                     KeyRange keys, float* row) const noexcept {
  const float sum = kernels::exp_minus_max(row + keys.begin, keys.size());
  std::fill(row + columns.begin, row + keys.begin, 0.0F);
  std::fill(row + keys.end, row + columns.end, 0.0F);
  if (!std::isnan(sum)) {
    return 1.0F / sum;
  }
  for (std::size_t column = keys.begin; column < keys.end; ++column) {
    row[column] = sees(head, query, column) ? sum : 0.0F;
  }
  return 1.0F;
}

bool HeadWeights::sees(std::size_t head, std::size_t query, std::size_t column) const noexcept {
  const KeyRange keys = mask_.range(sample_, query);
  const std::size_t key = covered_.begin + column;
  return column >= covered_.size() ||
         (keys.begin <= key && key < keys.end && mask_.allows(sample_, head, query, key));
}

void HeadWeights::drop(std::size_t head, std::size_t query, KeyRange columns,
                       float* row) const noexcept {
  const std::size_t index = row_index(head, query);
  const std::size_t keys = columns.size() - mask_.num_extra_slots;
  arguments_.dropout.apply(row + columns.begin, index, covered_.begin + columns.begin, keys);
  arguments_.dropout.apply(row + covered_.size(), index, mask_.num_keys, mask_.num_extra_slots);
}

void HeadWeights::hand_out(WeightsStage stage, const float* row, std::size_t head,
                           std::size_t query, float elsewhere) const noexcept {
  if (!wants(stage)) {
    return;
  }
  float* weights = arguments_.attention_weights +
                   row_index(head, query) * (mask_.num_keys + mask_.num_extra_slots);
  std::fill_n(weights, mask_.num_keys, elsewhere);
  std::copy_n(row, covered_.size(), weights + covered_.begin);
  std::copy_n(row + covered_.size(), mask_.num_extra_slots, weights + mask_.num_keys);
}

std::size_t HeadWeights::row_index(std::size_t head, std::size_t query) const noexcept {
  return (sample_ * arguments_.num_heads + head) * mask_.num_queries + query;
}

}  // namespace headwise
