#pragma once

#include <cstddef>
#include <headwise/core/io/name_index.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/models/pretrained/families.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

/// The names of a checkpoint's tensors as the table of its family has them: without the parts that
/// wrappers add, `transformer._orig_mod.h.0.ln_1.weight` → `h.0.ln_1.weight`, and without the
/// prefix of most parameters.
class PretrainedNames {
 public:
  static constexpr std::size_t none = io::NameIndex::none;

  PretrainedNames(const PretrainedFamily& family, std::span<const io::NamedTensor> tensors);
  // The names are views of its texts.
  PretrainedNames(const PretrainedNames&) = delete;
  PretrainedNames(PretrainedNames&&) = delete;
  PretrainedNames& operator=(const PretrainedNames&) = delete;
  PretrainedNames& operator=(PretrainedNames&&) = delete;
  ~PretrainedNames() = default;

  [[nodiscard]] std::string_view operator[](std::size_t tensor) const noexcept {
    return names_[tensor].name;
  }
  /// Whether the tensor's name ends as those of norms did in BERT: `gamma`, `beta`, which are
  /// `weight`, `bias` here.
  [[nodiscard]] bool is_old_norm(std::size_t tensor) const noexcept {
    return names_[tensor].is_old;
  }
  /// The number of the first tensor of this name, or `none`.
  [[nodiscard]] std::size_t find(std::string_view name) const noexcept { return index_.find(name); }

 private:
  struct Name {
    std::string plain;  ///< without the parts that wrappers add
    std::string_view name;
    bool is_old;
  };
  std::vector<Name> names_;
  io::NameIndex index_;
};

/// The name of the tensor that holds a parameter of the family's options.
[[nodiscard]] std::string tensor_of(const PretrainedFamily& family, std::string_view parameter);

}  // namespace headwise
