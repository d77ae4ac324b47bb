#include <algorithm>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/interfaces/catch_interfaces_registry_hub.hpp>
#include <catch2/interfaces/catch_interfaces_testcase.hpp>
#include <headwise/core/kernels/kernel_list.hpp>
#include <string>
#include <vector>

namespace headwise::test {
namespace {

/// The words of a test's name, of letters, digits and underscores.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char letter : name) {
    if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_') {
      words.back() += letter;
    } else {
      words.emplace_back();
    }
  }
  return words;
}

TEST_CASE("Every kernel has a test of its name") {
  std::vector<std::string> named;
  for (const auto* test : Catch::getRegistryHub().getTestCaseRegistry().getAllInfos()) {
    // Kernels' tests have no tag, and lie in this folder.
    if (std::string(test->lineInfo.file).find("/kernels/") != std::string::npos) {
      const auto words = words_of(test->name);
      named.insert(named.end(), words.begin(), words.end());
    }
  }
#define HEADWISE_CHECK(kernel)                                                  \
  CHECKED_ELSE(std::find(named.begin(), named.end(), #kernel) != named.end()) { \
    FAIL_CHECK(#kernel);                                                        \
  }
  HEADWISE_FOR_EACH_KERNEL(HEADWISE_CHECK)
#undef HEADWISE_CHECK
}

}  // namespace
}  // namespace headwise::test
