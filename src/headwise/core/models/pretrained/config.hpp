#pragma once

#include <cstdint>
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
  enum class Kind : std::uint8_t { null, boolean, number, text };
  struct Field {
    std::string name;
    Kind kind = Kind::null;
    double number = 0;  ///< 1 or 0 of a boolean
    std::string text = {};
  };

  explicit PretrainedConfig(std::vector<Field> fields) noexcept : fields_(std::move(fields)) {}

  [[nodiscard]] const std::vector<Field>& fields() const noexcept { return fields_; }
  /// Null if there is no such field, or it is null.
  [[nodiscard]] const Field* find(std::string_view name) const noexcept;
  /// Whether a field of this name, or a member of it, has a value other than null.
  [[nodiscard]] bool has(std::string_view name) const noexcept;

  /// Values of fields, or what stands in for those that are missing. A field of the wrong kind is a
  /// problem, as is a required one that is missing.
  [[nodiscard]] std::int64_t size(std::string_view name);
  [[nodiscard]] std::int64_t size(std::string_view name, std::int64_t otherwise);
  [[nodiscard]] std::optional<std::int64_t> optional_size(std::string_view name);
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

 private:
  const Field* find_kind(std::string_view name, Kind kind, std::string_view expected);

  std::vector<Field> fields_;
  std::string problems_;
};

/// A number as messages show it.
[[nodiscard]] std::string number_text(double number);

}  // namespace headwise
