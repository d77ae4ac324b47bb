#include <algorithm>
#include <headwise/attention/validation.hpp>
#include <headwise/io/file_tensors.hpp>
#include <headwise/io/npy.hpp>
#include <headwise/io/npy_header.hpp>

namespace headwise {

xt::xarray<float> load_npy(std::span<const std::byte> file) {
  return validation::report_out_of_memory([&] {
    const std::size_t known = std::min(file.size(), io::npy_length_bytes);
    const auto header_end = static_cast<std::size_t>(
        io::value_or_throw(io::npy_header_end(io::as_text(file.first(known)), file.size())));
    const auto data = file.subspan(header_end);
    std::string text = io::copy_text(file.first(header_end));
    const auto header = io::value_or_throw(io::read_npy_header(text, data.size()));
    return io::read_tensor({.data = data.data(),
                            .format = header.format,
                            .shape = header.shape,
                            .fortran_order = header.fortran_order});
  });
}

std::vector<std::byte> save_npy(const xt::xarray<float>& tensor) {
  return validation::report_out_of_memory([&] {
    const std::string header = io::value_or_throw(io::write_npy_header(io::shape_of(tensor)));
    std::vector<std::byte> file = io::to_bytes(header, tensor.size() * sizeof(float));
    io::append_numbers(file, tensor);
    return file;
  });
}

}  // namespace headwise
