#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>

namespace example {
namespace {

/// Random orders are told together.
std::string family_of(const PruningCurve& curve) {
  return curve.order.starts_with("random") ? "random" : curve.order;
}

/// Heads that went before the first planted one.
std::size_t gone_before_planted(const PruningCurve& curve) {
  const auto first =
      std::ranges::find_if(curve.gone, [](const Head& head) { return is_planted(role_of(head)); });
  return static_cast<std::size_t>(first - curve.gone.begin());
}

/// Heads that went before both heads of a role had gone.
std::size_t gone_before_lost(const PruningCurve& curve) {
  std::map<Role, int> gone;
  std::size_t count = 0;
  for (const Head& head : curve.gone) {
    const Role role = role_of(head);
    if (is_planted(role) && ++gone[role] == 2) {
      break;
    }
    ++count;
  }
  return count;
}

/// Heads that went before the loss was twice that of all heads.
std::size_t gone_before_doubled(const PruningCurve& curve) {
  const auto first = std::ranges::find_if(curve.points, [&](const CurvePoint& point) {
    return point.loss > 2 * curve.points.front().loss;
  });
  return static_cast<std::size_t>(first - curve.points.begin()) - 1;
}

/// Mean over all numbers of heads but all: the area under the curve.
double mean_accuracy(const PruningCurve& curve) {
  double sum = 0;
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    sum += curve.points[i].accuracy;
  }
  return sum / static_cast<double>(curve.points.size() - 1);
}

struct Family {
  std::string name;
  std::vector<const PruningCurve*> curves;

  template <typename Function>
  [[nodiscard]] double mean(Function function) const {
    double sum = 0;
    for (const PruningCurve* curve : curves) {
      sum += static_cast<double>(function(*curve));
    }
    return sum / static_cast<double>(curves.size());
  }
};

/// In the order in which they come first.
std::vector<Family> families_of(const std::vector<SeedResult>& results) {
  std::vector<Family> families;
  for (const SeedResult& result : results) {
    for (const PruningCurve& curve : result.curves) {
      const std::string name = family_of(curve);
      auto family = std::ranges::find(families, name, &Family::name);
      if (family == families.end()) {
        family = families.insert(family, {.name = name, .curves = {}});
      }
      family->curves.push_back(&curve);
    }
  }
  return families;
}

template <typename Function>
double median_of(const std::vector<Family>& families, std::size_t point, Function time_of) {
  std::vector<double> times;
  for (const Family& family : families) {
    for (const PruningCurve* curve : family.curves) {
      times.push_back(time_of(curve->points[point]));
    }
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

template <typename Function>
void print_curves(const std::vector<Family>& families, const char* title, const char* format,
                  Function number_of) {
  std::printf("\n%s\n%-25s", title, "heads kept");
  const std::vector<CurvePoint>& points = families.front().curves.front()->points;
  for (const CurvePoint& point : points) {
    std::printf(" %6zu", point.kept);
  }
  for (const Family& family : families) {
    std::printf("\n%-25s", family.name.c_str());
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::printf(format, family.mean([&](const PruningCurve& curve) {
        return number_of(curve.points[i]);
      }));
    }
  }
  std::printf("\n");
}

std::ofstream open(const std::string& path) {
  std::ofstream file(path);
  if (!file) {
    throw std::runtime_error("cannot write " + path);
  }
  return file;
}

}  // namespace

void print_heads(const SeedResult& result) {
  std::printf("\nseed %zu: loss %.4f; of the planted heads alone %.4f, of the others alone %.4f\n",
              static_cast<std::size_t>(result.seed), result.loss_of_all, result.loss_of_planted,
              result.loss_of_others);
  std::printf("%-6s%-16s%15s%10s", "head", "role", "previous token", "induction");
  for (const Measure& measure : measures()) {
    std::printf(" %*s", static_cast<int>(measure.name.size()), measure.name.c_str());
  }
  for (const Head& head : all_heads()) {
    const std::size_t place = place_of(head);
    std::printf("\n%zu.%-4zu%-16s%15.3f%10.3f", head.layer, head.number,
                name_of(role_of(head)).c_str(), result.previous_token[place],
                result.induction[place]);
    for (std::size_t i = 0; i < measures().size(); ++i) {
      std::printf(" %*.4f", static_cast<int>(measures()[i].name.size()),
                  static_cast<double>(result.importance[i][place]));
    }
  }
  std::printf("\n");
}

void print_orders(const std::vector<SeedResult>& results) {
  const std::vector<Family> families = families_of(results);
  std::printf("\nHeads that go, in the mean, before ...\n");
  std::printf("%-25s %15s %12s %17s %14s\n", "order", "a planted one", "a role is", "the loss has",
              "mean accuracy");
  std::printf("%-25s %15s %12s %17s %14s\n", "", "goes (best: 8)", "lost (10)", "doubled", "");
  for (const Family& family : families) {
    std::printf("%-25s %15.1f %12.1f %17.1f %14.3f\n", family.name.c_str(),
                family.mean(gone_before_planted), family.mean(gone_before_lost),
                family.mean(gone_before_doubled), family.mean(mean_accuracy));
  }
  print_curves(families, "Loss", " %6.3f", [](const CurvePoint& point) { return point.loss; });
  print_curves(families, "Accuracy", " %6.3f",
               [](const CurvePoint& point) { return point.accuracy; });
  std::printf("\nMilliseconds, the median over all orders\n%-25s", "heads kept");
  const std::vector<CurvePoint>& points = families.front().curves.front()->points;
  for (const CurvePoint& point : points) {
    std::printf(" %6zu", point.kept);
  }
  std::printf("\n%-25s", "forward");
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::printf(" %6.2f", median_of(families, i, [](const CurvePoint& p) { return p.forward_ms; }));
  }
  std::printf("\n%-25s", "step of training");
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::printf(" %6.2f", median_of(families, i, [](const CurvePoint& p) { return p.step_ms; }));
  }
  std::printf("\n");
}

void write_csv(const std::string& folder, const std::vector<SeedResult>& results) {
  std::ofstream curve_file = open(folder + "/curve.csv");
  std::ofstream head_file = open(folder + "/heads.csv");
  curve_file << "seed,order,kept,loss,accuracy,forward_ms,step_ms\n";
  head_file << "seed,layer,head,role,previous_token,induction";
  for (const Measure& measure : measures()) {
    head_file << ',' << measure.name;
  }
  head_file << '\n';
  for (const SeedResult& result : results) {
    for (const PruningCurve& curve : result.curves) {
      for (const CurvePoint& point : curve.points) {
        curve_file << result.seed << ',' << curve.order << ',' << point.kept << ',' << point.loss
                   << ',' << point.accuracy << ',' << point.forward_ms << ',' << point.step_ms
                   << '\n';
      }
    }
    for (const Head& head : all_heads()) {
      const std::size_t place = place_of(head);
      head_file << result.seed << ',' << head.layer << ',' << head.number << ','
                << name_of(role_of(head)) << ',' << result.previous_token[place] << ','
                << result.induction[place];
      for (const std::vector<float>& importance : result.importance) {
        head_file << ',' << importance[place];
      }
      head_file << '\n';
    }
  }
}

}  // namespace example
