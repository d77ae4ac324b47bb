#include "checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>
#include <xtensor/xview.hpp>

#include "float16.hpp"

namespace example {
namespace {

using headwise::StateDict;
using headwise::Transformer;

constexpr double rotary_base = 10000;  // The config's rope_theta.
constexpr float embedding_deviation = 0.1F;
/// Of an attention layer, as its values' projection has 1.
constexpr float output_scale = 0.2F;

std::string config_of(const Sizes& sizes) {
  const std::string head_size = std::to_string(sizes.num_hiddens / sizes.num_heads);
  const std::string heads = std::to_string(sizes.num_heads);
  return R"({
  "architectures": ["Qwen2ForCausalLM"],
  "model_type": "qwen2",
  "torch_dtype": "float16",
  "vocab_size": )" +
         std::to_string(sizes.vocabulary) + R"(,
  "max_position_embeddings": )" +
         std::to_string(sizes.max_length) + R"(,
  "hidden_size": )" +
         std::to_string(sizes.num_hiddens) + R"(,
  "num_hidden_layers": )" +
         std::to_string(sizes.num_layers) + R"(,
  "num_attention_heads": )" +
         heads + R"(,
  "num_key_value_heads": )" +
         heads + R"(,
  "head_dim": )" +
         head_size + R"(,
  "intermediate_size": )" +
         std::to_string(sizes.ffn_hiddens) + R"(,
  "hidden_act": "silu",
  "rms_norm_eps": 1e-05,
  "rope_theta": 10000.0,
  "use_sliding_window": false,
  "tie_word_embeddings": true,
  "bos_token_id": 0,
  "eos_token_id": 0
}
)";
}

/// The tensors of a new model, each drawn by a seed of its own.
class InitialTensors {
 public:
  explicit InitialTensors(std::uint64_t seed) : seed_(seed << 16U) {}

  void add_matrix(const std::string& name, std::size_t rows, std::size_t columns, float deviation) {
    tensors_[name] = headwise::randn<2>({rows, columns}, seed_++) * deviation;
  }
  void add_vector(const std::string& name, std::size_t size, float value) {
    tensors_[name] = value * xt::ones<float>({size});
  }

  [[nodiscard]] StateDict& tensors() noexcept { return tensors_; }

 private:
  std::uint64_t seed_;
  StateDict tensors_;
};

/// Queries and keys begin alike, and the output projection as the values' transposed: heads first
/// look for tokens like their own and copy what they find, to be trained from there. Source:
/// Trockman and Kolter 2023, "Mimetic initialization of self-attention layers".
void add_attention(InitialTensors& initial, const std::string& of_layer, std::size_t width) {
  for (const char* const name : {"q_proj", "v_proj"}) {
    initial.add_matrix(of_layer + name + ".weight", width, width,
                       1 / std::sqrt(static_cast<float>(width)));
  }
  for (const char* const name : {"q_proj", "k_proj", "v_proj"}) {
    initial.add_vector(of_layer + name + ".bias", width, 0);
  }
  StateDict& tensors = initial.tensors();
  tensors[of_layer + "k_proj.weight"] = tensors.at(of_layer + "q_proj.weight");
  tensors[of_layer + "o_proj.weight"] =
      output_scale * xt::transpose(tensors.at(of_layer + "v_proj.weight"));
}

/// Has the layer's first head begin with its weight on the token before. Its queries and keys are
/// little but their biases, which rotary positions turn by frequencies θ_i: the score of the key
/// `distance` tokens back is strength² / √size times the sum over i of cos((distance − 1) θ_i), the
/// highest at distance 1.
void look_at_the_previous_token(StateDict& tensors, const std::string& of_layer, std::size_t size) {
  constexpr double strength = 5;
  constexpr float of_content = 0.1F;
  constexpr float loudness = 4;  // Heads above are to hear which token that was.
  for (const char* const name : {"q_proj.weight", "k_proj.weight"}) {
    xt::view(tensors.at(of_layer + name), xt::range(0, size)) *= of_content;
  }
  auto& queries = tensors.at(of_layer + "q_proj.bias");
  auto& keys = tensors.at(of_layer + "k_proj.bias");
  xt::view(tensors.at(of_layer + "o_proj.weight"), xt::all(), xt::range(0, size)) *= loudness;
  for (std::size_t i = 0; i < size / 2; ++i) {
    const double frequency =
        std::pow(rotary_base, -2 * static_cast<double>(i) / static_cast<double>(size));
    queries(i) = static_cast<float>(strength * std::cos(frequency));
    queries(size / 2 + i) = static_cast<float>(-strength * std::sin(frequency));
    keys(i) = static_cast<float>(strength);
  }
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot read " + path.string());
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A safetensors file of float16 numbers: they are laid out as 16-bit integers are, so that only
/// the dtype in the header differs.
std::string float16_file(const StateDict& tensors) {
  headwise::IntegerTensors bits;
  for (const auto& [name, tensor] : tensors) {
    auto of_tensor = xt::xarray<std::uint16_t>::from_shape(tensor.shape());
    std::transform(tensor.begin(), tensor.end(), of_tensor.begin(), to_float16);
    bits.emplace(name, std::move(of_tensor));
  }
  const std::vector<std::byte> bytes = headwise::save_safetensors({}, {{"format", "pt"}}, bits);
  std::string file(bytes.size(), '\0');
  std::memcpy(file.data(), bytes.data(), bytes.size());
  constexpr std::string_view stored = R"("dtype":"U16")";
  constexpr std::string_view meant = R"("dtype":"F16")";
  std::size_t replaced = 0;
  for (std::size_t at = file.find(stored); replaced < tensors.size(); at = file.find(stored, at)) {
    file.replace(at, stored.size(), meant);
    ++replaced;
  }
  return file;
}

}  // namespace

Transformer new_model(const Sizes& sizes, std::uint64_t seed) {
  const std::size_t width = sizes.num_hiddens;
  const auto projection = static_cast<float>(1 / std::sqrt(width));
  const auto into_residual =
      static_cast<float>(1 / std::sqrt(2 * sizes.num_layers * sizes.ffn_hiddens));
  InitialTensors initial(seed);
  initial.add_matrix("model.embed_tokens.weight", sizes.vocabulary, width, embedding_deviation);
  for (std::size_t layer = 0; layer < sizes.num_layers; ++layer) {
    const std::string of_layer = "model.layers." + std::to_string(layer) + ".";
    initial.add_vector(of_layer + "input_layernorm.weight", width, 1);
    add_attention(initial, of_layer + "self_attn.", width);
    initial.add_vector(of_layer + "post_attention_layernorm.weight", width, 1);
    for (const char* const name : {"gate_proj", "up_proj"}) {
      initial.add_matrix(of_layer + "mlp." + name + ".weight", sizes.ffn_hiddens, width,
                         projection);
    }
    initial.add_matrix(of_layer + "mlp.down_proj.weight", width, sizes.ffn_hiddens, into_residual);
  }
  initial.add_vector("model.norm.weight", width, 1);
  look_at_the_previous_token(initial.tensors(), "model.layers.0.self_attn.",
                             width / sizes.num_heads);
  return model_of(sizes, initial.tensors());
}

Transformer model_of(const Sizes& sizes, const StateDict& tensors) {
  return Transformer::from_pretrained(config_of(sizes), tensors);
}

Transformer read_checkpoint(const std::filesystem::path& folder) {
  const headwise::SafetensorsFile file(folder / "model.safetensors");
  return Transformer::from_pretrained(read(folder / "config.json"), file.tensors());
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path part = path;
  part += ".part";
  std::ofstream file(part, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw std::runtime_error("cannot write " + path.string());
  }
  std::filesystem::rename(part, path);
}

void write_checkpoint(const std::filesystem::path& folder, const Transformer& model,
                      const Sizes& sizes) {
  std::filesystem::create_directories(folder);
  write_file(folder / "config.json", config_of(sizes));
  write_file(folder / "model.safetensors",
             float16_file(model.state_dict(headwise::ParameterNames::pretrained)));
}

}  // namespace example
