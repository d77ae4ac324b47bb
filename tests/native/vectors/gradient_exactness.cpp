#include "exactness_problem.hpp"
#include "options.hpp"
#include "plain_gradients.hpp"
#include "vectors.hpp"

namespace headwise::test {
namespace {

constexpr std::uint64_t num_seeds = 2;

double sum_of_squares(const std::vector<double>& numbers, const std::vector<double>& exact) {
  double sum = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    sum += (numbers[i] - exact[i]) * (numbers[i] - exact[i]);
  }
  return sum;
}

void add_problem(VectorFile& file, const std::string& name,
                 const reference::GradientProblem& problem) {
  file.add("in.queries", xt::cast<float>(problem.queries));
  file.add("in.keys", xt::cast<float>(problem.keys));
  file.add("in.values", xt::cast<float>(problem.values));
  file.add("gradOutput", xt::cast<float>(problem.grad_output));
  add_parameters(file, "param.", problem.parameters);
  add_mask_tensors(file, "option.", problem.options);
  const NamedGradients plain = plain_gradients<float>(problem);
  JsonObject squares;
  for (const auto& [parameter, exact] : plain_gradients<double>(problem)) {
    const std::string in_package = gradient_name(parameter);
    file.add("grad." + in_package, {exact.size()}, exact);
    squares.set(in_package, sum_of_squares(plain.at(parameter), exact));
  }
  JsonObject options;
  set_mask_options(options, problem.options);
  file.add_case(JsonObject()
                    .set("name", name)
                    .set("layer", json_of(problem.layer))
                    .set("options", options)
                    .set("squaredErrorsOfPlain", squares));
}

}  // namespace

VectorFile gradient_exactness_vectors() {
  VectorFile file;
  for (const ExactnessCase& tried : exactness_cases()) {
    for (const double scale : exactness_scales) {
      const std::string name =
          tried.name + (scale < 1 ? ", ordinary scores" : ", scores of 10,000");
      for (std::uint64_t seed = 1; seed <= num_seeds; ++seed) {
        add_problem(file, name, exactness_problem(tried, scale, seed));
      }
    }
  }
  return file;
}

}  // namespace headwise::test
