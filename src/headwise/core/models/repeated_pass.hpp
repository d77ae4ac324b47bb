#pragma once

#include <cstddef>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/models/unchecked_transformer.hpp>
#include <span>
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
  void repeat_bytes(const void*& bytes, std::size_t size);
  /// Points to `size` numbers of each copy; null remains null.
  template <typename Number>
  void repeat(const Number*& numbers, std::size_t size) {
    const void* bytes = numbers;
    repeat_bytes(bytes, size * sizeof(Number));
    numbers = static_cast<const Number*>(bytes);
  }

  TransformerPass pass_;
  std::size_t copies_;
  std::vector<AttentionPass> layers_;  ///< of all sides
  std::vector<AlignedFloats> memory_;  ///< of each array
  std::size_t num_arrays_ = 0;
};

}  // namespace headwise
