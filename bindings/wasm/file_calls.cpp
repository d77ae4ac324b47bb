#include "file_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/io/npy_header.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <ranges>
#include <string_view>
#include <vector>

#include "memory.hpp"
#include "records.hpp"
#include "response.hpp"

namespace headwise::bindings {
namespace {

NumberFormat to_format(const io::NumberFormat& format) {
  return {.type = static_cast<std::size_t>(format.type),
          .size = format.size,
          .big_endian = format.big_endian};
}

}  // namespace

Address read_safetensors_header(Address request) {
  const auto [file_size, bytes] = message_at<HeaderBytes>(request);
  io::SafetensorsHeader header;
  io::Message problem;
  io::read_safetensors_header(bytes, file_size, header, problem);
  const auto to_tensor = [&](const io::SafetensorsEntry& entry) {
    return FileTensor{.name = entry.name,
                      .dtype = entry.dtype->name,
                      .format = to_format(entry.dtype->format),
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
                           .format = to_format(header.format),
                           .fortran_order = header.fortran_order,
                           .shape = header.shape});
}

Address write_npy_header(Address request) {
  return respond(HeaderText{.bytes = io::write_npy_header(message_at<TensorShape>(request).shape)});
}

Address plan_layer(Address request) {
  const auto names = message_at<StateDictNames>(request);
  const io::LayerPlan plan = validation::check_layout(names.tensors, names.prefix,
                                                      static_cast<std::int64_t>(names.num_heads));
  const auto to_parameter = [](const io::PlannedParameter& planned) {
    return LayerParameter{.name = parameter_names[planned.parameter],
                          // JavaScript counts from 1; 0 is none.
                          .source = planned.source + 1,
                          .first_row = planned.first_row,
                          .transposed = planned.transposed,
                          .shape = planned.axes.shape()};
  };
  return respond(LayerPlan{.num_hiddens = plan.num_hiddens,
                           .num_kv_heads = plan.num_kv_heads,
                           .query_size = plan.query_size,
                           .key_size = plan.key_size,
                           .value_size = plan.value_size,
                           .output_size = plan.output_size,
                           .attention_hiddens = plan.attention_hiddens,
                           .output_projection = plan.output_projection,
                           .bias = plan.bias,
                           .convolution = plan.convolution,
                           .bias_kv = plan.bias_kv,
                           .parameters = plan.parameters | std::views::transform(to_parameter)});
}

}  // namespace headwise::bindings
