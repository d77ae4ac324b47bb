#include "activations.hpp"

#include <algorithm>
#include <numeric>

namespace headwise::test {
namespace {

using reference::Doubles;

bool has_heads(ActivationName name) { return name < ActivationName::resid_pre; }

bool can_be_replaced(ActivationName name) {
  using enum ActivationName;
  return name != scores && name != dropped_weights && name != key_mass && name != row_entropy;
}

/// A tensor with all four axes.
template <typename Number, typename Given>
xt::xtensor<Number, 4> with_all_axes(const xt::xarray<Given>& given, bool heads) {
  std::array<std::size_t, 4> shape = {1, 1, 1, 1};
  for (std::size_t axis = 0; axis < given.dimension(); ++axis) {
    shape.at(axis + (axis > 0 && !heads ? 1 : 0)) = given.shape(axis);
  }
  return xt::reshape_view(given, shape);
}

Patch random_patch(Random& random, const Place& place, const xt::xarray<float>& other) {
  Patch patch{.at = place.at, .layer = static_cast<std::int64_t>(place.layer), .side = place.side};
  const auto all = with_all_axes<float>(other, has_heads(place.at));
  if (has_heads(place.at) && random.chance(0.5)) {
    patch.heads = some_below(random, all.shape(1));
  }
  if (random.chance(0.5)) {
    patch.positions = some_below(random, all.shape(2));
  }
  patch.value = random.pick({PatchKind::value, PatchKind::value, PatchKind::zero, PatchKind::mean});
  // Division by 0 would compare nothing.
  if (place.at != ActivationName::final_norm_scale &&
      patch.value != decltype(patch.value)(PatchKind::value)) {
    return patch;
  }
  xt::xarray<float> value = other;
  if (random.chance(0.5)) {
    const auto chosen = rows_of(all, patch.heads.value_or(first_of(all.shape(1))),
                                patch.positions.value_or(first_of(all.shape(2))));
    value.resize(shape_of(place.at, chosen));
    std::copy(chosen.begin(), chosen.end(), value.begin());
  }
  patch.value = value;
  return patch;
}

}  // namespace

std::string_view package_name_of(ActivationName name) {
  std::string_view result;
  for_each_captured({}, [&](ActivationName each, std::string_view word, const auto& /*tensors*/) {
    result = each == name ? word : result;
  });
  return result;
}

std::vector<ActivationName> names_of(const TransformerSettings& settings) {
  std::vector<ActivationName> names;
  for_each_captured({}, [&](ActivationName name, std::string_view, const auto& /*tensors*/) {
    const bool has_it = name == ActivationName::mlp_out
                            ? settings.decoder.ffn_hiddens + settings.encoder.ffn_hiddens > 0
                        : name == ActivationName::resid_mid
                            ? !settings.parallel_residual
                            : name != ActivationName::final_norm_scale ||
                                  (settings.final_norm && settings.norm != Norm::none);
    if (has_it) {
      names.push_back(name);
    }
  });
  return names;
}

std::map<Place, xt::xarray<float>> captured_in(const TransformerResult& result) {
  std::map<Place, xt::xarray<float>> all;
  for (const Side side : all_sides) {
    for_each_captured(captured_of(result, side),
                      [&](ActivationName name, std::string_view, const auto& tensors) {
                        if constexpr (requires { tensors.value(); }) {
                          if (tensors) {
                            all.emplace(Place{name, side, 0}, *tensors);
                          }
                        } else {
                          for (std::size_t layer = 0; layer < tensors.size(); ++layer) {
                            all.emplace(Place{name, side, layer}, tensors[layer]);
                          }
                        }
                      });
  }
  return all;
}

std::vector<Patch> random_patches(Random& random,
                                  const std::map<Place, xt::xarray<float>>& captured) {
  std::vector<Place> places;
  for (const auto& [place, tensor] : captured) {
    if (can_be_replaced(place.at)) {
      places.push_back(place);
    }
  }
  std::vector<Patch> patches;
  for (std::size_t count = 1 + random.below(4); count > 0; --count) {
    const Place place = places.at(random.below(places.size()));
    do {
      patches.push_back(random_patch(random, place, captured.at(place)));
    } while (random.chance(0.3));
  }
  return patches;
}

std::vector<std::int64_t> first_of(std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

void ReferenceProbe::visit(const Place& place, Doubles<4>& activation) {
  for (std::size_t number = 0; number < patches_.size(); ++number) {
    const Patch& patch = patches_[number];
    if (patch.at != place.at || patch.side != place.side ||
        static_cast<std::size_t>(patch.layer) != place.layer) {
      continue;
    }
    const auto heads = patch.heads.value_or(first_of(activation.shape(1)));
    const auto rows = patch.positions.value_or(first_of(activation.shape(2)));
    const Doubles<4> before = rows_of(activation, heads, rows);
    std::optional<Doubles<4>>& value = values_[number];
    if (!value) {
      const auto* given = std::get_if<xt::xarray<float>>(&patch.value);
      if (given != nullptr) {
        const auto all = with_all_axes<double>(*given, has_heads(place.at));
        value = all.size() == before.size() ? all : rows_of(all, heads, rows);
      } else {
        // Over samples and rows, so that (1, heads, 1, size) repeats.
        value = xt::mean(rows_of(activation, heads, first_of(activation.shape(2))), {0, 2},
                         xt::keep_dims);
        *value *= std::get<PatchKind>(patch.value) == PatchKind::mean ? 1 : 0;
      }
    }
    const Doubles<4> after = xt::broadcast(*value, before.shape());
    for_each_of(activation, heads, rows,
                [&](double& replaced, std::size_t i) { replaced = after.data()[i]; });
  }
  seen_[place] = activation;
}

}  // namespace headwise::test
