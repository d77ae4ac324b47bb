#include <algorithm>
#include <headwise/io/layout_table.hpp>
#include <headwise/io/state_dict_layouts.hpp>
#include <headwise/io/text_writer.hpp>
#include <string>

namespace headwise::io {
namespace {

/// Sizes of a projection's weight, 0 where the dict does not tell.
struct WeightSizes {
  std::uint64_t out = 0;
  std::uint64_t in = 0;
};

TextWriter shape_text(std::span<const std::uint64_t> shape) {
  TextWriter text;
  return (text << "(").list(shape, ", ") << (shape.size() == 1 ? ",)" : ")");
}

/// A number from 0 on, or the word that stands for it.
TextWriter value_text(std::int64_t value, std::span<const std::string_view> words) {
  TextWriter text;
  const auto number = static_cast<std::uint64_t>(value);
  return words.empty() ? text << number : text << words[number];
}

template <typename Option>
std::optional<std::int64_t> to_number(const std::optional<Option>& option) {
  return option ? std::optional(static_cast<std::int64_t>(*option)) : std::nullopt;
}

class Planner {
 public:
  Planner(std::span<const NamedShape> dict, const FromStateDictOptions& given, FoundLayout found)
      : dict_(dict),
        given_(given),
        layout_(*found.layout),
        prefix_(std::move(found.prefix)),
        settings_{},
        sizes_{} {}

  Outcome<StateDictPlan> plan() {
    read_settings();
    if (settings_.num_heads == 0 || settings_.num_hiddens % settings_.num_heads != 0) {
      // The layer itself refuses such heads.
      return StateDictPlan{.options = options(), .parameters = {}};
    }
    plan_parameters();
    if (!missing_.text().empty() || !wrong_.text().empty()) {
      TextWriter message;
      message << spell("state_dict") << ":" << missing_
              << (missing_.text().empty() || wrong_.text().empty() ? "" : ";") << wrong_;
      return Failure{.code = ErrorCode::invalid_state_dict, .message = message.text()};
    }
    check_given();
    if (failure_) {
      return std::move(*failure_);
    }
    return StateDictPlan{.options = options(), .parameters = std::move(parameters_)};
  }

 private:
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept {
    return find_tensor(dict_, prefix_, name);
  }

  [[nodiscard]] bool has_any(std::span<const std::string_view> names) const noexcept {
    return std::any_of(names.begin(), names.end(),
                       [this](std::string_view name) { return find(name).has_value(); });
  }

  [[nodiscard]] WeightSizes sizes_of(std::size_t projection) const {
    const auto found = find(layout_.weights.at(projection));
    if (!found || dict_[*found].shape.size() < 2) {
      return {};
    }
    const auto& shape = dict_[*found].shape;
    WeightSizes sizes{.out = shape[0], .in = shape[1]};
    if (layout_.transposed) {
      std::swap(sizes.out, sizes.in);
    }
    if (layout_.packed() && projection < 3) {
      sizes.out /= 3;
    }
    return sizes;
  }

  /// What the dict settles. Guesses where something is missing: that is found when the parameters
  /// are looked for.
  void read_settings() {
    const std::span<const std::string_view> weights = layout_.weights;
    const std::span<const std::string_view> biases = layout_.biases;
    const std::span<const std::string_view> additive_names =
        std::span(LayerParameters::names).last(3);
    const bool additive = layout_.is_d2l && has_any(additive_names);
    const bool projects = has_any(weights.first(3)) || has_any(biases.first(3));
    const auto query = find(weights[0]);
    const bool convolution = layout_.is_d2l && query && dict_[*query].shape.size() == 3;
    settings_.projection = !projects     ? Projection::none
                           : convolution ? Projection::convolution
                                         : Projection::linear;
    settings_.pooling = additive ? Pooling::additive : Pooling::dot_product;
    settings_.bias = has_any(biases);
    settings_.output_projection =
        !layout_.is_d2l || has_any(weights.last(1)) || has_any(biases.last(1));
    settings_.bias_kv =
        layout_.has_bias_kv && has_any(std::span(LayerParameters::names).subspan(8, 2));
    settings_.num_heads = static_cast<std::size_t>(std::max<std::int64_t>(given_.num_heads, 0));

    const WeightSizes q = sizes_of(0);
    const WeightSizes k = sizes_of(1);
    const WeightSizes v = sizes_of(2);
    const WeightSizes o = sizes_of(3);
    const auto features = find(additive_names[0]);
    const bool has_features = additive && features && dict_[*features].shape.size() == 2;
    const std::uint64_t by_features =
        has_features ? dict_[*features].shape[1] * settings_.num_heads : 0;
    const auto by_option = static_cast<std::uint64_t>(given_.num_hiddens.value_or(0));
    for (const std::uint64_t size : {q.out, o.in, by_features, by_option}) {
      if (settings_.num_hiddens == 0) {
        settings_.num_hiddens = static_cast<std::size_t>(size);
      }
    }
    settings_.output_size =
        settings_.output_projection ? static_cast<std::size_t>(o.out) : settings_.num_hiddens;
    settings_.attention_hiddens =
        has_features ? static_cast<std::size_t>(dict_[*features].shape[0]) : 0;
    if (settings_.num_heads > 0) {
      read_heads(k.out);
    }
    if (!projects) {
      sizes_ = {.query_size = settings_.num_hiddens,
                .key_size = settings_.num_hiddens,
                .value_size = settings_.num_hiddens};
      return;
    }
    const std::uint64_t groups = convolution ? settings_.num_heads : 1;
    sizes_ = {.query_size = static_cast<std::size_t>(q.in * groups),
              .key_size = static_cast<std::size_t>(k.in * groups),
              .value_size = static_cast<std::size_t>(v.in * groups)};
  }

  void read_heads(std::uint64_t key_width) {
    settings_.head_size = settings_.num_hiddens / settings_.num_heads;
    settings_.num_kv_heads = settings_.num_heads;
    const std::uint64_t head_size = std::max<std::size_t>(settings_.head_size, 1);
    const std::uint64_t kv_heads = key_width / head_size;
    const bool may_differ = settings_.projection == Projection::linear;
    if (may_differ && kv_heads > 0 && key_width % head_size == 0 &&
        settings_.num_heads % kv_heads == 0) {
      settings_.num_kv_heads = static_cast<std::size_t>(kv_heads);
    }
  }

  void plan_parameters() {
    for (const auto& [number, shape] : parameter_shapes(settings_, sizes_)) {
      ParameterPlan parameter{.name = LayerParameters::names.at(number),
                              .shape = {shape.begin(), shape.end()},
                              .source = find(source_name(number))};
      if (parameter.source) {
        place(number, parameter);
      } else if (!may_be_zero(number)) {
        missing_ << (missing_.text().empty() ? " missing " : ", ") << prefix_
                 << source_name(number);
      }
      parameters_.push_back(std::move(parameter));
    }
  }

  [[nodiscard]] std::string_view source_name(std::size_t number) const {
    return number < 8 ? (number % 2 == 0 ? layout_.weights : layout_.biases).at(number / 2)
                      : LayerParameters::names.at(number);
  }

  /// Whether it is a bias that the layout may lack while the layer has one.
  [[nodiscard]] bool may_be_zero(std::size_t number) const {
    const std::span<const std::string_view> inputs = std::span(layout_.biases).first(3);
    return layout_.bias_varies && number % 2 == 1 && (number == 7 || !has_any(inputs));
  }

  /// Finds the parameter's place in its tensor and checks the tensor's shape.
  void place(std::size_t number, ParameterPlan& parameter) {
    std::vector<std::uint64_t> expected = parameter.shape;
    if (number < 6 && source_name(number % 2) == source_name(number % 2 + 2)) {
      parameter.first_row = static_cast<std::size_t>(number / 2 * expected[0]);
      expected[0] *= 3;
    }
    if (layout_.transposed && number % 2 == 0) {
      parameter.transposed = true;
      std::swap(expected[0], expected[1]);
    }
    const NamedShape& tensor = dict_[*parameter.source];
    if (tensor.shape == expected && count_of(tensor.shape) != std::uint64_t{0}) {
      return;
    }
    wrong_ << (wrong_.text().empty() ? " " : "; ") << tensor.name << ": expected ";
    if (std::find(expected.begin(), expected.end(), 0) != expected.end()) {
      wrong_ << expected.size() << " axes of at least 1";
    } else {
      wrong_ << shape_text(expected);
    }
    wrong_ << ", got " << shape_text(tensor.shape);
  }

  /// Fails when an option is given and the dict says otherwise.
  void check(std::string_view name, const std::optional<std::int64_t>& given, std::size_t settled,
             std::span<const std::string_view> words = {}) {
    const auto found = static_cast<std::int64_t>(settled);
    if (given && *given != found && !failure_) {
      failure_ =
          failure(ErrorCode::invalid_option, spell(name),
                  value_text(found, words) << ", as in the state dict", value_text(*given, words));
    }
  }

  void check_given() {
    constexpr std::array<std::string_view, 2> flags = {"false", "true"};
    constexpr std::array<std::string_view, 2> poolings = {"'dot-product'", "'additive'"};
    constexpr std::array<std::string_view, 3> projections = {"'linear'", "'convolution'", "'none'"};
    check("projection", to_number(given_.projection),
          static_cast<std::size_t>(settings_.projection), projections);
    check("pooling", to_number(given_.pooling), static_cast<std::size_t>(settings_.pooling),
          poolings);
    check("num_hiddens", given_.num_hiddens, settings_.num_hiddens);
    check("query_size", given_.query_size, sizes_.query_size);
    check("key_size", given_.key_size, sizes_.key_size);
    check("value_size", given_.value_size, sizes_.value_size);
    check("output_size", given_.output_size, settings_.output_size);
    check("output_projection", to_number(given_.output_projection), settings_.output_projection,
          flags);
    check("num_kv_heads", given_.num_kv_heads, settings_.num_kv_heads);
    check("bias", to_number(given_.bias), settings_.bias, flags);
    check("bias_kv", to_number(given_.bias_kv), settings_.bias_kv, flags);
    if (settings_.pooling == Pooling::additive) {
      check("attention_hiddens", given_.attention_hiddens, settings_.attention_hiddens);
    }
  }

  /// The layer's options. Input sizes are left to be inferred from the parameters, so that the
  /// layer draws none at random first.
  [[nodiscard]] MultiHeadAttentionOptions options() const {
    MultiHeadAttentionOptions options{
        .num_hiddens = static_cast<std::int64_t>(settings_.num_hiddens),
        .num_heads = given_.num_heads,
        .dropout = given_.dropout,
        .bias = settings_.bias,
        .output_size = static_cast<std::int64_t>(settings_.output_size),
        .output_projection = settings_.output_projection,
        .pooling = settings_.pooling,
        .projection = settings_.projection,
        .scale = given_.scale,
        .softcap = given_.softcap,
        .bias_kv = settings_.bias_kv,
        .zero_attention = given_.zero_attention,
        .seed = given_.seed};
    if (settings_.num_kv_heads > 0) {
      options.num_kv_heads = static_cast<std::int64_t>(settings_.num_kv_heads);
    }
    // Given without additive pooling, the layer refuses it.
    options.attention_hiddens = settings_.pooling == Pooling::additive
                                    ? static_cast<std::int64_t>(settings_.attention_hiddens)
                                    : given_.attention_hiddens;
    return options;
  }

  std::span<const NamedShape> dict_;
  const FromStateDictOptions& given_;
  const Layout& layout_;
  std::string prefix_;
  LayerSettings settings_;
  InputSizes sizes_;
  std::vector<ParameterPlan> parameters_;
  TextWriter missing_;
  TextWriter wrong_;
  std::optional<Failure> failure_;
};

}  // namespace

Outcome<StateDictPlan> plan_state_dict(std::span<const NamedShape> dict,
                                       const FromStateDictOptions& options) {
  Outcome<FoundLayout> found =
      find_layout(dict, options.prefix, options.projection == Projection::none);
  if (auto* failed = std::get_if<Failure>(&found)) {
    return std::move(*failed);
  }
  return Planner(dict, options, std::move(*std::get_if<FoundLayout>(&found))).plan();
}

}  // namespace headwise::io
