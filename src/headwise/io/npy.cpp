#include <algorithm>
#include <headwise/attention/validation.hpp>
#include <headwise/io/file_tensors.hpp>
#include <headwise/io/npy.hpp>
#include <headwise/io/npy_header.hpp>

namespace headwise {

xt::xarray<float> load_npy(std::span<const std::byte> file) {
  return validation::report_out_of_memory([&] {
    const std::size_t known = std::min(file.size(), io::npy_length_bytes);
    std::uint64_t header_end = 0;
    io::throw_if(io::find_npy_header_end(io::as_text(file.first(known)), file.size(), header_end));
    const auto data = file.subspan(static_cast<std::size_t>(header_end));
    std::string text = io::copy_text(file.first(static_cast<std::size_t>(header_end)));
    io::NpyHeader header;
    io::throw_if(io::read_npy_header(text, data.size(), header));
    return io::read_tensor({.data = data.data(),
                            .format = header.format,
                            .shape = header.shape,
                            .fortran_order = header.fortran_order});
  });
}

std::vector<std::byte> save_npy(const xt::xarray<float>& tensor) {
  return validation::report_out_of_memory([&] {
    io::TextWriter header;
    io::throw_if(io::write_npy_header(io::shape_of(tensor), header));
    std::vector<std::byte> file = io::to_bytes(header.text(), tensor.size() * sizeof(float));
    io::append_numbers(file, tensor);
    return file;
  });
}

}  // namespace headwise
