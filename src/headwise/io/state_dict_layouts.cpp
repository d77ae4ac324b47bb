#include <algorithm>
#include <headwise/attention/validation.hpp>
#include <headwise/io/layout_table.hpp>
#include <headwise/io/state_dict_layouts.hpp>

namespace headwise::io {
namespace {

constexpr std::size_t none = PlannedParameter::none;

// Arguments that were checked before the call are JavaScript's, and so are the names in messages.
constexpr const char* subject = validation::enabled ? "state_dict" : "stateDict";

Failure invalid(const char* expected, const Detail& expected_detail, const char* got,
                const Detail& got_detail = {}) {
  return {.code = ErrorCode::invalid_state_dict,
          .subject = subject,
          .expected = expected,
          .got = got,
          .expected_detail = expected_detail,
          .got_detail = got_detail};
}

class Planner {
 public:
  Planner(const StateDictQuestion& question, StateDictPlan& plan)
      : dict_(question.dict),
        num_heads_(question.num_heads),
        prefix_(question.prefix),
        plan_(plan) {}

  /// Finds the one layout whose names are there.
  Failure find_layout(bool may_be_empty) {
    const Layout* found = nullptr;
    std::string_view found_name;
    for (const Layout& layout : layouts) {
      layout_ = &layout;
      for (const std::string_view name : layer_names) {
        layer_name_ = name;
        if ((is_d2l() && !name.empty()) || !is_there()) {
          continue;
        }
        if (found != nullptr) {
          return invalid("the names of one layer", {}, "two with @", {0, layout.weights[0]});
        }
        found = &layout;
        found_name = name;
      }
    }
    if (found == nullptr && !may_be_empty) {
      const std::string_view example = dict_.empty() ? "" : dict_.front().name;
      return invalid(known_layouts, {0, prefix_}, "@ and so on, # names", {dict_.size(), example});
    }
    layout_ = found != nullptr ? found : layouts.data();
    layer_name_ = found_name;
    return {};
  }

  Failure plan() {
    const auto& names = LayerParameters::names;
    const bool has_inputs = has_any(layout_->weights, 3) || has_any(layout_->biases, 3);
    const bool additive = is_d2l() && has_any(std::span(names).last(3), 3);
    plan_.output_projection = !is_d2l() || has(layout_->weights[3]) || has(layout_->biases[3]);
    plan_.bias = has_any(layout_->biases, 4);
    plan_.bias_kv = layout_->has_bias_kv && has_any(std::span(names).subspan(8), 2);
    for (std::size_t number = 0; number < names.size(); ++number) {
      const bool is_bias = number < 8 && number % 2 == 1;
      const bool needed = number < 6    ? has_inputs
                          : number < 8  ? plan_.output_projection
                          : number < 10 ? plan_.bias_kv
                                        : additive;
      if (needed && (plan_.bias || !is_bias)) {
        add_parameter(number);
      }
    }
    if (!plan_.missing.text().empty()) {
      return invalid("%", {0, plan_.missing.text()}, "no such names");
    }
    settle(has_inputs, additive);
    return {};
  }

 private:
  [[nodiscard]] bool is_d2l() const noexcept { return layout_ == layouts.data(); }

  /// The index of the tensor of this name behind the prefix, if it has rows.
  [[nodiscard]] std::size_t find(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < dict_.size(); ++i) {
      const std::string_view whole = dict_[i].name;
      if (whole.size() == prefix_.size() + layer_name_.size() + name.size() &&
          whole.starts_with(prefix_) && whole.ends_with(name) &&
          whole.substr(prefix_.size()).starts_with(layer_name_) && !dict_[i].shape.empty()) {
        return i;
      }
    }
    return none;
  }

  [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != none; }

  [[nodiscard]] bool has_any(std::span<const std::string_view> names,
                             std::size_t count) const noexcept {
    return std::any_of(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count),
                       [this](std::string_view name) { return has(name); });
  }

  /// Whether names that only this layout has are there.
  [[nodiscard]] bool is_there() const noexcept {
    return has_any(layout_->weights, is_d2l() ? 4 : 3) ||
           (is_d2l() && has_any(std::span(LayerParameters::names).last(3), 3));
  }

  void add_parameter(std::size_t number) {
    const ProjectionNames& names = number % 2 == 0 ? layout_->weights : layout_->biases;
    const std::string_view name = number < 8 ? names[number / 2] : LayerParameters::names[number];
    PlannedParameter& parameter = plan_.parameters[number];
    parameter.source = find(name);
    if (parameter.source != none) {
      const auto shape = dict_[parameter.source].shape;
      parameter.transposed = layout_->transposed && shape.size() == 2;
      parameter.rows = static_cast<std::size_t>(shape[parameter.transposed ? 1 : 0]);
      if (number < 6 && names[0] == names[1]) {
        const std::size_t part = number / 2;
        const std::size_t third = parameter.rows / 3;
        parameter.first_row = part * third;
        // What does not divide by three comes out as a shape that does not fit.
        parameter.rows = part < 2 ? third : parameter.rows - 2 * third;
      }
    } else if (may_be_zeros(number)) {
      parameter.source = PlannedParameter::zeros;
      parameter.rows = plan_.parameters[number - 1].rows;
    } else {
      plan_.missing << (plan_.missing.text().empty() ? "" : ", ") << prefix_ << layer_name_ << name;
    }
  }

  /// Whether it is a bias that the layout may lack while the layer has one. It follows its weight.
  [[nodiscard]] bool may_be_zeros(std::size_t number) const noexcept {
    return layout_->bias_varies && number % 2 == 1 && (number == 7 || !has_any(layout_->biases, 3));
  }

  void settle(bool has_inputs, bool additive) {
    if (has_inputs) {
      const auto& query_shape = dict_[plan_.parameters[0].source].shape;
      const bool convolution = is_d2l() && query_shape.size() == 3;
      plan_.projection = convolution ? Projection::convolution : Projection::linear;
      plan_.num_hiddens = plan_.parameters[0].rows;
    }
    if (additive) {
      const auto& features = dict_[plan_.parameters[10].source].shape;
      plan_.pooling = Pooling::additive;
      plan_.attention_hiddens = plan_.parameters[10].rows;
      if (!has_inputs) {
        plan_.num_hiddens = num_heads_ * static_cast<std::size_t>(features.back());
      }
    }
    plan_.output_size = plan_.parameters[6].rows;
    const std::size_t head_size = num_heads_ > 0 ? plan_.num_hiddens / num_heads_ : 0;
    if (plan_.projection == Projection::linear && head_size > 0) {
      plan_.num_kv_heads = plan_.parameters[2].rows / head_size;
    }
  }

  std::span<const NamedShape> dict_;
  std::size_t num_heads_;
  const Layout* layout_ = nullptr;
  std::string_view prefix_;
  std::string_view layer_name_;
  StateDictPlan& plan_;
};

}  // namespace

Failure plan_state_dict(const StateDictQuestion& question, StateDictPlan& plan) {
  Planner planner(question, plan);
  if (const Failure failure = planner.find_layout(question.may_be_empty)) {
    return failure;
  }
  return planner.plan();
}

}  // namespace headwise::io
