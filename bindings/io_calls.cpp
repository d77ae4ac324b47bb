#include "io_calls.hpp"

#include <algorithm>
#include <cstring>
#include <headwise/io/npy_header.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <headwise/io/state_dict_layouts.hpp>
#include <headwise/io/text_reader.hpp>
#include <headwise/io/text_writer.hpp>
#include <span>
#include <string>
#include <vector>

namespace headwise::bindings {
namespace {

template <typename T>
T* at(Address address) noexcept {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

std::vector<char> last_answer;  // NOLINT(*-avoid-non-const-global-variables)

Address answer(std::string_view text, bool failed = false) {
  auto length = static_cast<std::int32_t>(text.size());
  length = failed ? -length : length;
  last_answer.resize(sizeof length + text.size());
  std::memcpy(last_answer.data(), &length, sizeof length);
  std::copy(text.begin(), text.end(), last_answer.begin() + sizeof length);
  return reinterpret_cast<Address>(last_answer.data());
}

Address answer(const io::Failure& failure) {
  return answer(io::TextWriter() << to_string(failure.code) << " " << failure.message, true);
}

/// Answers with what `tell` makes of a result, or with the failure.
template <typename Result, typename Tell>
Address answer(const io::Outcome<Result>& outcome, Tell tell) {
  const auto* result = std::get_if<Result>(&outcome);
  return result != nullptr ? answer(tell(*result)) : answer(*std::get_if<io::Failure>(&outcome));
}

/// JavaScript's strings that are no Unicode come as escapes that no reader takes.
Address refuse_names() {
  return answer({.code = ErrorCode::invalid_value,
                 .message = "names: expected valid Unicode, got a lone surrogate"});
}

/// Reads a request. What JavaScript writes is as it should be, but for strings.
class Request {
 public:
  Request(Address text, std::size_t size) : reader_({at<char>(text), size}) {}

  std::uint64_t number() { return reader_.take_integer().value_or(0); }

  std::string_view string() {
    const auto string = reader_.take_json_string();
    valid_ = valid_ && string.has_value();
    return string.value_or("");
  }

  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> shape(static_cast<std::size_t>(number()));
    for (std::uint64_t& size : shape) {
      size = number();
    }
    return shape;
  }

  std::vector<io::NamedShape> tensors() {
    std::vector<io::NamedShape> tensors(static_cast<std::size_t>(number()));
    for (io::NamedShape& tensor : tensors) {
      tensor.name = string();
      tensor.shape = shape();
    }
    return tensors;
  }

  io::Strings strings() {
    io::Strings strings(static_cast<std::size_t>(number()));
    for (auto& [name, text] : strings) {
      name = string();
      text = string();
    }
    return strings;
  }

  /// An option where 0 says that it is not given and others count from 1.
  template <typename Option>
  std::optional<Option> option() {
    const std::uint64_t given = number();
    return given > 0 ? std::optional(static_cast<Option>(given - 1)) : std::nullopt;
  }

  /// Whether all strings were Unicode.
  [[nodiscard]] bool valid() const noexcept { return valid_; }

 private:
  io::TextReader reader_;
  bool valid_ = true;
};

io::TextWriter number_text(std::uint64_t number) {
  io::TextWriter text;
  return text << number;
}

std::string_view flag_text(bool flag) { return flag ? "true" : "false"; }

io::TextWriter plan_text(const io::StateDictPlan& plan) {
  const MultiHeadAttentionOptions& options = plan.options;
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  io::TextWriter text;
  text << R"({"options":{"numHiddens":)" << number(options.num_hiddens);
  const auto write_size = [&](std::string_view name, const std::optional<std::int64_t>& size) {
    if (size) {
      text << name << number(*size);
    }
  };
  write_size(R"(,"outputSize":)", options.output_size);
  write_size(R"(,"numKvHeads":)", options.num_kv_heads);
  write_size(R"(,"attentionHiddens":)", options.attention_hiddens);
  text << R"(,"outputProjection":)" << flag_text(*options.output_projection) << R"(,"bias":)"
       << flag_text(options.bias) << R"(,"biasKv":)" << flag_text(options.bias_kv)
       << R"(,"pooling":)" << number(options.pooling) << R"(,"projection":)"
       << number(options.projection) << R"(},"parameters":[)";
  std::string_view before;
  for (const io::ParameterPlan& parameter : plan.parameters) {
    (text << before << R"({"name":")" << parameter.name << R"(","shape":[)")
        .list(parameter.shape, ",");
    if (parameter.source) {
      text << R"(],"source":)" << *parameter.source;
    } else {
      text << R"(],"source":null)";
    }
    text << R"(,"firstRow":)" << parameter.first_row << R"(,"transposed":)"
         << flag_text(parameter.transposed) << "}";
    before = ",";
  }
  return text << "]}";
}

}  // namespace

Address read_safetensors_header(Address text, std::size_t size, double file_size) {
  const std::span<char> file(at<char>(text), size);
  const auto whole = static_cast<std::uint64_t>(file_size);
  const auto end = io::safetensors_header_end(file, whole);
  const auto* known_end = std::get_if<std::uint64_t>(&end);
  if (known_end == nullptr || size < *known_end) {
    return answer(end, number_text);
  }
  return answer(
      io::read_safetensors_header(file.subspan(io::safetensors_length_bytes), whole - *known_end),
      [](const auto&) { return std::string_view(); });
}

Address read_npy_header(Address text, std::size_t size, double file_size) {
  const std::span<char> file(at<char>(text), size);
  const auto whole = static_cast<std::uint64_t>(file_size);
  const auto end = io::npy_header_end(file, whole);
  const auto* known_end = std::get_if<std::uint64_t>(&end);
  if (known_end == nullptr || size < *known_end) {
    return answer(end, number_text);
  }
  return answer(io::read_npy_header(file, whole - *known_end), [](const io::NpyHeader& header) {
    io::TextWriter json;
    json << R"({"descr":")" << header.descr << R"(","fortran":)" << flag_text(header.fortran_order)
         << R"(,"shape":[)";
    return json.list(header.shape, ",") << "]}";
  });
}

Address write_safetensors_header(Address text, std::size_t size, double) {
  Request request(text, size);
  const auto tensors = request.tensors();
  const auto metadata = request.strings();
  return request.valid()
             ? answer(io::write_safetensors_header(tensors, metadata),
                      [](const std::string& header) { return std::string_view(header); })
             : refuse_names();
}

Address write_npy_header(Address text, std::size_t size, double) {
  return answer(io::write_npy_header(Request(text, size).shape()),
                [](const std::string& header) { return std::string_view(header); });
}

Address plan_state_dict(Address text, std::size_t size, double) {
  Request request(text, size);
  FromStateDictOptions options;
  options.prefix = request.string();
  options.num_heads = static_cast<std::int64_t>(request.number());
  const auto next_size = [&request]() -> std::optional<std::int64_t> {
    const auto given = static_cast<std::int64_t>(request.number());
    return given > 0 ? std::optional(given) : std::nullopt;
  };
  options.num_hiddens = next_size();
  options.query_size = next_size();
  options.key_size = next_size();
  options.value_size = next_size();
  options.output_size = next_size();
  options.num_kv_heads = next_size();
  options.attention_hiddens = next_size();
  options.bias = request.option<bool>();
  options.output_projection = request.option<bool>();
  options.bias_kv = request.option<bool>();
  options.pooling = request.option<Pooling>();
  options.projection = request.option<Projection>();
  const auto tensors = request.tensors();
  return request.valid() ? answer(io::plan_state_dict(tensors, options), plan_text)
                         : refuse_names();
}

void to_floats(Address text, std::size_t size, Address numbers, Address floats) {
  Request request(text, size);
  const std::string_view name = request.string();
  const auto dtype = io::format_of_dtype(name);
  const auto format = dtype ? dtype : io::format_of_descr(name);
  const bool fortran_order = request.number() != 0;
  const std::vector<std::uint64_t> shape = request.shape();
  io::to_floats({.data = at<const std::byte>(numbers),
                 .format = *format,
                 .shape = shape,
                 .fortran_order = fortran_order},
                at<float>(floats));
}

}  // namespace headwise::bindings
