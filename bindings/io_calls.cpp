#include "io_calls.hpp"

#include <cstring>
#include <headwise/io/npy_header.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <headwise/io/state_dict_layouts.hpp>
#include <headwise/io/text_reader.hpp>
#include <span>
#include <vector>

namespace headwise::bindings {
namespace {

template <typename T>
T* at(Address address) noexcept {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

io::TextWriter last_answer;  // NOLINT(*-avoid-non-const-global-variables)

/// What an answer is written to, behind room for its length.
io::TextWriter& begin_answer() {
  last_answer.clear();
  return last_answer << std::string_view("\0\0\0\0", 4);
}

/// The address of what was written, or of the failure if there is one.
Address end_answer(const io::Failure& failure = {}) {
  if (failure) {
    begin_answer() << to_string(failure.code) << " ";
    failure.write(last_answer);
  }
  auto length = static_cast<std::int32_t>(last_answer.text().size() - sizeof(std::int32_t));
  length = failure ? -length : length;
  std::memcpy(last_answer.data(), &length, sizeof length);
  return reinterpret_cast<Address>(last_answer.data());
}

/// Reads a request. What JavaScript writes is as it should be, but for strings that are no Unicode:
/// they come as escapes that no reader takes.
class Request {
 public:
  Request(Address text, std::size_t size) noexcept : reader_({at<char>(text), size}) {}

  std::size_t number() noexcept {
    std::uint64_t number = 0;
    reader_.take_integer(number);
    return static_cast<std::size_t>(number);
  }

  std::string_view string() noexcept {
    std::string_view string;
    valid_ = reader_.take_json_string(string) && valid_;
    return string;
  }

  std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> numbers(number());
    for (std::uint64_t& number : numbers) {
      reader_.take_integer(number);
    }
    return numbers;
  }

  /// Names and shapes; `sizes` holds the shapes' sizes one after the other.
  std::vector<io::NamedShape> tensors(std::span<const std::uint64_t> sizes) {
    std::vector<io::NamedShape> tensors(number());
    for (io::NamedShape& tensor : tensors) {
      tensor.name = string();
      const std::size_t rank = number();
      tensor.shape = sizes.first(rank);
      sizes = sizes.subspan(rank);
    }
    return tensors;
  }

  [[nodiscard]] io::Failure failure() const noexcept {
    return valid_ ? io::Failure{}
                  : io::Failure{.code = ErrorCode::invalid_value,
                                .subject = "names",
                                .expected = "valid Unicode",
                                .got = "a lone surrogate"};
  }

 private:
  io::TextReader reader_;
  bool valid_ = true;
};

}  // namespace

Address read_safetensors_header(Address text, std::size_t size, double file_size) {
  const std::span<char> file(at<char>(text), size);
  const auto whole = static_cast<std::uint64_t>(file_size);
  std::uint64_t end = 0;
  io::Failure failure = io::find_safetensors_header_end(file, whole, end);
  io::TextWriter& answer = begin_answer();
  io::SafetensorsHeader header;
  if (size < end) {
    answer << end;
  } else if (!failure) {
    failure = io::read_safetensors_header(file.subspan(io::safetensors_length_bytes), whole - end,
                                          header);
  }
  return end_answer(failure);
}

Address read_npy_header(Address text, std::size_t size, double file_size) {
  const std::span<char> file(at<char>(text), size);
  const auto whole = static_cast<std::uint64_t>(file_size);
  std::uint64_t end = 0;
  io::Failure failure = io::find_npy_header_end(file, whole, end);
  io::TextWriter& answer = begin_answer();
  io::NpyHeader header;
  if (size < end) {
    answer << end;
  } else if (!failure) {
    failure = io::read_npy_header(file, whole - end, header);
  }
  return end_answer(failure);
}

Address write_safetensors_header(Address text, std::size_t size, double) {
  Request request(text, size);
  const auto sizes = request.numbers();
  const auto tensors = request.tensors(sizes);
  std::vector<std::string_view> metadata(request.number());
  for (std::string_view& string : metadata) {
    string = request.string();
  }
  io::Failure failure = request.failure();
  io::TextWriter& answer = begin_answer();
  if (!failure) {
    failure = io::write_safetensors_header(tensors, metadata, answer);
  }
  return end_answer(failure);
}

Address write_npy_header(Address text, std::size_t size, double) {
  return end_answer(io::write_npy_header(Request(text, size).numbers(), begin_answer()));
}

Address plan_state_dict(Address text, std::size_t size, double) {
  Request request(text, size);
  const std::string_view prefix = request.string();
  const std::size_t num_heads = request.number();
  const bool may_be_empty = request.number() != 0;
  const auto sizes = request.numbers();
  const auto tensors = request.tensors(sizes);
  io::StateDictPlan plan;
  io::Failure failure = request.failure();
  if (!failure) {
    failure = io::plan_state_dict(
        {.dict = tensors, .prefix = prefix, .num_heads = num_heads, .may_be_empty = may_be_empty},
        plan);
  }
  begin_answer();
  const auto write_words = [](std::initializer_list<std::size_t> words) {
    last_answer << std::string_view(reinterpret_cast<const char*>(words.begin()),
                                    words.size() * sizeof(std::size_t));
  };
  const auto word = [](auto option) { return static_cast<std::size_t>(option); };
  write_words({plan.num_hiddens, plan.output_size, plan.num_kv_heads, plan.attention_hiddens,
               word(plan.output_projection), word(plan.bias), word(plan.bias_kv),
               word(plan.pooling), word(plan.projection)});
  for (std::size_t number = 0; number < plan.parameters.size(); ++number) {
    const auto& [source, first_row, rows, transposed] = plan.parameters[number];
    const std::string_view name = LayerParameters::names[number];
    write_words({reinterpret_cast<Address>(name.data()), name.size(), source, first_row, rows,
                 word(transposed)});
  }
  return end_answer(failure);
}

void to_floats(Address text, std::size_t size, Address numbers, Address floats) {
  Request request(text, size);
  const std::string_view name = request.string();
  io::NumberFormat format{};
  static_cast<void>(io::find_dtype(name, format) || io::find_descr(name, format));
  const bool fortran_order = request.number() != 0;
  const std::vector<std::uint64_t> shape = request.numbers();
  io::to_floats({.data = at<const std::byte>(numbers),
                 .format = format,
                 .shape = shape,
                 .fortran_order = fortran_order},
                at<float>(floats));
}

}  // namespace headwise::bindings
