#include <algorithm>
#include <headwise/core/attention/layer_options.hpp>
#include <headwise/core/attention/layer_parameters.hpp>
#include <headwise/core/io/message.hpp>
#include <headwise/core/io/words.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/models/pretrained/families.hpp>
#include <headwise/core/models/pretrained/layout.hpp>
#include <headwise/core/models/pretrained/names.hpp>
#include <utility>

namespace headwise {
namespace {

using Shape = std::span<const std::size_t>;

/// Buffers of models, by the ends of their names.
constexpr std::string_view buffer_names =
    "position_ids .attn.bias .attn.masked_bias .attention.bias .attention.masked_bias "
    "rotary_emb.inv_freq token_type_ids";

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

/// Whether a parameter is one of a linear map in a layer, not of a norm.
bool is_of_linear_map(std::string_view parameter) noexcept {
  return parameter.find(".attention.") != std::string_view::npos ||
         parameter.find(".ffn.") != std::string_view::npos;
}

bool is_of_norm(std::string_view parameter) noexcept {
  return parameter.find("norm.") != std::string_view::npos;
}

/// Problems of tensors: the first few, and how many more.
class ProblemList {
 public:
  void add(std::string_view name, std::string_view what) {
    constexpr std::size_t max_listed = 12;
    ++count_;
    if (count_ > max_listed) {
      ++more_;
      return;
    }
    text_ += text_.empty() ? "'" : ", '";
    text_ += io::shortened(name);
    text_ += "' ";
    text_ += what;
  }
  void add_missing(std::string_view name) {
    has_missing_ = true;
    add(name, "is missing");
  }
  void add_missing(std::uint64_t count) { more_ += count; }
  void add_unexpected(std::string_view name) {
    add(name, "is unexpected");
    const auto [end, of_prefix] = std::ranges::mismatch(name, prefix_);
    prefix_ =
        num_unexpected_ == 0 ? name : name.substr(0, static_cast<std::size_t>(end - name.begin()));
    ++num_unexpected_;
  }

  [[nodiscard]] std::string text() const {
    std::string text = text_;
    if (more_ > 0) {
      text += ", and ";
      text += io::Decimal(more_).text();
      text += " more";
    }
    const std::string_view prefix = prefix_.substr(0, prefix_.rfind('.') + 1);
    if (has_missing_ && num_unexpected_ > 1 && !prefix.empty()) {
      text += "; all unexpected names begin with '";
      text += io::shortened(prefix);
      text += "'";
    }
    return text;
  }

 private:
  std::string text_;
  std::size_t count_ = 0;
  std::uint64_t more_ = 0;
  bool has_missing_ = false;
  std::size_t num_unexpected_ = 0;
  std::string_view prefix_;  ///< that all unexpected names share
};

Shape without_leading_ones(Shape shape) noexcept {
  while (!shape.empty() && shape.front() == 1) {
    shape = shape.subspan(1);
  }
  return shape;
}

/// Adds a problem and returns false if the tensor is not of floats, or of another shape, but for
/// axes of size 1 before the rest.
bool check_tensor(ProblemList& problems, const io::NamedTensor& tensor, Shape expected) {
  std::string what = "expected ";
  if (!std::ranges::equal(without_leading_ones(tensor.shape), without_leading_ones(expected))) {
    io::append_shape(what, expected);
    what += ", got ";
    io::append_shape(what, tensor.shape);
  } else if (tensor.dtype != "F32") {
    // Whoever hands over tensors has converted floats of all sizes.
    what += "floats, got ";
    what += tensor.dtype;
  } else {
    return true;
  }
  problems.add(tensor.name, what);
  return false;
}

/// Names and shapes of the parameters of a model, in the order of its tables.
class ParameterShapes {
 public:
  ParameterShapes(const TransformerOptions& options, const BySide<HeadsByLayer>& removed_heads) {
    add("", ModelParameters::table_of(unchecked_settings_of(options)));
    const auto size = static_cast<std::size_t>(options.num_hiddens);
    for (const Side side : all_sides) {
      std::size_t layer = 0;
      for (const MultiHeadAttentionOptions& each : layer_options_of(options, side, 0)) {
        LayerSettings settings = settings_of(each);
        const std::size_t group = settings.num_heads / settings.num_kv_heads;
        const std::size_t removed = removed_heads[side][layer].size();
        settings.num_heads -= removed;
        settings.num_kv_heads -= removed / group;
        add(attention_prefix(side, layer),
            parameter_table(settings, {.query_size = size, .key_size = size, .value_size = size}));
        ++layer;
      }
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      tensors_.push_back({.name = names_[i], .shape = shapes_[i]});
    }
  }

  [[nodiscard]] std::span<const io::NamedTensor> tensors() const noexcept { return tensors_; }

 private:
  void add(const std::string& prefix, const ParameterTable& table) {
    for (const ParameterTable::Entry& entry : table.entries()) {
      names_.push_back(prefix + entry.name);
      shapes_.push_back(entry.shape);
    }
  }

  std::vector<std::string> names_;
  std::vector<std::vector<std::size_t>> shapes_;
  std::vector<io::NamedTensor> tensors_;
};

/// Tensors, by their number, that are token embeddings or may repeat them.
struct EmbeddingPlaces {
  std::vector<std::size_t> inputs;  ///< of the tokens of the encoder, of the decoder or of both
  std::vector<std::size_t> heads;
};

EmbeddingPlaces embeddings_of(const PretrainedFamily& family, const PretrainedNames& names) {
  EmbeddingPlaces embeddings;
  const auto add = [&](std::string_view name, std::vector<std::size_t>& list) {
    const std::size_t tensor = name.empty() ? PretrainedNames::none : names.find(name);
    if (tensor != PretrainedNames::none) {
      list.push_back(tensor);
    }
  };
  add(tensor_of(family, "embedding.weight"), embeddings.inputs);
  for (std::string_view words = family.input_embeddings; !words.empty();) {
    add(io::next_word(words), embeddings.inputs);
  }
  for (std::string_view words = family.heads; !words.empty();) {
    add(io::next_word(words), embeddings.heads);
  }
  return embeddings;
}

/// Whether the config is of a model that Transformers saves without an unembedding.
bool is_of_headless_model(const PretrainedConfig& config) {
  const auto* const field = config.find("architectures.0");
  const std::string_view name = field != nullptr ? std::string_view(field->text) : "";
  return !name.ends_with("LMHeadModel") &&
         (name.ends_with("Model") || name.ends_with("Classification") ||
          name.ends_with("QuestionAnswering"));
}

/// The options with as many layers as the file could have tensors for, and one more: a larger model
/// lacks tensors, which takes no more memory to find out than the file does.
TransformerOptions with_layers_of_file(TransformerOptions options, std::size_t num_tensors) {
  options.seed = 0;  // So that no seed is drawn: WebAssembly cannot draw one.
  constexpr std::int64_t always = 1000;
  const std::int64_t most = std::max(static_cast<std::int64_t>(num_tensors), always) + 1;
  options.num_layers = std::min(options.num_layers, most);
  if (options.encoder) {
    options.encoder->num_layers = std::min(options.encoder->num_layers, most);
  }
  return options;
}

/// A tensor of the model, as the family calls it.
struct Wanted {
  std::string canonical;
  PretrainedTensor tensor;
  bool found = false;
};

std::vector<Wanted> wanted_tensors(const PretrainedFamily& family, std::size_t head_size,
                                   std::span<const io::NamedTensor> parameters) {
  std::vector<std::string> names(parameters.size());
  std::ranges::transform(parameters, names.begin(), [&](const io::NamedTensor& parameter) {
    return tensor_of(family, parameter.name);
  });
  const io::NameIndex index({names.begin(), names.end()});
  std::vector<Wanted> wanted;
  std::vector<std::size_t> places(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t first = index.find(names[i]);
    if (first == i) {
      places[i] = wanted.size();
      wanted.push_back(
          {.canonical = names[i],
           .tensor = {.name = {},
                      .parameters = {},
                      .transposed = family.transposed && is_of_linear_map(parameters[i].name),
                      .block_rows = family.by_head ? head_size : 0,
                      .offset = is_of_norm(parameters[i].name) ? family.norm_offset : 0}});
    }
    // The parts of a tensor are listed in the order of the table, W_q, W_k, W_v, which is that of
    // the rows.
    wanted[places[first]].tensor.parameters.push_back(i);
  }
  return wanted;
}

/// How many tensors a layer has.
std::size_t tensors_per_layer(const std::vector<Wanted>& wanted,
                              std::span<const io::NamedTensor> parameters,
                              std::string_view prefix) {
  return static_cast<std::size_t>(std::ranges::count_if(wanted, [&](const Wanted& each) {
    return parameters[each.tensor.parameters.front()].name.starts_with(prefix);
  }));
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

PretrainedPlan plan_pretrained(PretrainedConfig& config, std::span<const io::NamedTensor> tensors,
                               std::span<const std::size_t> same_as) {
  PretrainedPlan plan;
  const PretrainedFamily* family = find_family(config);
  if (family == nullptr) {
    return plan;
  }
  const PretrainedNames names(*family, tensors);
  family = with_layout_of(family, config, names, tensors);
  TransformerOptions& options = plan.options = family->options(config);
  if (!config.problems().empty()) {
    return plan;
  }

  // What the tensors settle. As in Transformers 5, an unembedding that is there is used.
  ProblemList problems;
  const auto [inputs, heads] = embeddings_of(*family, names);
  const auto is_same = [&](std::size_t place) { return same_as.empty() || same_as[place] == 0; };
  plan.tied = inputs;
  for (std::size_t place = 1; place < inputs.size(); ++place) {
    if (!is_same(place)) {
      std::string what = "expected the numbers of '";
      what += io::shortened(tensors[inputs.front()].name);
      problems.add(tensors[inputs[place]].name, what += "', got others");
    }
  }
  const bool may_be_tied = options.head && options.tied_embeddings && !heads.empty();
  if (may_be_tied) {
    plan.tied.push_back(heads.front());
    plan.is_untied = !inputs.empty() && !is_same(inputs.size());
    options.tied_embeddings = !plan.is_untied;
  } else if (!options.tied_embeddings && heads.empty() && is_of_headless_model(config)) {
    options.head = false;
  }
  options.logits_bias =
      options.logits_bias && names.find(family->logits_bias) != PretrainedNames::none;
  const bool is_in_head = inputs.empty() && !heads.empty() && options.tied_embeddings;
  const std::size_t embedding_tensor = !inputs.empty() ? inputs.front()
                                       : is_in_head    ? heads.front()
                                                       : PretrainedNames::none;

  const TransformerOptions planned = with_layers_of_file(options, tensors.size());
  std::ranges::transform(all_sides, plan.removed_heads.begin(),
                         [&](Side side) { return pruned_heads_of(config, planned, side); });
  if (!config.problems().empty()) {
    return plan;
  }
  const ParameterShapes shapes(planned, plan.removed_heads);
  const std::span<const io::NamedTensor> parameters = shapes.tensors();
  std::vector<Wanted> wanted = wanted_tensors(
      *family,
      static_cast<std::size_t>(options.head_size.value_or(options.num_hiddens / options.num_heads)),
      parameters);
  std::vector<std::string_view> canonical(wanted.size());
  std::ranges::transform(wanted, canonical.begin(),
                         [](const Wanted& each) { return std::string_view(each.canonical); });
  const io::NameIndex index(std::move(canonical));
  const std::size_t embedding = index.find(tensor_of(*family, "embedding.weight"));

  for (std::size_t number = 0; number < tensors.size(); ++number) {
    const io::NamedTensor& tensor = tensors[number];
    const auto is_among = [&](const std::vector<std::size_t>& list) {
      return std::ranges::find(list, number) != list.end();
    };
    std::size_t place = number == embedding_tensor ? embedding : index.find(names[number]);
    if (place != io::NameIndex::none && names.is_old_norm(number) &&
        !is_of_norm(parameters[wanted[place].tensor.parameters.front()].name)) {
      place = io::NameIndex::none;
    }
    if (place != io::NameIndex::none) {
      Wanted& want = wanted[place];
      if (want.found) {
        problems.add(tensor.name, "is there twice");
        continue;
      }
      want.found = true;
      PretrainedTensor found = want.tensor;
      found.name = tensor.name;
      const std::vector<std::size_t> shape = shape_of(found, parameters);
      if (check_tensor(problems, tensor, shape)) {
        found.leading_axes =
            tensor.shape.size() > shape.size() ? tensor.shape.size() - shape.size() : 0;
        plan.layout.tensors.push_back(std::move(found));
      }
    } else if (is_among(inputs) || (options.head && options.tied_embeddings && is_among(heads))) {
      PretrainedTensor copy = wanted[embedding].tensor;
      copy.name = tensor.name;
      copy.is_copy = true;
      if (check_tensor(problems, tensor, shape_of(copy, parameters))) {
        plan.layout.tensors.push_back(std::move(copy));
      }
    } else if (!any_of_words(buffer_names,
                             [&](std::string_view end) { return tensor.name.ends_with(end); }) &&
               !any_of_words(family->ignored, [&](std::string_view start) {
                 return names[number].starts_with(start);
               })) {
      problems.add_unexpected(tensor.name);
    }
  }
  for (const Wanted& each : wanted) {
    if (!each.found) {
      problems.add_missing(each.canonical);
    }
  }
  const auto add_left_out = [&](const std::string& prefix, std::int64_t asked, std::int64_t last) {
    problems.add_missing(static_cast<std::uint64_t>(asked - last) *
                         tensors_per_layer(wanted, parameters, prefix));
  };
  add_left_out(prefix_of_layer(static_cast<std::size_t>(planned.num_layers) - 1),
               options.num_layers, planned.num_layers);
  if (planned.encoder) {
    const std::int64_t last = planned.encoder->num_layers;
    add_left_out("encoder." + prefix_of_layer(static_cast<std::size_t>(last) - 1),
                 options.encoder->num_layers, last);
  }
  plan.problems = problems.text();
  if (!plan.problems.empty()) {
    plan.problems += config.assumptions();
  }
  return plan;
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
  const std::size_t block = tensor->block_rows;
  const std::size_t parts = tensor->parameters.size();
  for (std::size_t row = 0; row < shape.front(); ++row) {
    const std::size_t in_block =
        parts > 1 && block > 0 ? (row / block * parts + part) * block + row % block : first + row;
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t in_tensor =
          transposed ? column * all_rows + in_block : in_block * columns + column;
      copy(in_tensor, row * columns + column);
    }
  }
}

void PretrainedPart::read(const float* tensor_values, float* parameter) const noexcept {
  for_each_number([&](std::size_t from, std::size_t to) {
    parameter[to] = tensor->with_offset(tensor_values[from]);
  });
}

void PretrainedPart::write(const float* parameter, bool is_gradient,
                           float* tensor_values) const noexcept {
  const float offset = is_gradient ? 0 : tensor->offset;
  for_each_number(
      [&](std::size_t to, std::size_t from) { tensor_values[to] = parameter[from] - offset; });
}

}  // namespace headwise
