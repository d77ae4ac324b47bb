#pragma once

#include <headwise/headwise.hpp>
#include <string>
#include <vector>

#include "records.hpp"

/// The small models of tests/data/models.
namespace headwise::test {

/// Those whose names end in one of these letters, in any order; a and b have only the fields that
/// their models need.
std::vector<std::string> checkpoint_names(const std::string& letters);

struct Checkpoint {
  std::string config;
  StateDict tensors;
  StoredTensors expected;

  explicit Checkpoint(const std::string& name);

  [[nodiscard]] bool has(const std::string& name) const { return expected.contains(name); }

  [[nodiscard]] Transformer model() const { return Transformer::from_pretrained(config, tensors); }

  /// How many of the first tokens of each row are no padding.
  [[nodiscard]] ValidLens lens() const;

  [[nodiscard]] Tokens tokens(const std::string& name) const {
    return xt::cast<std::int64_t>(expected.at(name));
  }

  /// Of the reference's forward, with weights and gradients.
  [[nodiscard]] TransformerForwardOptions options() const;

  /// The reference's forward.
  [[nodiscard]] TransformerResult forward(Transformer& model) const;
};

/// The text with `before` replaced by `after` once; throws where it does not occur.
std::string replaced(std::string text, const std::string& before, const std::string& after);

/// The config with these fields behind its own; of two of a name, the last counts.
inline std::string with_fields(const Checkpoint& checkpoint, const std::string& fields) {
  return checkpoint.config.substr(0, checkpoint.config.rfind('}')) + "," + fields + "}";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace headwise::test
