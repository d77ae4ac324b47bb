#include "file_calls.hpp"

#include <cstdint>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/core/io/npy_header.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <ranges>
#include <string_view>

#include "memory.hpp"
#include "records.hpp"
#include "response.hpp"

namespace headwise::bindings {

Address read_safetensors_header(Address request) {
  const auto [file_size, bytes] = message_at<HeaderBytes>(request);
  io::SafetensorsHeader header;
  io::Message problem;
  io::read_safetensors_header(bytes, file_size, header, problem);
  const auto to_tensor = [&](const io::SafetensorsEntry& entry) {
    return FileTensor{.name = entry.name,
                      .dtype = entry.dtype->name,
                      .format = entry.dtype->format,
                      .begin = entry.begin,
                      .end = entry.end,
                      .shape = header.shape_of(entry)};
  };
  const auto to_text = [](const io::SafetensorsEntry& entry) {
    return FileText{.name = entry.name, .text = entry.text};
  };
  return respond(FileHeader{.problem = problem.text(),
                            .size = header.size,
                            .tensors = header.tensors | std::views::transform(to_tensor),
                            .metadata = header.metadata | std::views::transform(to_text)});
}

Address write_safetensors_header(Address request) {
  const auto contents = message_at<FileContents>(request);
  return respond(
      HeaderText{.bytes = io::write_safetensors_header(contents.tensors, contents.metadata)});
}

Address read_npy_header(Address request) {
  const auto [file_size, bytes] = message_at<HeaderBytes>(request);
  io::NpyHeader header;
  io::Message problem;
  io::read_npy_header(bytes, file_size, header, problem);
  return respond(NpyHeader{.problem = problem.text(),
                           .size = header.size,
                           .format = header.format,
                           .fortran_order = header.fortran_order,
                           .shape = header.shape});
}

Address write_npy_header(Address request) {
  return respond(HeaderText{.bytes = io::write_npy_header(message_at<TensorShape>(request).shape)});
}

Address plan_layer(Address request) {
  const auto names = message_at<StateDictNames>(request);
  return respond(validation::check_layout(names.tensors, names.prefix,
                                          static_cast<std::int64_t>(names.num_heads)));
}

}  // namespace headwise::bindings
