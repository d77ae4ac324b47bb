#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/io/message.hpp>
#include <headwise/core/layouts/state_dict_layouts.hpp>
#include <headwise/core/layouts/state_dict_problems.hpp>
#include <numeric>
#include <utility>

namespace headwise::io {
namespace {

/// The role of a tensor in the layer. The first are the layer's parameters, by their numbers.
enum Role : std::uint8_t {
  W_q,
  W_q_bias,
  W_k,
  W_k_bias,
  W_v,
  W_v_bias,
  W_o,
  W_o_bias,
  bias_k,
  bias_v,
  attention_W_q,
  attention_W_k,
  attention_w_v,
  packed,       ///< W_q, W_k and W_v, stacked along the rows
  packed_bias,  ///< their biases
  ignored,      ///< parameters of a module outside its attention
  num_roles
};

static_assert(packed == parameter_number::q_norm, "norms of heads are in no layout");

struct NamedRole {
  std::string_view name;
  Role role;
};

struct Layout {
  std::span<const NamedRole> tensors;
  /// Weights are (in, out), as in GPT-2, unless their shapes say otherwise.
  bool transposed = false;
  /// Each linear layer may have a bias or none.
  bool separate_biases = false;
};

constexpr std::array<NamedRole, packed> d2l = [] {
  std::array<NamedRole, packed> roles{};
  for (std::size_t i = 0; i < roles.size(); ++i) {
    roles[i] = {.name = parameter_names[i], .role = static_cast<Role>(i)};
  }
  return roles;
}();

constexpr std::array<NamedRole, 6> torch_packed = {{{"in_proj_weight", packed},
                                                    {"in_proj_bias", packed_bias},
                                                    {"out_proj.weight", W_o},
                                                    {"out_proj.bias", W_o_bias},
                                                    {"bias_k", bias_k},
                                                    {"bias_v", bias_v}}};

constexpr std::array<NamedRole, 8> torch_separate = {{{"q_proj_weight", W_q},
                                                      {"k_proj_weight", W_k},
                                                      {"v_proj_weight", W_v},
                                                      {"in_proj_bias", packed_bias},
                                                      {"out_proj.weight", W_o},
                                                      {"out_proj.bias", W_o_bias},
                                                      {"bias_k", bias_k},
                                                      {"bias_v", bias_v}}};

constexpr std::array<NamedRole, 12> bert = {{{"self.query.weight", W_q},
                                             {"self.query.bias", W_q_bias},
                                             {"self.key.weight", W_k},
                                             {"self.key.bias", W_k_bias},
                                             {"self.value.weight", W_v},
                                             {"self.value.bias", W_v_bias},
                                             {"output.dense.weight", W_o},
                                             {"output.dense.bias", W_o_bias},
                                             {"output.LayerNorm.weight", ignored},
                                             {"output.LayerNorm.bias", ignored},
                                             {"output.LayerNorm.gamma", ignored},
                                             {"output.LayerNorm.beta", ignored}}};

constexpr std::array<NamedRole, 8> vit_old = {{{"attention.query.weight", W_q},
                                               {"attention.query.bias", W_q_bias},
                                               {"attention.key.weight", W_k},
                                               {"attention.key.bias", W_k_bias},
                                               {"attention.value.weight", W_v},
                                               {"attention.value.bias", W_v_bias},
                                               {"output.dense.weight", W_o},
                                               {"output.dense.bias", W_o_bias}}};

/// The newer models of Transformers; some use out_proj in place of o_proj.
constexpr std::array<NamedRole, 10> vit_new = {{{"q_proj.weight", W_q},
                                                {"q_proj.bias", W_q_bias},
                                                {"k_proj.weight", W_k},
                                                {"k_proj.bias", W_k_bias},
                                                {"v_proj.weight", W_v},
                                                {"v_proj.bias", W_v_bias},
                                                {"o_proj.weight", W_o},
                                                {"o_proj.bias", W_o_bias},
                                                {"out_proj.weight", W_o},
                                                {"out_proj.bias", W_o_bias}}};

constexpr std::array<NamedRole, 4> timm = {{{"qkv.weight", packed},
                                            {"qkv.bias", packed_bias},
                                            {"proj.weight", W_o},
                                            {"proj.bias", W_o_bias}}};

constexpr std::array<NamedRole, 4> gpt2 = {{{"c_attn.weight", packed},
                                            {"c_attn.bias", packed_bias},
                                            {"c_proj.weight", W_o},
                                            {"c_proj.bias", W_o_bias}}};

constexpr std::array<Layout, 8> layouts = {{{.tensors = d2l},
                                            {.tensors = torch_packed},
                                            {.tensors = torch_separate},
                                            {.tensors = bert, .separate_biases = true},
                                            {.tensors = vit_old, .separate_biases = true},
                                            {.tensors = vit_new, .separate_biases = true},
                                            {.tensors = timm, .separate_biases = true},
                                            {.tensors = gpt2, .transposed = true}}};

/// Buffers of modules, by the last part of their names: position ids, constants of causal masks,
/// tables of rotary positions.
constexpr std::array<std::string_view, 5> buffers = {"position_ids", "masked_bias", "inv_freq",
                                                     "cos_cached", "sin_cached"};

bool is_buffer(const NamedTensor& tensor) noexcept {
  const std::string_view last = tensor.name.substr(tensor.name.rfind('.') + 1);
  const auto shape = tensor.shape;
  // GPT-2's causal mask is named `bias`.
  const bool is_mask = shape.size() == 4 && shape[0] == 1 && shape[1] == 1 && shape[2] == shape[3];
  return std::find(buffers.begin(), buffers.end(), last) != buffers.end() ||
         (last == "bias" && is_mask);
}

using Axes = ParameterAxes;

/// The role of a name in a layout; `num_roles` if it has none.
Role role_in(const Layout& layout, std::string_view name) noexcept {
  for (const NamedRole& named : layout.tensors) {
    if (named.name == name) {
      return named.role;
    }
  }
  return num_roles;
}

/// Matches one layout with the tensors of a state dict.
class Planner {
 public:
  Planner(const Layout& layout, std::span<const NamedTensor> tensors, std::string_view prefix)
      : layout_(layout), tensors_(tensors), prefix_(prefix) {
    sources_.fill(no_source);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name.starts_with(prefix) && !is_buffer(tensors[i])) {
        assign(i, role_in(layout, tensors[i].name.substr(prefix.size())));
      }
    }
    transposed_ = is_transposed();
  }

  /// Returns the problems found; empty if there are none.
  std::string plan(std::size_t num_heads, LayerPlan& plan) {
    find_missing();
    if (has_projections() && read_sizes(num_heads, plan)) {
      if (plan.num_hiddens % num_heads == 0) {
        plan_all(num_heads, plan);
      } else {
        check_shape(packed, {{3 * plan.num_hiddens, plan.query_size}, 2});
      }
    }
    return problems_.text();
  }

 private:
  void assign(std::size_t tensor, Role role) {
    if (role == num_roles || (role != ignored && has(role))) {
      problems_.add_unexpected(tensors_[tensor].name);
      return;
    }
    sources_[role] = tensor;
    if (role != ignored) {
      problems_.check_floats(tensors_[tensor]);
    }
  }

  /// Whether weights are (in, out). minGPT and nanoGPT have GPT-2's names, but linear layers of
  /// PyTorch, (out, in): there the rows of c_attn are three times what c_proj takes.
  [[nodiscard]] bool is_transposed() const noexcept {
    if (!layout_.transposed || !has(packed) || tensor(packed).shape.size() != 2) {
      return layout_.transposed;
    }
    const auto attn = tensor(packed).shape;
    if (has(W_o) && tensor(W_o).shape.size() == 2) {
      const auto proj = tensor(W_o).shape;
      const bool fits_in_out = attn[1] == 3 * proj[0];
      const bool fits_out_in = attn[0] == 3 * proj[1];
      if (fits_in_out != fits_out_in) {
        return fits_in_out;
      }
    }
    return attn[0] != 3 * attn[1];
  }

  [[nodiscard]] bool has(std::size_t role) const noexcept { return sources_[role] != no_source; }
  [[nodiscard]] bool has_projections() const noexcept {
    return has(packed) || (has(W_q) && has(W_k) && has(W_v));
  }
  [[nodiscard]] bool is_d2l() const noexcept { return layout_.tensors.data() == d2l.data(); }
  [[nodiscard]] const NamedTensor& tensor(std::size_t role) const noexcept {
    return tensors_[sources_[role]];
  }

  void need(Role role) {
    for (const NamedRole& named : layout_.tensors) {
      if (named.role == role && !has(role)) {
        problems_.add_missing(prefix_, named.name);
        return;
      }
    }
  }

  /// Requires all of these roles that the layout has, if one of them is there.
  void need_together(std::initializer_list<Role> roles) {
    for (const Role role : roles) {
      if (has(role)) {
        std::for_each(roles.begin(), roles.end(), [&](Role each) { need(each); });
        return;
      }
    }
  }

  void find_missing() {
    for (const Role role : {W_q, W_k, W_v, packed}) {
      need(role);
    }
    if (!is_d2l() || has(W_o_bias)) {
      need(W_o);
    }
    // In d2l's layout, W_o has a bias or none, whatever the others have together.
    const bool is_output_bias_free =
        is_d2l() && has(W_q_bias) == has(W_k_bias) && has(W_q_bias) == has(W_v_bias);
    if (!layout_.separate_biases && !is_output_bias_free && has(W_o)) {
      need_together({W_q_bias, W_k_bias, W_v_bias, packed_bias, W_o_bias});
    } else if (!layout_.separate_biases || !has(W_q_bias) || !has(W_v_bias)) {
      // Some models omit only the keys' bias, which softmax cancels.
      need_together({W_q_bias, W_k_bias, W_v_bias});
    }
    need_together({bias_k, bias_v});
    need_together({attention_W_q, attention_W_k, attention_w_v});
  }

  /// Reads (out, in, …) of a weight. Returns false, and adds a problem, if the tensor has another
  /// number of axes.
  bool read_weight(Role role, std::size_t count, Axes& axes) {
    const auto shape = tensor(role).shape;
    if (shape.size() != count || std::find(shape.begin(), shape.end(), 0) != shape.end()) {
      append_shape(
          problems_.add_wrong(tensor(role).name, {"expected ", count, " axes of at least 1, got "}),
          shape);
      return false;
    }
    axes.count = count;
    std::copy(shape.begin(), shape.end(), axes.sizes.begin());
    if (transposed_) {
      std::swap(axes.sizes[0], axes.sizes[1]);
    }
    return true;
  }

  bool read_sizes(std::size_t num_heads, LayerPlan& plan) {
    Axes query;
    Axes key;
    Axes value;
    if (has(packed)) {
      if (!read_weight(packed, 2, query)) {
        return false;
      }
      query.sizes[0] = std::max<std::size_t>(query.sizes[0] / 3, 1);
      key = value = query;
    } else {
      plan.convolution = is_d2l() && tensor(W_q).shape.size() == 3;
      const std::size_t count = plan.convolution ? 3 : 2;
      if (!read_weight(W_q, count, query) || !read_weight(W_k, count, key) ||
          !read_weight(W_v, count, value)) {
        return false;
      }
    }
    const std::size_t groups = plan.convolution ? num_heads : 1;
    plan.num_hiddens = query.sizes[0];
    plan.query_size = query.sizes[1] * groups;
    plan.key_size = key.sizes[1] * groups;
    plan.value_size = value.sizes[1] * groups;
    plan.num_kv_heads = kv_heads(plan, key.sizes[0], num_heads);
    Axes output;
    plan.output_projection = has(W_o) && read_weight(W_o, 2, output);
    plan.output_size = plan.output_projection ? output.sizes[0] : plan.num_hiddens;
    Axes features;
    plan.attention_hiddens =
        has(attention_W_q) && read_weight(attention_W_q, 2, features) ? features.sizes[0] : 0;
    plan.bias = has(W_q_bias) || has(packed_bias) || (!is_d2l() && has(W_o_bias));
    plan.output_bias = is_d2l() ? has(W_o_bias) : plan.bias;
    plan.bias_kv = has(bias_k);
    return true;
  }

  /// Number of key-value heads in `rows` rows of W_k; `num_heads` if the rows do not divide into
  /// heads.
  static std::size_t kv_heads(const LayerPlan& plan, std::size_t rows,
                              std::size_t num_heads) noexcept {
    const std::size_t head_size = plan.num_hiddens / num_heads;
    if (plan.convolution || head_size == 0 || rows < head_size) {
      return num_heads;
    }
    const std::size_t heads = rows / head_size;
    return rows % head_size == 0 && num_heads % heads == 0 ? heads : num_heads;
  }

  void plan_all(std::size_t num_heads, LayerPlan& plan) {
    const std::size_t head_size = plan.num_hiddens / num_heads;
    const std::size_t kv_width = plan.num_kv_heads * head_size;
    plan_linear(W_q, {{plan.num_hiddens, plan.query_size}, 2}, num_heads, 0, plan);
    plan_linear(W_k, {{kv_width, plan.key_size}, 2}, num_heads, plan.num_hiddens, plan);
    plan_linear(W_v, {{kv_width, plan.value_size}, 2}, num_heads, plan.num_hiddens + kv_width,
                plan);
    if (plan.output_projection) {
      plan_linear(W_o, {{plan.output_size, plan.num_hiddens}, 2}, num_heads, 0, plan);
    }
    const std::size_t packed_rows = plan.num_hiddens + 2 * kv_width;
    check_shape(packed, {{packed_rows, plan.query_size}, 2});
    check_shape(packed_bias, {{packed_rows}, 1});
    if (plan.bias_kv) {
      plan_parameter(bias_k, {{1, 1, kv_width}, 3}, 0, plan);
      plan_parameter(bias_v, {{1, 1, kv_width}, 3}, 0, plan);
    }
    if (plan.attention_hiddens > 0) {
      plan_parameter(attention_W_q, {{plan.attention_hiddens, head_size}, 2}, 0, plan);
      plan_parameter(attention_W_k, {{plan.attention_hiddens, head_size}, 2}, 0, plan);
      plan_parameter(attention_w_v, {{1, plan.attention_hiddens}, 2}, 0, plan);
    }
  }

  /// A weight and its bias.
  void plan_linear(std::size_t weight, Axes axes, std::size_t num_heads, std::size_t packed_row,
                   LayerPlan& plan) {
    const Axes bias{{axes.sizes[0]}, 1};
    if (plan.convolution && weight != W_o) {
      axes = {{axes.sizes[0], axes.sizes[1] / num_heads, 1}, 3};
    }
    plan_parameter(weight, axes, packed_row, plan);
    if (weight == W_o ? plan.output_bias : plan.bias) {
      plan_parameter(weight + 1, bias, packed_row, plan);
    }
  }

  /// Plans the parameter from a tensor of its own, else from the packed one, else as zeros.
  void plan_parameter(std::size_t role, const Axes& axes, std::size_t packed_row, LayerPlan& plan) {
    PlannedParameter planned{.parameter = role,
                             .source = sources_[role],
                             .first_row = 0,
                             .transposed = transposed_ && axes.count == 2,
                             .axes = axes};
    check_shape(role, axes);
    if (role < W_o && !has(role)) {
      planned.source = sources_[axes.count == 1 ? packed_bias : packed];
      planned.first_row = packed_row;
    }
    plan.parameters.push_back(planned);
  }

  void check_shape(std::size_t role, Axes expected) {
    if (!has(role)) {
      return;
    }
    if (transposed_ && expected.count == 2) {
      std::swap(expected.sizes[0], expected.sizes[1]);
    }
    const auto shape = expected.shape();
    const auto got = tensor(role).shape;
    if (!std::equal(shape.begin(), shape.end(), got.begin(), got.end())) {
      std::string& wrong = problems_.add_wrong(tensor(role).name, {"expected "});
      append_shape(wrong, shape);
      append_shape(wrong += ", got ", got);
    }
  }

  const Layout& layout_;
  std::span<const NamedTensor> tensors_;
  std::string_view prefix_;
  bool transposed_ = false;
  /// Index of each role's tensor.
  std::array<std::size_t, num_roles> sources_ = {};
  StateDictProblems problems_;
};

/// How well a layout fits: the number of its tensors that are there, and above all which
/// projections. Exceeds the number of tensors if any projection is there.
std::size_t fit_of(const Layout& layout, std::span<const NamedTensor> tensors,
                   std::string_view prefix) noexcept {
  std::size_t fit = 0;
  unsigned projections = 0;
  for (const NamedTensor& tensor : tensors) {
    if (!tensor.name.starts_with(prefix)) {
      continue;
    }
    const Role role = role_in(layout, tensor.name.substr(prefix.size()));
    fit += role < ignored ? 1 : 0;
    projections |= role == W_q   ? 1U
                   : role == W_k ? 2U
                   : role == W_v ? 4U
                                 : (role == packed ? 7U : 0U);
  }
  const std::size_t rank = projections == 7 ? 2 : projections != 0 ? 1 : 0;
  return fit + rank * (tensors.size() + 1);
}

bool has_name(std::span<const NamedTensor> tensors, std::string_view prefix,
              std::string_view name) noexcept {
  return std::any_of(tensors.begin(), tensors.end(), [&](const NamedTensor& tensor) {
    return tensor.name.size() == prefix.size() + name.size() && tensor.name.starts_with(prefix) &&
           tensor.name.ends_with(name);
  });
}

/// Whether a name is that of a layer's first projection in this layout, and the other projections
/// are there, too. Sets `prefix` to what precedes it.
bool begins_layer(const Layout& layout, std::span<const NamedTensor> tensors, std::string_view name,
                  std::string_view& prefix) noexcept {
  for (const NamedRole& named : layout.tensors) {
    if ((named.role == W_q || named.role == packed) && name.ends_with(named.name)) {
      prefix = name.substr(0, name.size() - named.name.size());
      return (prefix.empty() || prefix.ends_with('.')) &&
             std::all_of(layout.tensors.begin(), layout.tensors.end(), [&](const NamedRole& each) {
               return (each.role != W_k && each.role != W_v) ||
                      has_name(tensors, prefix, each.name);
             });
    }
  }
  return false;
}

/// A list of the prefixes under which all projections of a layer are found.
std::string prefixes_of_layers(std::span<const NamedTensor> tensors) {
  std::string list;
  std::size_t left = 100;
  for (const NamedTensor& tensor : tensors) {
    for (const Layout& layout : layouts) {
      std::string_view prefix;
      if (!begins_layer(layout, tensors, tensor.name, prefix)) {
        continue;
      }
      std::string quoted = "'";
      append_parts(quoted, {prefix.substr(0, prefix.rfind('.')), "'"});
      if (list.find(quoted) != std::string::npos) {
        continue;
      }
      if (left-- == 0) {
        append_parts(list, {", …"});
        return list;
      }
      append_parts(list, {list.empty() ? "" : ", ", std::string_view(quoted)});
    }
  }
  return list;
}

std::string unrecognized(std::span<const NamedTensor> tensors, std::string_view prefix,
                         std::string_view others) {
  std::string text =
      "expected names of d2l, nn.MultiheadAttention, BERT, ViT, Llama, timm or GPT-2";
  append_parts(text, {prefix.empty() ? "" : " behind ", prefix, ", got "});
  constexpr std::size_t max_names = 3;
  std::size_t count = 0;
  for (const NamedTensor& tensor : tensors) {
    if (tensor.name.starts_with(prefix) && ++count <= max_names) {
      append_parts(text, {count > 1 ? ", " : "", tensor.name});
    }
  }
  append_parts(text, {count == 0 ? "none" : count > max_names ? ", …" : ""});
  append_parts(text, {others.empty() ? "" : "; try prefix ", others});
  return text;
}

}  // namespace

std::size_t count_of(std::span<const std::size_t> shape) noexcept {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::string with_dot(std::string_view prefix) {
  return std::string(prefix).append(prefix.empty() || prefix.ends_with('.') ? "" : ".");
}

std::string plan_layer(std::span<const NamedTensor> tensors, std::string_view prefix,
                       std::size_t num_heads, LayerPlan& plan) {
  plan = {};
  const Layout* best = nullptr;
  std::size_t best_fit = 0;
  for (const Layout& layout : layouts) {
    if (const std::size_t fit = fit_of(layout, tensors, prefix); fit > best_fit) {
      best = &layout;
      best_fit = fit;
    }
  }
  if (best_fit <= tensors.size()) {
    // A module around a layer, or beside it, may have some of a layer's names.
    const std::string others = prefixes_of_layers(tensors);
    if (best == nullptr || !others.empty()) {
      return unrecognized(tensors, prefix, others);
    }
  }
  return Planner(*best, tensors, prefix).plan(num_heads, plan);
}

void copy_planned(const PlannedParameter& planned, const float* source,
                  std::span<const std::size_t> source_shape, float* to) noexcept {
  const std::size_t size = count_of(planned.axes.shape());
  const std::size_t rows = planned.axes.sizes[0];
  const std::size_t columns = size / rows;
  if (!planned.transposed) {
    std::copy_n(source + planned.first_row * columns, size, to);
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      to[row * columns + column] = source[column * source_shape[1] + planned.first_row + row];
    }
  }
}

}  // namespace headwise::io
