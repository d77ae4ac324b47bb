#include <algorithm>
#include <array>
#include <cstring>
#include <headwise/api/files.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/io/number_types.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/io/utf8.hpp>
#include <headwise/safetensors.hpp>
#include <type_traits>

namespace headwise {
namespace {

/// The dtype of each alternative of `IntegerTensor`.
constexpr std::array<std::string_view, std::variant_size_v<IntegerTensor>> integer_dtypes = {
    "BOOL", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64"};

/// An empty tensor of the alternative that holds such numbers.
template <std::size_t Alternative = 0>
IntegerTensor integers_of(std::string_view dtype) {
  if constexpr (Alternative + 1 < integer_dtypes.size()) {
    if (dtype != integer_dtypes[Alternative]) {
      return integers_of<Alternative + 1>(dtype);
    }
  }
  return IntegerTensor(std::in_place_index<Alternative>);
}

void check_text(std::string_view text) {
  if (!io::is_utf8(text)) {
    throw Error(ErrorCode::invalid_value,
                "tensors: expected names and metadata in UTF-8, got other bytes");
  }
}

void check_name(const std::string& name) {
  check_text(name);
  if (name == io::metadata_name) {
    throw Error(ErrorCode::invalid_value,
                "tensors: expected names other than that of the metadata, got '" + name + "'");
  }
}

/// Tensors to be written to a file.
class TensorList {
 public:
  template <typename Number>
  void add(const std::string& name, const xt::xarray<Number>& tensor, std::string_view dtype) {
    check_name(name);
    entries_.push_back({.header = {.name = name, .shape = io::shape_of(tensor), .dtype = dtype},
                        .numbers = tensor.data(),
                        .number_size = sizeof(Number),
                        .size = tensor.size() * sizeof(Number)});
  }

  [[nodiscard]] std::vector<std::byte> file(std::span<const io::NamedText> metadata) {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.number_size != b.number_size ? a.number_size > b.number_size
                                            : a.header.name < b.header.name;
    });
    std::vector<io::NamedTensor> named;
    std::size_t size = 0;
    for (const Entry& entry : entries_) {
      named.push_back(entry.header);
      size += entry.size;
    }
    const std::string header = io::write_safetensors_header(named, metadata);
    std::vector<std::byte> file;
    file.reserve(header.size() + size);
    io::append(file, header.data(), header.size());
    for (const Entry& entry : entries_) {
      io::append(file, entry.numbers, entry.size);
    }
    return file;
  }

 private:
  struct Entry {
    io::NamedTensor header;
    const void* numbers;
    std::size_t number_size;
    std::size_t size;
  };
  std::vector<Entry> entries_;
};

/// Weights on their way into a file.
struct RoundedWeights {
  std::map<std::string, xt::xarray<std::uint16_t>> halves;
  std::map<std::string, xt::xarray<std::int8_t>> int8;
  StateDict scales;  ///< of each row of those, (rows, 1)

  void add_halves(const std::string& name, const xt::xarray<float>& weight) {
    auto numbers = xt::xarray<std::uint16_t>::from_shape(weight.shape());
    std::transform(weight.data(), weight.data() + weight.size(), numbers.data(), io::float_to_half);
    halves.emplace(name, std::move(numbers));
  }

  void add_int8(const std::string& name, const xt::xarray<float>& weight) {
    const std::size_t rows = weight.shape(0);
    const std::size_t columns = weight.size() / std::max<std::size_t>(rows, 1);
    auto numbers = xt::xarray<std::int8_t>::from_shape(weight.shape());
    auto of_rows = xt::xarray<float>::from_shape({rows, 1});
    for (std::size_t row = 0; row < rows; ++row) {
      of_rows.data()[row] =
          to_int8(weight.data() + row * columns, columns, numbers.data() + row * columns);
    }
    int8.emplace(name, std::move(numbers));
    scales.emplace(name + "_scale", std::move(of_rows));
  }
};

void check_once(const std::string& name, bool is_there) {
  if (is_there) {
    throw Error(ErrorCode::invalid_value,
                "tensors: expected every name once, got '" + name + "' twice");
  }
}

}  // namespace

IntegerTensor io::read_integers(std::string_view dtype, std::span<const std::uint64_t> shape,
                                const std::byte* bytes) {
  IntegerTensor integers = integers_of(dtype);
  std::visit(
      [&]<typename Number>(xt::xarray<Number>& tensor) {
        tensor = tensor_of_shape<Number>(shape);
        if constexpr (std::is_same_v<Number, bool>) {
          // A bool may hold 0 and 1 only.
          std::transform(bytes, bytes + tensor.size(), tensor.data(),
                         [](std::byte byte) { return byte != std::byte{0}; });
        } else if (tensor.size() > 0) {
          std::memcpy(tensor.data(), bytes, tensor.size() * sizeof(Number));
        }
      },
      integers);
  return integers;
}

Safetensors load_safetensors(std::span<const std::byte> bytes) {
  return report_out_of_memory([&] {
    io::SafetensorsHeader header;
    io::Message message;
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    const std::uint64_t size = io::safetensors_header_size({text, bytes.size()}, bytes.size());
    std::vector<char> first = io::first_bytes(bytes, static_cast<std::size_t>(size));
    io::read_safetensors_header(first, bytes.size(), header, message);
    io::throw_if(message);
    Safetensors result;
    const std::byte* data = bytes.data() + header.size;
    for (const io::SafetensorsEntry& entry : header.tensors) {
      const io::SafetensorsDtype& dtype = *entry.dtype;
      const auto shape = header.shape_of(entry);
      if (!dtype.is_read()) {
        result.unread.emplace(entry.name, dtype.name);
      } else if (dtype.holds_integers()) {
        result.integers.emplace(entry.name,
                                io::read_integers(dtype.name, shape, data + entry.begin));
      } else {
        auto tensor = io::tensor_of_shape(shape);
        io::to_floats(dtype.format, data + entry.begin, tensor.size(), tensor.data());
        result.tensors.emplace(entry.name, std::move(tensor));
      }
    }
    for (const io::SafetensorsEntry& entry : header.metadata) {
      result.metadata.emplace(entry.name, entry.text);
    }
    return result;
  });
}

StateDict state_dict_of(const Safetensors& file) {
  return report_out_of_memory([&] {
    StateDict result = file.tensors;
    for (const auto& [name, integers] : file.integers) {
      const auto* int8 = std::get_if<xt::xarray<std::int8_t>>(&integers);
      const auto scale = result.find(name + "_scale");
      if (int8 == nullptr || int8->dimension() == 0 || scale == result.end()) {
        continue;
      }
      // (rows,) or (rows, 1), not a factor of each column.
      const xt::xarray<float>& factors = scale->second;
      const std::size_t rows = int8->shape(0);
      if (factors.size() != rows || (factors.dimension() > 0 && factors.shape(0) != rows)) {
        continue;
      }
      auto floats = xt::xarray<float>::from_shape(int8->shape());
      for (std::size_t i = 0; i < floats.size(); ++i) {
        const std::size_t row = i / (floats.size() / rows);
        floats.data()[i] = static_cast<float>(int8->data()[i]) * factors.data()[row];
      }
      result.erase(scale);
      result.emplace(name, std::move(floats));
    }
    return result;
  });
}

StateDict state_dict_of(const SafetensorsFile& file) {
  return report_out_of_memory([&] {
    Safetensors read{.tensors = file.tensors(), .metadata = {}, .integers = {}, .unread = {}};
    for (const std::string& name : file.names()) {
      if (file.dtype(name) == "I8") {
        read.integers.emplace(name, file.integer_tensor(name));
      }
    }
    return state_dict_of(read);
  });
}

std::vector<std::byte> save_safetensors(const StateDict& tensors,
                                        const std::map<std::string, std::string>& metadata,
                                        const IntegerTensors& integers, Precision weights) {
  return report_out_of_memory([&] {
    if (weights == Precision::int4) {
      validation::fail_option("weights: expected 'float32', 'float16' or 'int8', got 'int4'", {});
    }
    TensorList list;
    RoundedWeights rounded;
    for (const auto& [name, tensor] : tensors) {
      const bool is_weight = tensor.dimension() >= 2 && name.ends_with("weight");
      if (weights == Precision::float32 || !is_weight) {
        list.add(name, tensor, "F32");
      } else if (weights == Precision::float16) {
        rounded.add_halves(name, tensor);
      } else {
        rounded.add_int8(name, tensor);
      }
    }
    for (const auto& [name, numbers] : rounded.halves) {
      list.add(name, numbers, "F16");
    }
    for (const auto& [name, numbers] : rounded.int8) {
      list.add(name, numbers, "I8");
    }
    for (const auto& [name, scales] : rounded.scales) {
      check_once(name, tensors.contains(name) || integers.contains(name));
      list.add(name, scales, "F32");
    }
    for (const auto& [name, tensor] : integers) {
      check_once(name, tensors.contains(name));
      std::visit([&, &key = name, dtype = integer_dtypes[tensor.index()]](
                     const auto& numbers) { list.add(key, numbers, dtype); },
                 tensor);
    }
    std::vector<io::NamedText> texts;
    // Transformers reads no file without it.
    std::map<std::string, std::string> with_format = metadata;
    with_format.emplace("format", "pt");
    for (const auto& [name, text] : with_format) {
      check_text(name);
      check_text(text);
      texts.push_back({.name = name, .text = text});
    }
    return list.file(texts);
  });
}

}  // namespace headwise
