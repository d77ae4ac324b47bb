#include <algorithm>
#include <headwise/attention/validation.hpp>
#include <headwise/io/file_tensors.hpp>
#include <headwise/io/safetensors.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <headwise/io/utf8.hpp>

namespace headwise {
namespace {

void check_utf8(const char* argument, std::string_view text) {
  if (!io::is_utf8(text)) {
    io::throw_if({.code = ErrorCode::invalid_value,
                  .subject = argument,
                  .expected = "valid Unicode",
                  .got = "@",
                  .got_detail = {0, text}});
  }
}

}  // namespace

Safetensors load_safetensors(std::span<const std::byte> file) {
  return validation::report_out_of_memory([&] {
    const std::size_t known = std::min(file.size(), io::safetensors_length_bytes);
    std::uint64_t header_end = 0;
    io::throw_if(
        io::find_safetensors_header_end(io::as_text(file.first(known)), file.size(), header_end));
    const auto data = file.subspan(static_cast<std::size_t>(header_end));
    std::string json =
        io::copy_text(file.subspan(known, static_cast<std::size_t>(header_end) - known));
    io::SafetensorsHeader header;
    io::throw_if(io::read_safetensors_header(json, data.size(), header));

    Safetensors result;
    for (const io::StoredTensor& tensor : header.tensors) {
      const auto numbers = data.subspan(static_cast<std::size_t>(tensor.begin));
      result.tensors.emplace(tensor.name, io::read_tensor({.data = numbers.data(),
                                                           .format = tensor.format,
                                                           .shape = header.shape(tensor)}));
    }
    for (std::size_t i = 0; i < header.metadata.size(); i += 2) {
      result.metadata.emplace(header.metadata[i], header.metadata[i + 1]);
    }
    return result;
  });
}

std::vector<std::byte> save_safetensors(const std::map<std::string, xt::xarray<float>>& tensors,
                                        const std::map<std::string, std::string>& metadata) {
  return validation::report_out_of_memory([&] {
    const io::NamedShapes shapes(tensors);
    std::size_t data_size = 0;
    for (const auto& [name, tensor] : tensors) {
      check_utf8("tensors", name);
      data_size += tensor.size() * sizeof(float);
    }
    std::vector<std::string_view> strings;
    for (const auto& [name, text] : metadata) {
      check_utf8("metadata", name);
      check_utf8("metadata", text);
      strings.insert(strings.end(), {name, text});
    }
    io::TextWriter header;
    io::throw_if(io::write_safetensors_header(shapes.all(), strings, header));
    std::vector<std::byte> file = io::to_bytes(header.text(), data_size);
    for (const auto& [name, tensor] : tensors) {
      io::append_numbers(file, tensor);
    }
    return file;
  });
}

}  // namespace headwise
