#include "transformer_reference.hpp"

#include <cmath>

namespace headwise::test::reference {
namespace {

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;  ///< (length, size)

Rows normalized(const Transformer& model, const std::string& name, const Rows& x) {
  if (!model.layer_norm) {
    return x;
  }
  const Vector& weight = model.parameters.at(name + ".weight");
  const Vector& bias = model.parameters.at(name + ".bias");
  Rows result = x;
  for (Vector& row : result) {
    const auto size = static_cast<double>(row.size());
    double mean = 0;
    double variance = 0;
    for (const double number : row) {
      mean += number / size;
    }
    for (const double number : row) {
      variance += (number - mean) * (number - mean) / size;
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
    }
  }
  return result;
}

Rows projected(const Transformer& model, const std::string& name, const Rows& x) {
  const Vector& weight = model.parameters.at(name + ".weight");
  const auto bias = model.parameters.find(name + ".bias");
  Rows result;
  for (const Vector& row : x) {
    Vector y(weight.size() / row.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = bias != model.parameters.end() ? bias->second[i] : 0;
      for (std::size_t j = 0; j < row.size(); ++j) {
        y[i] += weight[i * row.size() + j] * row[j];
      }
    }
    result.push_back(y);
  }
  return result;
}

/// What the layer adds to x. Appends its weights.
Rows attend(const Transformer& model, std::size_t layer, const Rows& x, const Vector& gates,
            Vector& weights) {
  const std::string name = "layers." + std::to_string(layer);
  const Rows inputs = normalized(model, name + ".norm", x);
  const Rows Q = projected(model, name + ".attention.W_q", inputs);
  const Rows K = projected(model, name + ".attention.W_k", inputs);
  const Rows V = projected(model, name + ".attention.W_v", inputs);
  const std::size_t head_size = model.head_size;
  Rows heads(x.size(), Vector(model.num_heads[layer] * head_size));
  for (std::size_t head = 0; head < model.num_heads[layer]; ++head) {
    for (std::size_t query = 0; query < x.size(); ++query) {
      const std::size_t visible = model.causal ? query + 1 : x.size();
      Vector row(x.size());
      double sum = 0;
      for (std::size_t key = 0; key < visible; ++key) {
        double score = 0;
        for (std::size_t i = head * head_size; i < (head + 1) * head_size; ++i) {
          score += Q[query][i] * K[key][i];
        }
        row[key] = std::exp(score / std::sqrt(static_cast<double>(head_size)));
        sum += row[key];
      }
      for (std::size_t key = 0; key < x.size(); ++key) {
        weights.push_back(row[key] / sum);
        for (std::size_t i = head * head_size; i < (head + 1) * head_size; ++i) {
          heads[query][i] += gates[head] * row[key] / sum * V[key][i];
        }
      }
    }
  }
  return projected(model, name + ".attention.W_o", heads);
}

}  // namespace

Transformer transformer_of(const AttentionOnlyTransformer& model, std::size_t head_size) {
  Transformer result{.parameters = {},
                     .vocabulary_size = model.sizes().vocabulary_size,
                     .num_hiddens = model.sizes().num_hiddens,
                     .num_layers = model.num_layers(),
                     .num_heads = {},
                     .head_size = head_size,
                     .causal = model.causal(),
                     .layer_norm = model.sizes().layer_norm,
                     .learned_positions = model.sizes().learned_positions};
  for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
    result.num_heads.push_back(model.layer(layer).settings().num_heads);
  }
  for (const auto& [name, tensor] : model.state_dict()) {
    result.parameters[name] = Vector(tensor.begin(), tensor.end());
  }
  return result;
}

Gates gates_of_1(const Transformer& model, std::size_t batch) {
  Gates gates;
  for (const std::size_t num_heads : model.num_heads) {
    gates.emplace_back(batch, Vector(num_heads, 1.0));
  }
  return gates;
}

TransformerOutput forward(const Transformer& model, const Tokens& tokens, const Gates& gates) {
  TransformerOutput output{.logits = {}, .weights = Rows(model.num_layers)};
  const std::size_t size = model.num_hiddens;
  for (std::size_t sample = 0; sample < tokens.shape(0); ++sample) {
    Rows x(tokens.shape(1), Vector(size));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const double angle =
            static_cast<double>(i) /
            std::pow(10000.0, static_cast<double>(j / 2 * 2) / static_cast<double>(size));
        const double position = model.learned_positions
                                    ? model.parameters.at("position.weight")[i * size + j]
                                    : (j % 2 == 0 ? std::sin(angle) : std::cos(angle));
        const auto token = static_cast<std::size_t>(tokens(sample, i));
        x[i][j] = model.parameters.at("embedding.weight")[token * size + j] + position;
      }
    }
    for (std::size_t layer = 0; layer < model.num_layers; ++layer) {
      const Rows added = attend(model, layer, x, gates[layer][sample], output.weights[layer]);
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < size; ++j) {
          x[i][j] += added[i][j];
        }
      }
    }
    for (const Vector& row : projected(model, "unembedding", normalized(model, "norm", x))) {
      output.logits.insert(output.logits.end(), row.begin(), row.end());
    }
  }
  return output;
}

double cross_entropy(const std::vector<double>& logits, const Tokens& targets) {
  const std::size_t vocabulary_size = logits.size() / targets.size();
  double loss = 0;
  double count = 0;
  std::size_t row = 0;
  for (const std::int64_t target : targets) {
    if (target >= 0) {
      double sum = 0;
      for (std::size_t i = 0; i < vocabulary_size; ++i) {
        sum += std::exp(logits[row + i]);
      }
      loss += std::log(sum) - logits[row + static_cast<std::size_t>(target)];
      ++count;
    }
    row += vocabulary_size;
  }
  return loss / count;
}

TransformerSlopes slopes_of_loss(Transformer model, const Tokens& tokens, const Tokens& targets,
                                 Gates gates) {
  const auto loss = [&] { return cross_entropy(forward(model, tokens, gates).logits, targets); };
  const auto append_slopes = [&](Vector& numbers, Vector& slopes) {
    constexpr double step = 1e-5;
    for (double& number : numbers) {
      const double before = number;
      number = before + step;
      const double more = loss();
      number = before - step;
      const double less = loss();
      number = before;
      slopes.push_back((more - less) / (2 * step));
    }
  };
  TransformerSlopes result{.parameters = {}, .head_gates = Rows(gates.size())};
  for (auto& [name, numbers] : model.parameters) {
    append_slopes(numbers, result.parameters[name]);
  }
  for (std::size_t layer = 0; layer < gates.size(); ++layer) {
    for (Vector& of_sample : gates[layer]) {
      append_slopes(of_sample, result.head_gates[layer]);
    }
  }
  return result;
}

}  // namespace headwise::test::reference
