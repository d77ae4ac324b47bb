#include "pruning.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>

namespace example {
namespace {

using namespace headwise;

/// Groups by ascending numbers, one for each group of `all_groups`.
Order order_by(const Transformer& model, std::string name, const std::vector<double>& numbers) {
  const std::vector<HeadGroup> groups = all_groups(model);
  std::vector<std::size_t> places(groups.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::sort(places, {},
                    [&](std::size_t place) { return std::pair(numbers[place], place); });
  std::vector<std::size_t> left(model.num_layers());
  for (const HeadGroup& group : groups) {
    ++left[group.layer];
  }
  Order order{.name = std::move(name), .going = {}, .staying = {}};
  for (const std::size_t place : places) {
    const HeadGroup& group = groups[place];
    const bool is_last = left[group.layer] == 1;
    left[group.layer] -= is_last ? 0 : 1;
    (is_last ? order.staying : order.going).push_back(group);
  }
  return order;
}

template <typename Function>
double seconds_of(const Function& function) {
  const auto began = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

/// Tokens a second of one forward over all batches.
double prefill_speed(Transformer& model, const Batches& batches) {
  double tokens = 0;
  const double seconds = seconds_of([&] {
    for (const auto& batch : batches) {
      tokens += static_cast<double>(batch.tokens.size());
      static_cast<void>(model.forward(batch.tokens));
    }
  });
  return tokens / seconds;
}

double generation_speed(Transformer& model, const Tokens& tokens) {
  constexpr std::size_t most_before = 8;
  constexpr std::int64_t most_new = 128;
  const std::size_t before = std::min(most_before, tokens.shape(1));
  const std::vector<std::int64_t> prompt(tokens.data(), tokens.data() + before);
  const auto room = static_cast<std::int64_t>(model.settings().max_length - before + 1);
  const std::int64_t count = std::min(most_new, room);
  const double seconds =
      seconds_of([&] { static_cast<void>(model.generate(prompt, {.max_new_tokens = count})); });
  return static_cast<double>(count) / seconds;
}

std::size_t groups_a_step(std::size_t groups, std::size_t steps) {
  return std::max<std::size_t>((groups + steps - 1) / steps, 1);
}

/// What is left without these groups, of which the first `before` had gone at the point before.
CurvePoint point_of(const Transformer& model, std::span<const HeadGroup> gone, std::size_t before,
                    const Batches& testing) {
  Transformer left = pruned(model, gone);
  const auto since = gone.subspan(before);
  return {.gone = count_heads(gone),
          .since = {since.begin(), since.end()},
          .loss = loss_of(left, testing)};
}

}  // namespace

std::vector<HeadGroup> all_groups(const Transformer& model) {
  std::vector<HeadGroup> groups;
  for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
    const LayerSettings& settings = model.attention(layer).settings();
    const std::size_t count = settings.num_heads / settings.num_kv_heads;
    for (std::size_t first = 0; first < settings.num_heads; first += count) {
      groups.push_back({.layer = layer, .first = first, .count = count});
    }
  }
  return groups;
}

std::size_t count_heads(std::span<const HeadGroup> groups) {
  return std::transform_reduce(groups.begin(), groups.end(), std::size_t{0}, std::plus<>(),
                               [](const HeadGroup& group) { return group.count; });
}

const std::vector<Measure>& all_measures() {
  static const std::vector<Measure> measures = {
      {.name = "gradient", .measure = HeadMeasure::gradient},
      {.name = "ablation", .measure = HeadMeasure::ablation},
      {.name = "confidence", .measure = HeadMeasure::confidence},
      {.name = "entropy", .measure = HeadMeasure::entropy, .sign = -1}};
  return measures;
}

Importance measure_heads(const Transformer& model, const Measure& measure, const Batches& batches) {
  return *measure_head_importance(model, batches, {.measure = measure.measure});
}

Order order_of(const Transformer& model, const Measure& measure, const Importance& importance) {
  std::vector<double> means;
  for (const HeadGroup& group : all_groups(model)) {
    const float* const first = importance[group.layer].data() + group.first;
    means.push_back(static_cast<double>(measure.sign) *
                    std::accumulate(first, first + group.count, 0.0) /
                    static_cast<double>(group.count));
  }
  return order_by(model, measure.name, means);
}

Order random_order(const Transformer& model, std::uint64_t seed, std::size_t number) {
  const auto drawn = randn<1>({all_groups(model).size()}, seed + number);
  return order_by(model, "random-" + std::to_string(number + 1), {drawn.begin(), drawn.end()});
}

Transformer pruned(const Transformer& model, std::span<const HeadGroup> gone) {
  std::map<std::int64_t, std::vector<std::int64_t>> heads;
  for (const HeadGroup& group : gone) {
    for (std::size_t i = 0; i < group.count; ++i) {
      heads[static_cast<std::int64_t>(group.layer)].push_back(
          static_cast<std::int64_t>(group.first + i));
    }
  }
  Transformer copy = model.copy();
  copy.prune_heads(heads);
  return copy;
}

PruningCurve prune(const Transformer& model, Order order, const Batches& testing,
                   std::size_t steps) {
  PruningCurve curve{.order = std::move(order), .points = {}};
  const std::span<const HeadGroup> going = curve.order.going;
  const std::size_t step = groups_a_step(going.size(), steps);
  std::size_t before = 0;
  for (std::size_t groups = 0;; before = groups, groups = std::min(groups + step, going.size())) {
    curve.points.push_back(point_of(model, going.first(groups), before, testing));
    if (groups == going.size()) {
      return curve;
    }
  }
}

PruningCurve prune_anew(const Transformer& model, const Measure& measure, const Text& text,
                        std::size_t steps) {
  PruningCurve curve{.order = {.name = measure.name + "-anew", .going = {}, .staying = {}},
                     .points = {}};
  std::vector<HeadGroup>& going = curve.order.going;
  std::vector<HeadGroup>& staying = curve.order.staying;
  staying = all_groups(model);
  const std::size_t total = staying.size() - model.num_layers();
  const std::size_t step = groups_a_step(total, steps);
  for (std::size_t before = 0;;) {
    curve.points.push_back(point_of(model, going, before, text.testing));
    before = going.size();
    if (before == total) {
      return curve;
    }
    const Transformer left = pruned(model, going);
    const std::vector<HeadGroup> groups = all_groups(left);
    const Order order = order_of(left, measure, measure_heads(left, measure, text.measuring));
    // The groups that are left have numbers of their own, but the same places.
    std::vector<std::size_t> places;
    for (const HeadGroup& group : std::span(order.going).first(std::min(step, total - before))) {
      const auto place = std::ranges::find_if(groups, [&](const HeadGroup& each) {
        return each.layer == group.layer && each.first == group.first;
      });
      places.push_back(static_cast<std::size_t>(place - groups.begin()));
      going.push_back(staying[places.back()]);
    }
    std::ranges::sort(places, std::ranges::greater());
    for (const std::size_t place : places) {
      staying.erase(staying.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
}

std::size_t heads_within(const PruningCurve& curve, double share) {
  const double most = (1 + share) * curve.points.front().loss;
  const auto beyond = std::ranges::find_if(
      curve.points, [&](const CurvePoint& point) { return !(point.loss < most); });
  return beyond == curve.points.begin() ? 0 : std::prev(beyond)->gone;
}

std::vector<Speed> measure_speed(const Transformer& model, const Order& order,
                                 const Batches& testing) {
  constexpr std::size_t rounds = 5;
  const std::span<const HeadGroup> going = order.going;
  std::vector<Transformer> models;
  std::vector<Speed> speeds;
  const std::size_t all_heads = count_heads(all_groups(model));
  for (const std::size_t groups : {std::size_t{0}, (going.size() + 1) / 2, going.size()}) {
    models.push_back(pruned(model, going.first(groups)));
    speeds.push_back(
        {.heads = all_heads - count_heads(going.first(groups)), .prefill = 0, .generation = 0});
  }
  std::vector<std::vector<double>> prefill(models.size());
  std::vector<std::vector<double>> generation(models.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < models.size(); ++i) {
      prefill[i].push_back(prefill_speed(models[i], testing));
      generation[i].push_back(generation_speed(models[i], testing.front().tokens));
    }
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    speeds[i].prefill = median(prefill[i]);
    speeds[i].generation = median(generation[i]);
  }
  return speeds;
}

}  // namespace example
