#pragma once

#include <headwise/api/model_results.hpp>
#include <headwise/caller_memory.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <span>
#include <vector>

namespace headwise::bindings {

/// The results of a call, which JavaScript makes as soon as their shapes are known.
class Results final : public ResultMemory {
 public:
  /// Null for a result that is not in WebAssembly memory. Throws if JavaScript could not make it.
  float* of(ResultName name, std::span<const std::size_t> shape) override;
  void take(ResultName name, const float* numbers) noexcept override;
};

/// The results of a model's call, which JavaScript makes likewise. The call writes them here.
class ResultsOfModel final : public ModelResults {
 public:
  /// Throws if JavaScript could not make it, or memory does not suffice.
  float* of(const ModelResult& result, std::span<const std::size_t> shape) override;
  /// Tells JavaScript by a shape without axes.
  void begin_list(const ModelResult& captured) override;
  /// Copies all of them to JavaScript, once the call has written them.
  void give() const noexcept;

 private:
  struct Written {
    std::size_t number;
    AlignedFloats numbers;
  };
  std::vector<Written> written_;
};

}  // namespace headwise::bindings
