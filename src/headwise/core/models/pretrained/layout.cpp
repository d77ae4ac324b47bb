#include <algorithm>
#include <headwise/core/io/message.hpp>
#include <headwise/core/io/words.hpp>
#include <headwise/core/models/pretrained/layout.hpp>
#include <utility>

namespace headwise {
namespace {

using Shape = std::span<const std::size_t>;

/// Buffers of models, by the ends of their names.
constexpr std::string_view buffer_names =
    "position_ids .attn.bias .attn.masked_bias rotary_emb.inv_freq token_type_ids";

/// Whether `is` is true of any of these words.
template <typename Function>
bool any_of_words(std::string_view words, const Function& is) noexcept {
  while (!words.empty()) {
    if (is(io::next_word(words))) {
      return true;
    }
  }
  return false;
}

/// Matches `name` against `pattern`, in which `#` is a number; what follows the pattern is left in
/// `rest`, and the number, as text, in `number`.
bool matches(std::string_view pattern, std::string_view name, std::string_view& number,
             std::string_view& rest) noexcept {
  const std::size_t mark = pattern.find('#');
  if (mark != std::string_view::npos) {
    if (!name.starts_with(pattern.substr(0, mark))) {
      return false;
    }
    name.remove_prefix(mark);
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    number = name.substr(0, digits);
    name.remove_prefix(digits);
    pattern.remove_prefix(mark + 1);
  }
  if (!name.starts_with(pattern)) {
    return false;
  }
  rest = name.substr(pattern.size());
  return pattern.ends_with('.') || rest.empty();
}

/// The name of the tensor that holds a parameter; empty if the family does not have it.
std::string tensor_of(const PretrainedFamily& family, std::string_view parameter) {
  for (std::string_view names = family.names; !names.empty();) {
    const std::string_view pattern = io::next_word(names);
    std::string tensor(io::next_word(names));
    std::string_view number;
    std::string_view rest;
    if (matches(pattern, parameter, number, rest)) {
      if (const std::size_t mark = tensor.find('#'); mark != std::string::npos) {
        tensor.replace(mark, 1, number);
      }
      return tensor.append(rest);
    }
  }
  return "";
}

/// Whether a parameter is one of a linear map in a layer, not of a norm.
bool is_of_linear_map(std::string_view parameter) noexcept {
  return parameter.find(".attention.") != std::string_view::npos ||
         parameter.find(".ffn.") != std::string_view::npos;
}

void add_problem(std::string& problems, std::string_view name, std::string_view what) {
  problems += problems.empty() ? "'" : ", '";
  problems += name;
  problems += "' ";
  problems += what;
}

Shape without_leading_ones(Shape shape) noexcept {
  while (!shape.empty() && shape.front() == 1) {
    shape = shape.subspan(1);
  }
  return shape;
}

/// Adds a problem and returns false if the tensor's shape is another, but for axes of size 1 before
/// the rest.
bool check_shape(std::string& problems, const io::NamedTensor& tensor, Shape expected) {
  if (std::ranges::equal(without_leading_ones(tensor.shape), without_leading_ones(expected))) {
    return true;
  }
  std::string what = "expected ";
  io::append_shape(what, expected);
  what += ", got ";
  io::append_shape(what, tensor.shape);
  add_problem(problems, tensor.name, what);
  return false;
}

}  // namespace

std::vector<std::size_t> shape_of(const PretrainedTensor& tensor,
                                  std::span<const io::NamedTensor> parameters) {
  const Shape first = parameters[tensor.parameters.front()].shape;
  std::vector<std::size_t> shape(tensor.leading_axes, 1);
  for (const std::size_t size : first) {
    shape.push_back(size);
  }
  std::size_t& rows = shape[tensor.leading_axes];
  for (std::size_t part = 1; part < tensor.parameters.size(); ++part) {
    rows += parameters[tensor.parameters[part]].shape.front();
  }
  if (tensor.transposed && first.size() == 2) {
    std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
  }
  return shape;
}

std::string plan_pretrained(const PretrainedFamily& family,
                            std::span<const io::NamedTensor> parameters,
                            std::span<const io::NamedTensor> tensors, PretrainedLayout& layout) {
  std::string problems;
  struct Wanted {
    std::string canonical;
    PretrainedTensor tensor;
    bool found = false;
  };
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::string canonical = tensor_of(family, parameters[i].name);
    if (canonical.empty()) {
      add_problem(problems, parameters[i].name, "is a parameter that this family does not have");
      continue;
    }
    const auto known = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& each) {
      return each.canonical == canonical;
    });
    if (known != wanted.end()) {
      known->tensor.parameters.push_back(i);
    } else {
      wanted.push_back(
          {.canonical = std::move(canonical),
           .tensor = {.name = {},
                      .parameters = {i},
                      .transposed = family.transposed && is_of_linear_map(parameters[i].name)}});
    }
  }
  // The parts of a tensor are listed in the order of the table, W_q, W_k, W_v, which is that of
  // the rows.
  const bool is_tied = std::none_of(parameters.begin(), parameters.end(), [](const auto& each) {
    return each.name == "unembedding.weight";
  });
  for (const io::NamedTensor& tensor : tensors) {
    const std::string_view canonical = without_prefixes(family, tensor.name);
    const auto want = std::find_if(wanted.begin(), wanted.end(),
                                   [&](const Wanted& each) { return each.canonical == canonical; });
    if (want != wanted.end()) {
      if (want->found) {
        add_problem(problems, tensor.name, "is there twice");
        continue;
      }
      want->found = true;
      PretrainedTensor found = want->tensor;
      found.name = tensor.name;
      if (!check_shape(problems, tensor, shape_of(found, parameters))) {
        continue;
      }
      const std::size_t rank = shape_of(found, parameters).size();
      found.leading_axes = tensor.shape.size() > rank ? tensor.shape.size() - rank : 0;
      layout.tensors.push_back(std::move(found));
    } else if (is_tied && any_of_words(family.tied,
                                       [&](std::string_view name) { return canonical == name; })) {
      // Of the embedding, which is the first parameter of models with tokens.
      if (check_shape(problems, tensor, parameters.front().shape)) {
        layout.tensors.push_back(
            {.name = std::string(tensor.name), .parameters = {0}, .is_copy = true});
      }
    } else if (!any_of_words(buffer_names,
                             [&](std::string_view end) { return tensor.name.ends_with(end); }) &&
               !any_of_words(family.ignored, [&](std::string_view start) {
                 return canonical.starts_with(start);
               })) {
      add_problem(problems, tensor.name, "is unexpected");
    }
  }
  for (const Wanted& each : wanted) {
    if (!each.found) {
      add_problem(problems, each.canonical, "is missing");
    }
  }
  return problems;
}

template <typename Copy>
void PretrainedPart::for_each_number(const Copy& copy) const noexcept {
  const auto rows_of = [&](std::size_t number) {
    return parameters[tensor->parameters[number]].shape.front();
  };
  const Shape shape = parameters[tensor->parameters[part]].shape;
  std::size_t columns = 1;
  for (const std::size_t size : shape.subspan(1)) {
    columns *= size;
  }
  std::size_t first = 0;
  std::size_t all_rows = 0;
  for (std::size_t number = 0; number < tensor->parameters.size(); ++number) {
    first += number < part ? rows_of(number) : 0;
    all_rows += rows_of(number);
  }
  const bool transposed = tensor->transposed && shape.size() == 2;
  for (std::size_t row = 0; row < shape.front(); ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t in_tensor =
          transposed ? column * all_rows + first + row : (first + row) * columns + column;
      copy(in_tensor, row * columns + column);
    }
  }
}

void PretrainedPart::read(const float* tensor_values, float* parameter) const noexcept {
  for_each_number([&](std::size_t from, std::size_t to) { parameter[to] = tensor_values[from]; });
}

void PretrainedPart::write(const float* parameter, float* tensor_values) const noexcept {
  for_each_number([&](std::size_t to, std::size_t from) { tensor_values[to] = parameter[from]; });
}

}  // namespace headwise
