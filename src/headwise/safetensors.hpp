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

/// Integers or booleans, in as many bits as a file has them. The format's dtypes, in this order:
/// BOOL, I8, I16, I32, I64, U8, U16, U32, U64.
using IntegerTensor =
    std::variant<xt::xarray<bool>, xt::xarray<std::int8_t>, xt::xarray<std::int16_t>,
                 xt::xarray<std::int32_t>, xt::xarray<std::int64_t>, xt::xarray<std::uint8_t>,
                 xt::xarray<std::uint16_t>, xt::xarray<std::uint32_t>, xt::xarray<std::uint64_t>>;

/// Such tensors by name: buffers of models, such as positions and masks.
using IntegerTensors = std::map<std::string, IntegerTensor>;

/// The contents of a safetensors file. No name is in two of the maps of tensors.
struct Safetensors {
  /// Floats of any size, as float32: exact but for F64, which is rounded.
  StateDict tensors;
  std::map<std::string, std::string> metadata;
  IntegerTensors integers;
  /// The dtypes of tensors that are not supported, and not read: C64, F6_E2M3, F6_E3M2, F4.
  std::map<std::string, std::string> unread;
};

/// Reads a safetensors file. Source: the format's description in the safetensors repository. Throws
/// `Error` (invalid-file) for whatever breaks the format's rules: lengths, JSON, dtypes that the
/// format does not have, duplicate names, tensors outside the file, overlapping or with gaps
/// between them; out-of-memory.
[[nodiscard]] Safetensors load_safetensors(std::span<const std::byte> bytes);

/// A safetensors file on disk, or a checkpoint of several: its header is read once, a tensor's
/// numbers whenever they are asked for, and nothing else. Files are opened for each call and must
/// stay as they are; several threads may read at once.
class SafetensorsFile {
 public:
  /// Reads the header of a `.safetensors` file; or an index, `model.safetensors.index.json`, and
  /// the headers of the files beside it that it names, whose other tensors are left alone. Throws
  /// `Error` (invalid-file) as `load_safetensors` does, with the file's name, for a file that
  /// cannot be read, and for an index that breaks its rules or names tensors that its files do not
  /// have; out-of-memory.
  explicit SafetensorsFile(const std::filesystem::path& path);
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile(SafetensorsFile&&) = default;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(SafetensorsFile&&) = default;
  ~SafetensorsFile() = default;

  /// The names of all tensors, in the order of the header or the index.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// The texts of all files; where several have one of the same name, that of the first file.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const noexcept {
    return metadata_;
  }
  /// Whether there is a tensor of this name, of whatever dtype.
  [[nodiscard]] bool contains(std::string_view name) const;
  /// The dtype that a tensor has in the file, `F16` for example. Throws `Error` (invalid-value) for
  /// a name that is not there, as do all calls below.
  [[nodiscard]] std::string_view dtype(std::string_view name) const;
  [[nodiscard]] const std::vector<std::size_t>& shape(std::string_view name) const;

  /// Reads a tensor of floats, as float32. Throws `Error` (invalid-file) for one of another dtype,
  /// for a file that cannot be read, and for one of another size than it had; out-of-memory.
  [[nodiscard]] xt::xarray<float> tensor(std::string_view name) const;
  /// The same for integers and booleans.
  [[nodiscard]] IntegerTensor integer_tensor(std::string_view name) const;
  /// Reads these tensors of floats. An error of names that are not there lists all of them.
  [[nodiscard]] StateDict tensors(const std::vector<std::string>& names) const;
  [[nodiscard]] StateDict tensors(std::initializer_list<std::string_view> names) const;
  /// Reads all tensors of floats whose names begin with `prefix`, for example
  /// `encoder.layers.0.self_attn`; the dot behind it may be left out. Those of other dtypes are
  /// left alone.
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

/// All tensors of floats, and int8 weights, beside which there is `NAME_scale` with a factor for
/// each row, as floats: what `save_safetensors` was given.
[[nodiscard]] StateDict state_dict_of(const Safetensors& file);

/// A safetensors file of F32 tensors and of integers and booleans in dtypes of their own. Larger
/// numbers come first, so that all are aligned; otherwise tensors are in the order of their names.
/// `weights` is the precision of weights, which are floats of two or more axes whose names end with
/// `weight`: F16, or I8 with a factor for each row in `NAME_scale`, (rows, 1), as F32. Throws
/// `Error` (invalid-value) for names and metadata that are not UTF-8, for the name `__metadata__`
/// and for a name twice; out-of-memory.
[[nodiscard]] std::vector<std::byte> save_safetensors(
    const StateDict& tensors, const std::map<std::string, std::string>& metadata = {},
    const IntegerTensors& integers = {}, Precision weights = Precision::float32);

}  // namespace headwise
