#include <algorithm>
#include <headwise/attention/validation.hpp>
#include <headwise/io/file_tensors.hpp>
#include <headwise/io/safetensors.hpp>
#include <headwise/io/safetensors_header.hpp>

namespace headwise {

Safetensors load_safetensors(std::span<const std::byte> file) {
  return validation::report_out_of_memory([&] {
    const std::size_t known = std::min(file.size(), io::safetensors_length_bytes);
    const auto header_end = static_cast<std::size_t>(io::value_or_throw(
        io::safetensors_header_end(io::as_text(file.first(known)), file.size())));
    const auto data = file.subspan(header_end);
    std::string json = io::copy_text(file.subspan(known, header_end - known));
    const auto header = io::value_or_throw(io::read_safetensors_header(json, data.size()));

    Safetensors result;
    for (const auto& [name, format, shape, begin, end] : header.tensors) {
      const auto numbers = data.subspan(static_cast<std::size_t>(begin));
      result.tensors.emplace(
          name, io::read_tensor({.data = numbers.data(), .format = format, .shape = shape}));
    }
    for (const auto& [name, text] : header.metadata) {
      result.metadata.emplace(name, text);
    }
    return result;
  });
}

std::vector<std::byte> save_safetensors(const std::map<std::string, xt::xarray<float>>& tensors,
                                        const std::map<std::string, std::string>& metadata) {
  return validation::report_out_of_memory([&] {
    std::vector<io::NamedShape> shapes;
    std::size_t data_size = 0;
    for (const auto& [name, tensor] : tensors) {
      shapes.push_back({.name = name, .shape = io::shape_of(tensor)});
      data_size += tensor.size() * sizeof(float);
    }
    const io::Strings strings(metadata.begin(), metadata.end());
    const std::string header = io::value_or_throw(io::write_safetensors_header(shapes, strings));
    std::vector<std::byte> file = io::to_bytes(header, data_size);
    for (const auto& [name, tensor] : tensors) {
      io::append_numbers(file, tensor);
    }
    return file;
  });
}

}  // namespace headwise
