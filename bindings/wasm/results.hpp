#pragma once

#include <headwise/caller_memory.hpp>
#include <span>

namespace headwise::bindings {

/// The results of a call, which JavaScript makes as soon as their shapes are known.
class Results final : public ResultMemory {
 public:
  /// Null for a result that is not in WebAssembly memory. Throws if JavaScript could not make it.
  float* of(ResultName name, std::span<const std::size_t> shape) override;
  void take(ResultName name, const float* numbers) noexcept override;
};

}  // namespace headwise::bindings
