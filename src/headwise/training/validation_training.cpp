#include <algorithm>
#include <cmath>
#include <headwise/attention/validation_text.hpp>
#include <headwise/training/validation.hpp>

namespace headwise::validation {

void check_trainables(const std::vector<Trainable*>& trainables) {
  if (trainables.empty()) {
    fail(ErrorCode::invalid_option, "trainables", "at least one layer or model", "none");
  }
  for (auto trainable = trainables.begin(); trainable != trainables.end(); ++trainable) {
    if (*trainable == nullptr) {
      fail(ErrorCode::invalid_option, "trainables", "layers and models", "null");
    }
    if (std::find(trainables.begin(), trainable, *trainable) != trainable) {
      fail(ErrorCode::invalid_option, "trainables", "each of them once", "one twice");
    }
  }
}

void check_at_least_0(std::string_view argument, double number) {
  if (!(number >= 0 && std::isfinite(number))) {
    fail(ErrorCode::invalid_option, argument, "a finite number from 0 on", number_text(number));
  }
}

void check_betas(const std::array<double, 2>& betas) {
  for (const double beta : betas) {
    if (!(beta >= 0 && beta < 1)) {
      fail(ErrorCode::invalid_option, "betas", "two numbers from 0 to below 1", number_text(beta));
    }
  }
}

}  // namespace headwise::validation
