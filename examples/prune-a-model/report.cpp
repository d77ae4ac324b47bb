#include "report.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>

namespace example {
namespace {

/// The layer and the number of each head: 0.3 0.4.
std::string names_of(std::span<const HeadGroup> groups) {
  std::ostringstream names;
  const char* separator = "";
  for (const HeadGroup& group : groups) {
    for (std::size_t i = 0; i < group.count; ++i) {
      names << separator << group.layer << '.' << group.first + i;
      separator = " ";
    }
  }
  return names.str();
}

void print_head_of_table() {
  std::printf("%6s %9s %11s %10s  %s\n", "gone", "loss", "perplexity", "more loss", "heads");
}

void print_point(std::size_t gone, double loss, double first_loss, const std::string& heads) {
  std::printf("%6zu %9.4f %11.3f %8.1f %%  %s\n", gone, loss, std::exp(loss),
              100 * (loss / first_loss - 1), heads.c_str());
}

}  // namespace

void print_importance(const headwise::Transformer& model, const std::vector<Measure>& measures,
                      const std::vector<Importance>& importance) {
  std::printf("%-6s", "head");
  for (const Measure& measure : measures) {
    std::printf(" %11s", measure.name.c_str());
  }
  for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
    for (std::size_t head = 0; head < model.attention(layer).num_heads(); ++head) {
      std::printf("\n%-6s", (std::to_string(layer) + "." + std::to_string(head)).c_str());
      for (const Importance& of_measure : importance) {
        std::printf(" %11.5f", static_cast<double>(of_measure[layer](head)));
      }
    }
  }
  std::printf("\n");
}

void print_curve(const PruningCurve& curve) {
  std::printf("\nBy %s, the least important first\n", curve.order.name.c_str());
  print_head_of_table();
  for (const CurvePoint& point : curve.points) {
    print_point(point.gone, point.loss, curve.points.front().loss, names_of(point.since));
  }
  std::printf("staying, since a layer keeps a head: %s\n", names_of(curve.order.staying).c_str());
}

void print_mean(const std::vector<PruningCurve>& curves) {
  std::printf("\nIn random order, the mean of %zu\n", curves.size());
  print_head_of_table();
  const std::vector<CurvePoint>& first = curves.front().points;
  for (std::size_t i = 0; i < first.size(); ++i) {
    double sum = 0;
    for (const PruningCurve& curve : curves) {
      sum += curve.points[i].loss;
    }
    print_point(first[i].gone, sum / static_cast<double>(curves.size()), first.front().loss, "");
  }
}

void print_speed(const std::vector<Speed>& speeds) {
  std::printf("%6s %14s %14s\n", "heads", "prefill", "generation");
  for (const Speed& speed : speeds) {
    std::printf("%6zu %10.0f t/s %10.0f t/s\n", speed.heads, speed.prefill, speed.generation);
  }
}

void print_sum(const headwise::Transformer& model, const PruningCurve& curve) {
  std::printf(
      "By %s, %zu of %zu heads can go for less than 1 %% more loss, %zu for less than 5 %%.\n",
      curve.order.name.c_str(), heads_within(curve, 0.01), count_heads(all_groups(model)),
      heads_within(curve, 0.05));
}

void write_csv(const std::filesystem::path& file, const std::vector<PruningCurve>& curves) {
  std::ofstream out(file);
  out.precision(9);
  out << "order,gone,heads,loss,perplexity\n";
  for (const PruningCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      out << curve.order.name << ',' << point.gone << ',' << names_of(point.since) << ','
          << point.loss << ',' << std::exp(point.loss) << '\n';
    }
  }
  if (!out.flush()) {
    throw std::runtime_error("cannot write " + file.string());
  }
}

}  // namespace example
