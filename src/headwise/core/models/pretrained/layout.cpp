#include <algorithm>
#include <array>
#include <headwise/core/io/message.hpp>
#include <headwise/core/models/pretrained/layout.hpp>
#include <optional>

namespace headwise {
namespace {

using Shape = std::span<const std::size_t>;

/// Buffers of models, by the ends of their names.
constexpr std::array<std::string_view, 5> buffer_names = {
    "position_ids", ".attn.bias", ".attn.masked_bias", "rotary_emb.inv_freq", "token_type_ids"};

bool is_buffer(std::string_view name) noexcept {
  return std::any_of(buffer_names.begin(), buffer_names.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

bool begins_with_any(std::string_view name, std::span<const std::string_view> beginnings) noexcept {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

bool is_any(std::string_view name, std::span<const std::string_view> names) noexcept {
  return std::find(names.begin(), names.end(), name) != names.end();
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

/// Where a parameter stands in a checkpoint.
struct Place {
  std::string tensor;
  const PretrainedName* name;
};

std::optional<Place> place_of(const PretrainedFamily& family, std::string_view parameter) {
  for (const PretrainedName& name : family.names) {
    std::string_view number;
    std::string_view rest;
    if (matches(name.parameter, parameter, number, rest)) {
      std::string tensor(name.tensor);
      if (const std::size_t mark = tensor.find('#'); mark != std::string::npos) {
        tensor.replace(mark, 1, number);
      }
      return Place{.tensor = tensor + std::string(rest), .name = &name};
    }
  }
  return std::nullopt;
}

void append_shape(std::string& text, Shape shape) {
  text += '(';
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += axis > 0 ? ", " : "";
    io::append_decimal(text, shape[axis]);
  }
  text += shape.size() == 1 ? ",)" : ")";
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
  append_shape(what, expected);
  what += ", got ";
  append_shape(what, tensor.shape);
  add_problem(problems, tensor.name, what);
  return false;
}

}  // namespace

std::vector<std::size_t> shape_of(const PretrainedTensor& tensor,
                                  std::span<const io::NamedTensor> parameters) {
  const Shape first = parameters[tensor.parameters.front()].shape;
  std::vector<std::size_t> shape(tensor.leading_axes, 1);
  shape.insert(shape.end(), first.begin(), first.end());
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
    const std::optional<Place> place = place_of(family, parameters[i].name);
    if (!place) {
      add_problem(problems, parameters[i].name, "is a parameter that this family does not have");
      continue;
    }
    const auto known = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& each) {
      return each.canonical == place->tensor;
    });
    if (known != wanted.end()) {
      known->tensor.parameters.push_back(i);
    } else {
      wanted.push_back(
          {.canonical = place->tensor,
           .tensor = {.name = {}, .parameters = {i}, .transposed = place->name->transposed}});
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
    } else if (is_tied && is_any(canonical, family.tied)) {
      // Of the embedding, which is the first parameter of models with tokens.
      if (check_shape(problems, tensor, parameters.front().shape)) {
        layout.tensors.push_back(
            {.name = std::string(tensor.name), .parameters = {0}, .is_copy = true});
      }
    } else if (!is_buffer(tensor.name) && !begins_with_any(canonical, family.ignored)) {
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
