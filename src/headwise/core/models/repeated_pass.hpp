#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/models/unchecked_transformer.hpp>
#include <vector>

namespace headwise {

/// A pass that runs several times side by side, as one pass with that many times the batch. Inputs
/// are repeated; captures and patches are left out.
class RepeatedPass {
 public:
  /// Of a pass without a cache that a stream enters.
  RepeatedPass(const TransformerPass& given, std::size_t copies, std::size_t num_hiddens);
  RepeatedPass(const RepeatedPass&) = delete;
  RepeatedPass(RepeatedPass&&) = delete;
  RepeatedPass& operator=(const RepeatedPass&) = delete;
  RepeatedPass& operator=(RepeatedPass&&) = delete;
  ~RepeatedPass() = default;

  [[nodiscard]] const TransformerPass& pass() const noexcept { return pass_; }

 private:
  void repeat_gates(std::span<const AttentionPass>& layers, std::size_t batch, std::size_t copies,
                    std::vector<AttentionPass>& into);
  /// A copy of an array, repeated; null remains null.
  template <typename Number>
  static void repeat(const Number*& array, std::size_t size, std::size_t copies,
                     std::vector<Number>& into);

  TransformerPass pass_;
  std::vector<float> stream_;
  std::array<std::vector<std::int32_t>, 4> integers_;
  std::array<std::vector<KeyRange>, 2> ranges_;
  std::array<std::vector<std::uint8_t>, 2> masks_;
  std::array<std::vector<AttentionPass>, all_sides.size()> layers_;
  std::vector<std::vector<float>> gates_;
};

}  // namespace headwise
