#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/state_dict.hpp>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headwise {

/// Integers or booleans, in the file's own number of bits. Dtypes in order:
/// BOOL, I8, I16, I32, I64, U8, U16, U32, U64.
using IntegerTensor =
    std::variant<xt::xarray<bool>, xt::xarray<std::int8_t>, xt::xarray<std::int16_t>,
                 xt::xarray<std::int32_t>, xt::xarray<std::int64_t>, xt::xarray<std::uint8_t>,
                 xt::xarray<std::uint16_t>, xt::xarray<std::uint32_t>, xt::xarray<std::uint64_t>>;

/// Integer tensors by name: buffers of models, such as positions and masks.
using IntegerTensors = std::map<std::string, IntegerTensor>;

/// The contents of a safetensors file. Each tensor is in one of the maps.
struct Safetensors {
  /// Floats of any size, as float32. F64 is rounded; the others are exact.
  StateDict tensors;
  std::map<std::string, std::string> metadata;
  IntegerTensors integers;
  /// Dtypes of tensors that were skipped because they are not supported: C64, F6_E2M3, F6_E3M2, F4.
  std::map<std::string, std::string> unread;
};

/// Reads a safetensors file. Source: the format's description in the safetensors repository. Throws
/// `Error` (invalid-file) for a malformed file: wrong lengths, bad JSON, unknown dtypes, duplicate
/// names, tensors that overlap, leave gaps or exceed the file; out-of-memory.
[[nodiscard]] Safetensors load_safetensors(std::span<const std::byte> bytes);

/// A safetensors file on disk, or a checkpoint of several files. Reads the header once, and a
/// tensor's numbers each time you ask for them. Each call opens the file, which must not change;
/// several threads may read at once.
class SafetensorsFile {
 public:
  /// Reads the header of a `.safetensors` file, or an index (`model.safetensors.index.json`) and
  /// the headers of the files in its folder that it names. Tensors that the index does not list are
  /// ignored. Throws `Error` (invalid-file), with the file's name, for a file that
  /// `load_safetensors` would refuse or that cannot be read, and for an index that is malformed or
  /// lists missing tensors; out-of-memory.
  explicit SafetensorsFile(const std::filesystem::path& path);
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile(SafetensorsFile&&) = default;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(SafetensorsFile&&) = default;
  ~SafetensorsFile() = default;

  /// The names of all tensors, in the order of the header or the index.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// The metadata of all files. If several files use a name, the first file's text is kept.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const noexcept {
    return metadata_;
  }
  /// Whether there is a tensor of this name, of any dtype.
  [[nodiscard]] bool contains(std::string_view name) const;
  /// A tensor's dtype in the file, for example `F16`. This and the calls below throw `Error`
  /// (invalid-value) for an unknown name.
  [[nodiscard]] std::string_view dtype(std::string_view name) const;
  [[nodiscard]] const std::vector<std::size_t>& shape(std::string_view name) const;

  /// Reads a tensor of floats, as float32. Throws `Error` (invalid-file) for other dtypes, and if
  /// the file cannot be read or its size has changed; out-of-memory.
  [[nodiscard]] xt::xarray<float> tensor(std::string_view name) const;
  /// The same for integers and booleans.
  [[nodiscard]] IntegerTensor integer_tensor(std::string_view name) const;
  /// Reads these tensors of floats. The error for unknown names lists all of them.
  [[nodiscard]] StateDict tensors(const std::vector<std::string>& names) const;
  [[nodiscard]] StateDict tensors(std::initializer_list<std::string_view> names) const;
  /// Reads all tensors of floats whose names begin with `prefix`, for example
  /// `encoder.layers.0.self_attn`; a trailing dot is optional. Other dtypes are skipped. If no name
  /// begins with it, throws invalid-value and suggests a similar prefix.
  [[nodiscard]] StateDict tensors(std::string_view prefix = {}) const;

 private:
  struct Source {
    std::filesystem::path path;
    std::uint64_t size;
  };
  struct Entry {
    std::size_t source;
    std::uint64_t begin;  ///< in the file
    std::uint64_t end;
    std::string_view dtype;
    std::vector<std::size_t> shape;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  /// Reads a file's header. Returns its tensors, and their names in the order of the header.
  std::pair<Entries, std::vector<std::string>> add_source(const std::filesystem::path& path);
  void read_index(const std::filesystem::path& path);
  [[nodiscard]] const Entry& entry(std::string_view name) const;

  std::vector<Source> sources_;
  std::vector<std::string> names_;
  Entries entries_;
  std::map<std::string, std::string> metadata_;
};

/// The floats that `save_safetensors` was given: all tensors of floats, and int8 weights times the
/// factors of their rows in `NAME_scale`.
[[nodiscard]] StateDict state_dict_of(const Safetensors& file);
[[nodiscard]] StateDict state_dict_of(const SafetensorsFile& file);

/// A safetensors file of F32 tensors, and of integers and booleans in their own dtypes. Tensors are
/// sorted by element size, largest first, so that all are aligned, and then by name. `weights` is
/// the precision of the weights, that is, of tensors with two or more axes whose names end with
/// `weight`: F32, F16, or I8 with a factor for each row in `NAME_scale`, (rows, 1), as F32.
/// Metadata without a `format` get `pt`, because Transformers refuses files without a format.
/// Throws `Error` (invalid-value) for names and metadata that are not UTF-8, for the name
/// `__metadata__` and for duplicate names; out-of-memory.
[[nodiscard]] std::vector<std::byte> save_safetensors(
    const StateDict& tensors, const std::map<std::string, std::string>& metadata = {},
    const IntegerTensors& integers = {}, Precision weights = Precision::float32);

}  // namespace headwise
