#include <algorithm>
#include <headwise/io/layout_table.hpp>
#include <headwise/io/state_dict_layouts.hpp>
#include <headwise/io/text_reader.hpp>
#include <string>

namespace headwise::io {
namespace {

/// Sizes of a projection's weight, 0 where the dict does not tell.
struct WeightSizes {
  std::uint64_t out = 0;
  std::uint64_t in = 0;
};

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += (axis > 0 ? ", " : "") + std::to_string(shape[axis]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
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
    if (!missing_.empty() || !wrong_.empty()) {
      const std::string_view between = missing_.empty() || wrong_.empty() ? "" : "; ";
      return Failure{.code = ErrorCode::invalid_state_dict,
                     .message = spell("state_dict") + ": " +
                                (missing_.empty() ? "" : "missing ") + missing_ +
                                std::string(between) + wrong_};
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
    settings_.output_projection = !layout_.is_d2l || has_any(weights.last(1)) ||
                                  has_any(biases.last(1));
    settings_.bias_kv = layout_.has_bias_kv && has_any(std::span(LayerParameters::names).subspan(8, 2));
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
    if (may_differ && kv_heads > 0 && key_width % head_size == 0 && settings_.num_heads % kv_heads == 0) {
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
        append(missing_, ", ", prefix_ + std::string(source_name(number)));
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
    const bool empty = count_of(tensor.shape) == std::uint64_t{0};
    if (tensor.shape != expected || empty) {
      const bool unknown = std::find(expected.begin(), expected.end(), 0) != expected.end();
      const std::string text = unknown ? std::to_string(expected.size()) + " axes of at least 1"
                                       : shape_text(expected);
      append(wrong_, "; ",
             std::string(tensor.name) + ": expected " + text + ", got " + shape_text(tensor.shape));
    }
  }

  static void append(std::string& list, std::string_view separator, const std::string& item) {
    list += (list.empty() ? "" : std::string(separator)) + item;
  }

  /// Fails when an option is given and the dict says otherwise.
  template <typename Given, typename Settled>
  void check(std::string_view name, const std::optional<Given>& given, const Settled& settled,
             std::string (*text)(const Given&)) {
    const auto found = static_cast<Given>(settled);
    if (given && *given != found && !failure_) {
      failure_ = failure(ErrorCode::invalid_option, spell(name),
                         text(found) + ", as in the state dict", text(*given));
    }
  }

  void check_given() {
    const auto size = [](const std::int64_t& number) { return std::to_string(number); };
    const auto flag = [](const bool& value) { return std::string(value ? "true" : "false"); };
    const auto pooling = [](const Pooling& value) {
      return std::string(value == Pooling::additive ? "'additive'" : "'dot-product'");
    };
    const auto projection = [](const Projection& value) {
      return std::string(value == Projection::none     ? "'none'"
                         : value == Projection::linear ? "'linear'"
                                                       : "'convolution'");
    };
    check<Projection>("projection", given_.projection, settings_.projection, projection);
    check<Pooling>("pooling", given_.pooling, settings_.pooling, pooling);
    check<std::int64_t>("num_hiddens", given_.num_hiddens, settings_.num_hiddens, size);
    check<std::int64_t>("output_size", given_.output_size, settings_.output_size, size);
    check<bool>("output_projection", given_.output_projection, settings_.output_projection, flag);
    check<std::int64_t>("num_kv_heads", given_.num_kv_heads, settings_.num_kv_heads, size);
    check<bool>("bias", given_.bias, settings_.bias, flag);
    check<bool>("bias_kv", given_.bias_kv, settings_.bias_kv, flag);
    if (settings_.pooling == Pooling::additive) {
      check<std::int64_t>("attention_hiddens", given_.attention_hiddens,
                          settings_.attention_hiddens, size);
    }
    check<std::int64_t>("query_size", given_.query_size, sizes_.query_size, size);
    check<std::int64_t>("key_size", given_.key_size, sizes_.key_size, size);
    check<std::int64_t>("value_size", given_.value_size, sizes_.value_size, size);
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
  std::string missing_;
  std::string wrong_;
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
