#include <headwise/io/edge.hpp>
#include <headwise/io/safetensors.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <headwise/io/utf8.hpp>

namespace headwise {
namespace {

void check_text(std::string_view text) {
  if (!io::is_utf8(text)) {
    throw Error(ErrorCode::invalid_value,
                "tensors: expected names and metadata in UTF-8, got other bytes");
  }
}

}  // namespace

Safetensors load_safetensors(std::span<const std::byte> bytes) {
  return report_out_of_memory([&] {
    io::SafetensorsHeader header;
    io::Message message;
    auto first = io::first_bytes(bytes, io::largest_safetensors_header + sizeof(std::uint64_t));
    io::read_safetensors_header(first, bytes.size(), header, message);
    io::throw_if(message);
    Safetensors result;
    const std::byte* data = bytes.data() + header.size;
    for (const io::SafetensorsEntry& entry : header.tensors) {
      auto tensor = io::tensor_of_shape(header.shape_of(entry));
      io::to_floats(entry.format, data + entry.begin, tensor.size(), tensor.data());
      result.tensors.emplace(entry.name, std::move(tensor));
    }
    for (const io::SafetensorsEntry& entry : header.metadata) {
      result.metadata.emplace(entry.name, entry.text);
    }
    return result;
  });
}

std::vector<std::byte> save_safetensors(const StateDict& tensors,
                                        const std::map<std::string, std::string>& metadata) {
  return report_out_of_memory([&] {
    std::vector<io::NamedShape> shapes;
    for (const auto& [name, tensor] : tensors) {
      check_text(name);
      if (name == io::metadata_name) {
        throw Error(ErrorCode::invalid_value,
                    "tensors: expected names other than that of the metadata, got '" + name + "'");
      }
      shapes.push_back({.name = name, .shape = io::shape_of(tensor)});
    }
    std::vector<io::NamedText> texts;
    for (const auto& [name, text] : metadata) {
      check_text(name);
      check_text(text);
      texts.push_back({.name = name, .text = text});
    }
    const std::string header = io::write_safetensors_header(shapes, texts);
    std::vector<std::byte> file;
    io::append(file, header.data(), header.size());
    for (const auto& [name, tensor] : tensors) {
      io::append(file, tensor.data(), tensor.size() * sizeof(float));
    }
    return file;
  });
}

}  // namespace headwise
