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

/// Share of the pairs of a planted head and one of `role` whose planted head is the more important.
double pairs_ranked_right(const SeedResult& result, std::size_t measure, Role role) {
  const std::vector<float>& importance = result.importance[measure];
  double pairs = 0;
  double right = 0;
  for (const Head& planted : all_heads()) {
    for (const Head& other : all_heads()) {
      if (is_planted(role_of(planted)) && role_of(other) == role) {
        pairs += 1;
        right += importance[place_of(planted)] > importance[place_of(other)] ? 1 : 0;
      }
    }
  }
  return right / pairs;
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

/// One number for each number of heads kept.
template <typename Function>
void print_row(const std::string& name, const char* format, std::size_t points,
               const Function& number_of) {
  std::printf("%-25s", name.c_str());
  for (std::size_t point = 0; point < points; ++point) {
    std::printf(format, number_of(point));
  }
  std::printf("\n");
}

void print_heads_kept(const char* title, const std::vector<CurvePoint>& points) {
  std::printf("\n%s\n", title);
  print_row("heads kept", " %6zu", points.size(), [&](std::size_t i) { return points[i].kept; });
}

/// The mean of each family.
void print_means(const char* title, const std::vector<Family>& families,
                 double CurvePoint::* number) {
  const std::vector<CurvePoint>& points = families.front().curves.front()->points;
  print_heads_kept(title, points);
  for (const Family& family : families) {
    print_row(family.name, " %6.3f", points.size(), [&](std::size_t i) {
      return family.mean([&](const PruningCurve& curve) { return curve.points[i].*number; });
    });
  }
}

double median_of(const std::vector<SeedResult>& results, std::size_t point,
                 double CurvePoint::* number) {
  std::vector<double> numbers;
  for (const SeedResult& result : results) {
    for (const PruningCurve& curve : result.curves) {
      numbers.push_back(curve.points[point].*number);
    }
  }
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
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
  std::printf("\nseed %zu: loss %.4f; without sharp and quiet heads %.4f\n",
              static_cast<std::size_t>(result.seed), result.loss, result.loss_without_others);
  std::printf(
      "without previous-token heads %.2f, without induction heads %.2f, without both %.2f\n",
      result.loss_without_previous_token, result.loss_without_induction,
      result.loss_without_planted);
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

void print_ranks(const std::vector<SeedResult>& results) {
  std::printf("\nPairs of heads of which the planted one is ranked above ...\n%-25s%14s%14s\n",
              "measure", "a quiet one", "a sharp one");
  for (std::size_t measure = 0; measure < measures().size(); ++measure) {
    std::printf("%-25s", measures()[measure].name.c_str());
    for (const Role role : {Role::quiet, Role::sharp}) {
      double sum = 0;
      for (const SeedResult& result : results) {
        sum += pairs_ranked_right(result, measure, role);
      }
      std::printf("%12.0f %%", 100 * sum / static_cast<double>(results.size()));
    }
    std::printf("\n");
  }
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
  print_means("Loss", families, &CurvePoint::loss);
  print_means("Accuracy", families, &CurvePoint::accuracy);
  const std::vector<CurvePoint>& points = families.front().curves.front()->points;
  print_heads_kept("Milliseconds, the median of all orders", points);
  print_row("forward", " %6.2f", points.size(),
            [&](std::size_t i) { return median_of(results, i, &CurvePoint::forward_ms); });
  print_row("step of training", " %6.2f", points.size(),
            [&](std::size_t i) { return median_of(results, i, &CurvePoint::step_ms); });
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
