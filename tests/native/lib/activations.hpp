#pragma once

#include <cstdint>
#include <headwise/headwise.hpp>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "model_reference.hpp"

/// What stands inside models: captured, patched, and the same in float64.
namespace headwise::test {

/// use(name, the package's word for it, its tensors by layer or the only one) for each activation.
template <typename Use>
void for_each_captured(const ModelCaptures& captured, const Use& use) {
  using enum ActivationName;
  use(queries, "queries", captured.queries);
  use(keys, "keys", captured.keys);
  use(values, "values", captured.values);
  use(scores, "scores", captured.scores);
  use(pattern, "pattern", captured.pattern);
  use(dropped_weights, "droppedWeights", captured.dropped_weights);
  use(z, "z", captured.z);
  use(head_out, "headOut", captured.head_out);
  use(key_mass, "keyMass", captured.key_mass);
  use(row_entropy, "rowEntropy", captured.row_entropy);
  use(resid_pre, "residPre", captured.resid_pre);
  use(attn_out, "attnOut", captured.attn_out);
  use(resid_mid, "residMid", captured.resid_mid);
  use(mlp_out, "mlpOut", captured.mlp_out);
  use(resid_post, "residPost", captured.resid_post);
  use(embeddings, "embeddings", captured.embeddings);
  use(final_norm_scale, "finalNormScale", captured.final_norm_scale);
}

std::string_view package_name_of(ActivationName name);

/// The names that a pass of the model may capture.
std::vector<ActivationName> names_of(const TransformerSettings& settings);

struct Place {
  ActivationName at;
  Side side;
  std::size_t layer;

  auto operator<=>(const Place&) const = default;
};

/// The shape of an activation that is (batch, heads, rows, size) with all axes.
template <typename Tensor>
std::vector<std::size_t> shape_of(ActivationName at, const Tensor& activation) {
  using enum ActivationName;
  std::vector<std::size_t> shape(activation.shape().begin(), activation.shape().end());
  if (at == key_mass || at == row_entropy || at == final_norm_scale) {
    shape.pop_back();
  }
  if (at >= resid_pre) {
    shape.erase(shape.begin() + 1);
  }
  return shape;
}

/// Everything that a pass captured, of all layers.
std::map<Place, xt::xarray<float>> captured_in(const TransformerResult& result);

/// Patches of a pass whose activations are these, with values of them. Some replace one activation.
std::vector<Patch> random_patches(Random& random,
                                  const std::map<Place, xt::xarray<float>>& captured);

std::vector<std::int64_t> first_of(std::size_t count);

/// Visits the numbers of these heads and queries. `xt::keep` would read behind its indices.
template <typename Tensor, typename Visit>
void for_each_of(Tensor& all, const std::vector<std::int64_t>& heads,
                 const std::vector<std::int64_t>& queries, const Visit& visit) {
  const std::size_t row = queries.size() * all.shape(3);
  for (std::size_t i = 0; i < all.shape(0) * heads.size() * row; ++i) {
    visit(all(i / row / heads.size(), heads[i / row % heads.size()],
              queries[i % row / all.shape(3)], i % all.shape(3)),
          i);
  }
}

/// The rows of these heads and queries, of a tensor of any number.
template <typename Number>
xt::xtensor<Number, 4> rows_of(const xt::xtensor<Number, 4>& all,
                               const std::vector<std::int64_t>& heads,
                               const std::vector<std::int64_t>& queries) {
  auto rows = xt::xtensor<Number, 4>::from_shape(
      {all.shape(0), heads.size(), queries.size(), all.shape(3)});
  for_each_of(all, heads, queries, [&](Number number, std::size_t i) { rows.data()[i] = number; });
  return rows;
}

/// Patches in float64, and what stood where after them.
class ReferenceProbe {
 public:
  explicit ReferenceProbe(std::vector<Patch> patches = {})
      : patches_(std::move(patches)), values_(patches_.size()) {}

  /// What replaced something in the first pass does so in later ones.
  [[nodiscard]] reference::Hook hook() {
    return [this](ActivationName at, Side side, std::size_t layer,
                  reference::Doubles<4>& activation) { visit({at, side, layer}, activation); };
  }
  [[nodiscard]] const std::map<Place, reference::Doubles<4>>& seen() const { return seen_; }

 private:
  void visit(const Place& place, reference::Doubles<4>& activation);

  std::vector<Patch> patches_;
  std::vector<std::optional<reference::Doubles<4>>> values_;
  std::map<Place, reference::Doubles<4>> seen_;
};

}  // namespace headwise::test
