// A small language model, trained by this library: see README.md, and train.mjs, which prepares the
// text and calls this program.
//
//   language-model train TEXT HELD_OUT FOLDER [--steps=N] [--seed=N] [--threads=N] [--quick]
//                        [--until=N] [--resume]
//   language-model measure FOLDER TEXT
//   language-model generate FOLDER COUNT SEED TOKEN…
//
// Texts are files of tokens, see token_windows.hpp; a FOLDER holds a model, see checkpoint.hpp.
// `train` writes it there each time that it reports the loss; --quick trains a tiny one for some
// seconds. It can be interrupted: --resume goes on from the last report, from FOLDER.state, to the
// same bytes; --until=N ends after step N. `measure` prints, as JSON, the loss of a text and the
// scores of all heads; `generate` prints tokens that follow those that are given, drawn at
// temperature 0.8; the likeliest for seed 0.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "measures.hpp"
#include "training.hpp"

namespace example {
namespace {

using Arguments = std::vector<std::string>;

std::uint64_t number_of(const std::string& text) {
  std::size_t used = 0;
  const std::uint64_t number =
      text.find_first_not_of("0123456789") == std::string::npos && !text.empty()
          ? std::stoull(text, &used)
          : 0;
  if (used == 0) {
    throw std::invalid_argument("expected a number, got '" + text + "'");
  }
  return number;
}

/// A model of a few thousand parameters, for texts of a few thousand tokens.
Training quick_training() {
  Training training;
  training.sizes.max_length = 32;
  training.sizes.num_hiddens = 32;
  training.sizes.num_layers = 2;
  training.sizes.num_heads = 2;
  training.sizes.ffn_hiddens = 64;
  training.stages = {{.steps = 60, .warm_up = 10, .decay = 20, .copying_steps = 10},
                     {.steps = 20, .warm_up = 5, .decay = 10, .copying_steps = 5}};
  training.learning_rate = 1e-2;
  training.steps_per_report = 40;
  return training;
}

Training training_of(const Arguments& options) {
  Training training;
  for (const std::string& option : options) {
    training = option == "--quick" ? quick_training() : training;
  }
  for (const std::string& option : options) {
    const std::string value = option.substr(std::min(option.find('=') + 1, option.size()));
    if (option.starts_with("--steps=")) {
      training.stages.front().steps = number_of(value);
    } else if (option.starts_with("--seed=")) {
      training.seed = number_of(value);
    } else if (option.starts_with("--until=")) {
      training.until = number_of(value);
    } else if (option == "--resume") {
      training.resume = true;
    } else if (option.starts_with("--threads=")) {
      headwise::set_num_threads(static_cast<std::int64_t>(number_of(value)));
    } else if (option != "--quick") {
      throw std::invalid_argument("unknown option " + option);
    }
  }
  return training;
}

void train(const Arguments& arguments) {
  const Text text = read_text(arguments[0]);
  const Text held_out = read_text(arguments[1]);
  const Training training = training_of({arguments.begin() + 3, arguments.end()});
  const std::filesystem::path state = arguments[2] + ".state";
  train(training, text, state, [&](headwise::Transformer& model, const Report& report) {
    write_checkpoint(arguments[2], model, training.sizes);
    const std::vector<HeadScores> scores = head_scores(model, held_out);
    const auto highest = [&](double HeadScores::* score) {
      return std::invoke(score, *std::ranges::max_element(scores, {}, score));
    };
    std::printf(
        "step %zu of %zu: loss %.4f, of held-out text %.4f; previous token %.2f, induction %.2f; "
        "%.0f tokens per second\n",
        report.step, training.steps(), report.training_loss, loss_of(model, held_out),
        highest(&HeadScores::previous_token), highest(&HeadScores::induction),
        report.tokens_per_second);
    std::fflush(stdout);
  });
}

void measure(const Arguments& arguments) {
  headwise::Transformer model = read_checkpoint(arguments[0]);
  const Text text = read_text(arguments[1]);
  std::printf("{\n  \"tokens\": %zu,\n  \"loss\": %.5f,\n  \"heads\": [", text.size(),
              loss_of(model, text));
  const char* separator = "";
  for (const HeadScores& scores : head_scores(model, text)) {
    std::printf(
        "%s\n    { \"layer\": %zu, \"head\": %zu, \"previousToken\": %.4f, \"firstToken\": %.4f, "
        "\"induction\": %.4f }",
        separator, scores.layer, scores.head, scores.previous_token, scores.first_token,
        scores.induction);
    separator = ",";
  }
  std::printf("\n  ]\n}\n");
}

void generate(const Arguments& arguments) {
  headwise::Transformer model = read_checkpoint(arguments[0]);
  std::vector<std::int64_t> tokens;
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    tokens.push_back(static_cast<std::int64_t>(number_of(arguments[i])));
  }
  const auto count = static_cast<std::int64_t>(number_of(arguments[1]));
  const std::uint64_t seed = number_of(arguments[2]);
  const headwise::GenerateOptions options = {
      .max_new_tokens = count, .temperature = seed == 0 ? 0 : 0.8, .seed = seed};
  for (const std::int64_t token : model.generate(tokens, options)) {
    std::printf("%" PRId64 "\n", token);
  }
}

void run(Arguments arguments) {
  const std::string command = arguments.empty() ? "" : arguments.front();
  arguments.erase(arguments.begin(), arguments.begin() + (arguments.empty() ? 0 : 1));
  if (command == "train" && arguments.size() >= 3) {
    train(arguments);
  } else if (command == "measure" && arguments.size() == 2) {
    measure(arguments);
  } else if (command == "generate" && arguments.size() > 3) {
    generate(arguments);
  } else {
    throw std::invalid_argument("usage: language-model train | measure | generate, see main.cpp");
  }
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) {
  try {
    example::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
