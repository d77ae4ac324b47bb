#include <stdexcept>

#include "configuration.hpp"
#include "configuration_check.hpp"
#include "decoding.hpp"
#include "gradient_check.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "rounding.hpp"
#include "vectors.hpp"

namespace headwise::test {
namespace {

const char* name_of(Call call) {
  switch (call) {
    case Call::layer:
      return "layer";
    case Call::scaled_dot_product_attention:
      return "scaledDotProductAttention";
    case Call::additive_attention:
      return "additiveAttention";
    case Call::masked_softmax:
      return "maskedSoftmax";
    default:
      throw std::runtime_error("the package has no such call");
  }
}

const char* name_of(CacheUse use) {
  switch (use) {
    case CacheUse::growing:
      return "growing";
    case CacheUse::fixed:
      return "fixed";
    default:
      return "none";
  }
}

JsonObject call_options(const Problem& problem) {
  const Configuration& c = problem.configuration;
  JsonObject options;
  if (c.call == Call::masked_softmax) {
    return options.set("emptyRows", c.empty_rows == EmptyRows::uniform ? "uniform" : "zero");
  }
  set_mask_options(options, problem.options);
  if (c.query_offset != 0) {
    options.set("queryOffset", c.query_offset);
  }
  if (c.call == Call::scaled_dot_product_attention) {
    options.set("softcap", c.softcap);
    if (c.scale.has_value()) {
      options.set("scale", *c.scale);
    }
  }
  return options;
}

void add_inputs(VectorFile& file, const std::string& prefix, const Problem& problem) {
  file.add(prefix + "queries", problem.queries);
  if (problem.configuration.call != Call::masked_softmax) {
    file.add(prefix + "keys", problem.keys);
    file.add(prefix + "values", problem.values);
  }
}

void add_expected(VectorFile& file, const std::string& prefix, const Problem& problem,
                  const GradientCheck& gradient_check) {
  const Result result = reference_result(problem);
  file.add(prefix + "out.output", result.output_shape, result.output);
  if (problem.configuration.call != Call::masked_softmax) {
    file.add(prefix + "out.attentionWeights", result.weights_shape, *result.weights);
  }
  if (problem.configuration.gradients) {
    const auto gradients =
        by_name(reference::gradients(gradient_problem(problem, gradient_check.grad_output())));
    for (const auto& [name, numbers] : gradients) {
      file.add(prefix + "grad." + gradient_name(name), {numbers.size()}, numbers);
    }
  }
}

/// The chunks' first and last positions; adds their masks.
std::vector<JsonObject> add_chunks(VectorFile& file, const Problem& problem) {
  std::vector<JsonObject> chunks;
  for (const Chunk& chunk : chunks_of(problem.configuration)) {
    const std::string prefix = "chunk." + std::to_string(chunks.size()) + ".";
    add_mask_tensors(file, prefix, options_of(problem.options, chunk));
    chunks.push_back(JsonObject().set("begin", chunk.begin).set("end", chunk.end));
  }
  return chunks;
}

JsonObject tolerances_of(const Rounding& rounding, const GradientCheck& gradient_check) {
  JsonObject gradients;
  for (const auto& [name, tolerance] : gradient_check.tolerances()) {
    gradients.set(gradient_name(name), tolerance);
  }
  return JsonObject()
      .set("output", rounding.output)
      .set("attentionWeights", rounding.weights)
      .set("gradients", gradients);
}

void add_configuration(VectorFile& file, std::uint64_t seed, const Configuration& c) {
  Problem problem = make_problem(c);
  const Rounding rounding = rounding_of(problem);
  const GradientCheck gradient_check(problem, rounding.relative_weights);
  JsonObject description;
  description.set("seed", seed)
      .set("code", to_code(c))
      .set("function", name_of(c.call))
      .set("batchAxis", c.batch_axis)
      .set("options", call_options(problem))
      .set("tolerance", tolerances_of(rounding, gradient_check));
  if (c.call == Call::layer) {
    description.set("layer", json_of(problem.layer))
        .set("sizesInferred", c.sizes_inferred)
        .set("cache", name_of(c.cache))
        .set("cached", c.cached);
  }
  add_inputs(file, "in.", problem);
  add_parameters(file, "param.", problem.parameters);
  add_mask_tensors(file, "option.", problem.options);
  if (c.gradients) {
    file.add("gradOutput", gradient_check.grad_output());
  }
  add_expected(file, "", problem, gradient_check);
  if (c.decoded) {
    description.set("chunks", add_chunks(file, problem));
  }
  if (c.poisoned) {
    poison(problem);
    if (!underflows(problem)) {
      add_inputs(file, "poisoned.in.", problem);
      add_expected(file, "poisoned.", problem, gradient_check);
    }
  }
  file.add_case(description);
}

}  // namespace

VectorFile random_configuration_vectors(std::uint64_t seed, std::uint64_t count) {
  VectorFile file;
  for (; file.num_cases() < count; ++seed) {
    const Configuration configuration = random_configuration(seed);
    if (configuration.call != Call::dot_product_attention) {
      add_configuration(file, seed, configuration);
    }
  }
  return file;
}

}  // namespace headwise::test
