#include "files.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "compare.hpp"
#include "configuration.hpp"

namespace headwise::test {
namespace {

#if defined(HEADWISE_SANITIZE)
constexpr std::size_t num_mutations = 2'000;  // sanitizers take their time
#else
constexpr std::size_t num_mutations = 20'000;
#endif

std::byte random_byte(Random& random) {
  constexpr std::string_view meaningful = "{}[]():,.'\"\\ \n0123456789eEu-<>|=bifFTrue";
  return random.chance(0.7) ? static_cast<std::byte>(meaningful[random.below(meaningful.size())])
                            : static_cast<std::byte>(random.below(256));
}

File mutated(File file, Random& random) {
  for (std::size_t left = 1 + random.below(1 + random.below(4)); left > 0; --left) {
    const std::size_t size = random.chance(0.1) ? file.size() : file.size() * 3 / 4;
    const auto place = file.begin() + static_cast<std::ptrdiff_t>(random.below(size));
    switch (random.below(4)) {
      case 0:
        *place ^= static_cast<std::byte>(1U << random.below(8));
        break;
      case 1:
        *place = random_byte(random);
        break;
      case 2:
        file.insert(place, random_byte(random));
        break;
      default:
        file.erase(place);
    }
  }
  return {file.begin(), file.end()};
}

}  // namespace

File file_of(std::string_view bytes) {
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

std::string text_of(const File& file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

std::string little_endian(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>((number >> (8 * i)) & 0xFFU);
  }
  return bytes;
}

std::string little_endian(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

File safetensors_file(std::string_view header, std::string_view data) {
  return file_of(little_endian(header.size(), 8).append(header).append(data));
}

File npy_file(std::string_view dictionary, std::string_view data) {
  const std::string length = little_endian(dictionary.size(), 2);
  return file_of(("\x93NUMPY\x01" + std::string(1, '\0') + length).append(dictionary).append(data));
}

const FileFormat safetensors_format = {.make = safetensors_file, .read = [](const File& file) {
                                         static_cast<void>(load_safetensors(file));
                                       }};

const FileFormat npy_format = {.make = npy_file,
                               .read = [](const File& file) { static_cast<void>(load_npy(file)); }};

std::string invalid_file(const std::string& expected, const std::string& got) {
  return "invalid-file; bytes: expected " + expected + ", got " + got;
}

void check_malformed(const FileFormat& format, const std::vector<Malformed>& headers) {
  for (const Malformed& each : headers) {
    CAPTURE(each.header.substr(0, 200));
    const File file = format.make(each.header, std::string(each.num_data, '\0'));
    std::string error = "no error";
    try {
      format.read(file);
    } catch (const Error& thrown) {
      error = std::string(thrown.code()) + "; " + thrown.what();
    }
    CHECK(error == invalid_file(each.expected, each.got));
  }
}

Outcomes read_mutations(const FileFormat& format, const File& file, std::uint64_t seed) {
  Random random(seed);
  Outcomes outcomes;
  for (std::size_t i = 0; i < num_mutations; ++i) {
    const File mutation = mutated(file, random);
    CAPTURE(i, text_of(mutation));
    try {
      format.read(mutation);
      ++outcomes.taken;
    } catch (const Error& error) {
      ++outcomes.refused;
      if (error.code() != "invalid-file") {
        FAIL(error.code() << ": " << error.what());
      }
    }
  }
  return outcomes;
}

bool same_bits(const float* a, std::size_t size_a, const float* b, std::size_t size_b) {
  return size_a == size_b && (size_a == 0 || std::memcmp(a, b, size_a * sizeof(float)) == 0);
}

}  // namespace headwise::test
