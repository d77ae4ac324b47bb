#include <headwise/api/validation.hpp>
#include <headwise/error.hpp>
#include <headwise/transformer.hpp>

namespace headwise {

ModelCache::ModelCache(const ModelCache& other)
    : in_use_(other.in_use_), cache_(copied(other.cache_)) {}

ModelCache& ModelCache::operator=(const ModelCache& other) {
  if (this != &other) {
    *this = ModelCache(other);
  }
  return *this;
}

void ModelCache::reset() {
  validation::check_in_use(in_use(), "cache");
  cache_.truncate(0);
  cache_.remove_source();
}

void ModelCache::truncate(std::int64_t length) {
  report_out_of_memory([&] {
    validation::check_in_use(in_use(), "cache");
    validation::check_truncate(length, this->length());
  });
  cache_.truncate(static_cast<std::size_t>(length));
}

}  // namespace headwise
