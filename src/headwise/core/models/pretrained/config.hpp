#pragma once

#include <cstdint>
#include <headwise/core/io/name_index.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

/// The fields of a checkpoint's `config.json`. Members of objects and lists have names like
/// `rope_scaling.type` and `layer_types.0`.
class PretrainedConfig {
 public:
  enum class Kind : std::uint8_t { null, boolean, number, text, list, object };
  struct Field {
    std::string name;
    Kind kind = Kind::null;
    double number = 0;  ///< 1 or 0 of a boolean
    std::string text = {};
  };

  /// No family asks for names of more parts than these, or for longer parts. Readers of configs
  /// skip them, so that names need no more memory than the file.
  static constexpr std::size_t max_name_parts = 4;
  static constexpr std::size_t max_name_part = 64;

  explicit PretrainedConfig(std::vector<Field> fields);
  PretrainedConfig(PretrainedConfig&&) = default;
  PretrainedConfig& operator=(PretrainedConfig&&) = default;
  // The index has views of the names.
  PretrainedConfig(const PretrainedConfig&) = delete;
  PretrainedConfig& operator=(const PretrainedConfig&) = delete;
  ~PretrainedConfig() = default;

  [[nodiscard]] const std::vector<Field>& fields() const noexcept { return fields_; }
  /// Null if there is no such field, or it is null.
  [[nodiscard]] const Field* find(std::string_view name) const noexcept;
  /// Whether a field of this name has a value other than null.
  [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
  /// Whether there is a field of this name, null or not.
  [[nodiscard]] bool mentions(std::string_view name) const noexcept {
    return index_.find(name) != io::NameIndex::none;
  }
  /// Whether the field is an object or a list that is not empty.
  [[nodiscard]] bool has_members(std::string_view name) const;

  /// Values of fields, or their defaults if they are missing. A field of the wrong kind is a
  /// problem, and so is a missing required field.
  [[nodiscard]] std::int64_t size(std::string_view name);
  /// Where the default does not fit the tensors, their errors mention it.
  [[nodiscard]] std::int64_t size(std::string_view name, std::int64_t otherwise);
  [[nodiscard]] std::optional<std::int64_t> optional_size(std::string_view name);
  /// The size of both sides of a square, which may be a list of two equal sizes.
  [[nodiscard]] std::int64_t side_of_square(std::string_view name, std::int64_t otherwise);
  [[nodiscard]] double number(std::string_view name, double otherwise);
  [[nodiscard]] bool flag(std::string_view name, bool otherwise);
  [[nodiscard]] std::string_view text(std::string_view name, std::string_view otherwise);

  /// Adds the problem `config.NAME: expected …, got …`, unless the field has one.
  void reject(std::string_view name, std::string_view expected);
  /// A problem unless the field is missing, null or, of these texts, one.
  void require_text(std::string_view name, std::initializer_list<std::string_view> texts);
  /// A problem if the flag is set.
  void require_off(std::string_view name);

  /// All problems, one a line; empty if there are none.
  [[nodiscard]] const std::string& problems() const noexcept { return problems_; }
  /// The defaults of sizes that the config lacks, to be appended to errors about tensors.
  [[nodiscard]] const std::string& assumptions() const noexcept { return assumptions_; }

 private:
  const Field* find_kind(std::string_view name, Kind kind, std::string_view expected);
  /// The value as messages show it.
  [[nodiscard]] std::string shown(std::string_view name) const;
  [[nodiscard]] std::string shown_list(std::string_view name) const;

  std::vector<Field> fields_;
  io::NameIndex index_;
  std::string problems_;
  std::string assumptions_;
};

/// The name of an item of a list.
[[nodiscard]] std::string member(std::string_view list, std::size_t number);

/// A number as messages show it.
[[nodiscard]] std::string number_text(double number);

}  // namespace headwise
