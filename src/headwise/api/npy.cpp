#include <headwise/api/files.hpp>
#include <headwise/core/io/npy_header.hpp>
#include <headwise/npy.hpp>

namespace headwise {

xt::xarray<float> load_npy(std::span<const std::byte> bytes) {
  return report_out_of_memory([&] {
    io::NpyHeader header;
    io::Message message;
    auto first = io::first_bytes(bytes, io::max_npy_header_size);
    io::read_npy_header(first, bytes.size(), header, message);
    io::throw_if(message);
    auto tensor = io::tensor_of_shape(header.shape);
    io::to_floats(header.format, bytes.data() + header.size, header.count, tensor.data());
    if (header.fortran_order) {
      const std::vector<float> numbers(tensor.data(), tensor.data() + tensor.size());
      io::to_row_major(header.shape.data(), header.shape.size(), numbers.data(), tensor.data());
    }
    return tensor;
  });
}

std::vector<std::byte> save_npy(const xt::xarray<float>& tensor) {
  return report_out_of_memory([&] {
    if (tensor.dimension() > io::max_npy_axes) {
      throw Error(ErrorCode::invalid_shape, "tensor: expected at most " +
                                                std::to_string(io::max_npy_axes) + " axes, got " +
                                                std::to_string(tensor.dimension()));
    }
    const std::string header = io::write_npy_header(io::shape_of(tensor));
    std::vector<std::byte> file;
    file.reserve(header.size() + tensor.size() * sizeof(float));
    io::append(file, header.data(), header.size());
    io::append(file, tensor.data(), tensor.size() * sizeof(float));
    return file;
  });
}

}  // namespace headwise
