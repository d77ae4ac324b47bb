#include "file_calls.hpp"

#include <cstring>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/io/npy_header.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/layouts/state_dict_layouts.hpp>
#include <span>
#include <string>
#include <string_view>

namespace headwise::bindings {
namespace {

/// An answer: its number of words, then what is put in, in the order in which `Answer` in
/// questions.ts takes it out.
class AnswerWriter {
 public:
  void number(std::size_t value) { words_.push_back(static_cast<std::uint32_t>(value)); }
  void wide(std::uint64_t value) {
    number(static_cast<std::uint32_t>(value));
    number(static_cast<std::uint32_t>(value >> 32U));
  }
  void text(std::string_view text) {
    number(text.size());
    const std::size_t first = words_.size();
    words_.resize(first + (text.size() + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t));
    if (!text.empty()) {
      std::memcpy(words_.data() + first, text.data(), text.size());
    }
  }
  template <typename Size>
  void shape(std::span<const Size> shape) {
    number(shape.size());
    for (const Size size : shape) {
      number(static_cast<std::size_t>(size));
    }
  }
  void format(const io::NumberFormat& format) {
    number(static_cast<std::size_t>(format.type));
    number(format.size);
    number(format.big_endian ? 1 : 0);
  }
  Words words() {
    words_.front() = static_cast<std::uint32_t>(words_.size());
    return std::move(words_);
  }

 private:
  Words words_ = {0};
};

std::vector<std::size_t> read_shape(Record& question) {
  std::vector<std::size_t> shape(question.size());
  for (std::size_t& size : shape) {
    size = question.size();
  }
  return shape;
}

/// Names, dtypes and shapes of tensors.
struct Tensors {
  std::vector<std::vector<std::size_t>> shapes;
  std::vector<io::NamedTensor> named;

  explicit Tensors(Record& question) {
    const std::size_t count = question.size();
    shapes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view name = question.text();
      const std::string_view dtype = question.text();
      shapes.push_back(read_shape(question));
      named.push_back({.name = name, .shape = shapes.back(), .dtype = dtype});
    }
  }
};

}  // namespace

Words read_safetensors_header(Record question) {
  const std::uint64_t file_size = question.wide();
  io::SafetensorsHeader header;
  io::Message message;
  io::read_safetensors_header(question.bytes(), file_size, header, message);
  AnswerWriter answer;
  answer.text(message.text());
  answer.wide(header.size);
  answer.number(header.tensors.size());
  for (const io::SafetensorsEntry& entry : header.tensors) {
    answer.text(entry.name);
    answer.text(entry.dtype->name);
    answer.format(entry.dtype->format);
    answer.wide(entry.begin);
    answer.wide(entry.end);
    answer.shape(header.shape_of(entry));
  }
  answer.number(header.metadata.size());
  for (const io::SafetensorsEntry& entry : header.metadata) {
    answer.text(entry.name);
    answer.text(entry.text);
  }
  return answer.words();
}

Words write_safetensors_header(Record question) {
  const Tensors tensors(question);
  std::vector<io::NamedText> metadata(question.size());
  for (io::NamedText& each : metadata) {
    each.name = question.text();
    each.text = question.text();
  }
  AnswerWriter answer;
  answer.text(io::write_safetensors_header(tensors.named, metadata));
  return answer.words();
}

Words read_npy_header(Record question) {
  const std::uint64_t file_size = question.wide();
  io::NpyHeader header;
  io::Message message;
  io::read_npy_header(question.bytes(), file_size, header, message);
  AnswerWriter answer;
  answer.text(message.text());
  answer.wide(header.size);
  answer.format(header.format);
  answer.number(header.fortran_order ? 1 : 0);
  answer.shape<std::size_t>(header.shape);
  return answer.words();
}

Words write_npy_header(Record question) {
  AnswerWriter answer;
  answer.text(io::write_npy_header(read_shape(question)));
  return answer.words();
}

Words plan_layer(Record question) {
  const std::size_t num_heads = question.size();
  const std::string_view prefix = question.text();
  const Tensors tensors(question);
  io::LayerPlan plan;
  AnswerWriter answer;
  answer.text(io::plan_layer(tensors.named, io::with_dot(prefix), num_heads, plan));
  for (const std::size_t number :
       {plan.num_hiddens, plan.num_kv_heads, plan.query_size, plan.key_size, plan.value_size,
        plan.output_size, plan.attention_hiddens}) {
    answer.number(number);
  }
  for (const bool flag : {plan.output_projection, plan.bias, plan.convolution, plan.bias_kv}) {
    answer.number(flag ? 1 : 0);
  }
  answer.number(plan.parameters.size());
  for (const io::PlannedParameter& planned : plan.parameters) {
    answer.text(parameter_names[planned.parameter]);
    // JavaScript counts from 1; 0 is none.
    answer.number(planned.source + 1);
    answer.number(planned.first_row);
    answer.number(planned.transposed ? 1 : 0);
    answer.shape(planned.axes.shape());
  }
  return answer.words();
}

}  // namespace headwise::bindings
