#pragma once

#include <cstdint>
#include <headwise/api/model_inputs.hpp>
#include <headwise/api/model_results.hpp>
#include <headwise/core/models/sampling.hpp>
#include <headwise/transformer.hpp>
#include <vector>

namespace headwise {

/// A text that a model writes, one token after another.
class Generation {
 public:
  /// Checks the inputs and copies them. The model must stay where it is.
  Generation(Transformer& model, const GenerateInputs& inputs);

  [[nodiscard]] bool ended() const noexcept { return has_ended_; }
  /// Draws the next token. Asks for the memory of its weights in every layer if they are returned.
  std::size_t next(ModelResults& results);

 private:
  Transformer* model_;
  std::vector<double> tokens_;  ///< of the next pass
  std::vector<double> source_;  ///< of the first pass
  bool gives_source_;
  std::vector<std::uint8_t> key_mask_;  ///< of all tokens, those to come as well
  bool has_key_mask_;
  std::vector<double> stop_;
  std::int64_t num_left_;
  bool has_ended_;
  bool return_weights_;
  std::vector<double> weight_heads_;
  bool has_all_heads_;
  SamplingOptions sampling_;
  std::uint64_t num_drawn_ = 0;
  ModelCache cache_;
};

}  // namespace headwise
