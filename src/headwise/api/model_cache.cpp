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
  for (std::vector<LayerCache>* caches : {&cache_.self, &cache_.cross}) {
    for (LayerCache& cache : *caches) {
      cache.set_length(0);
    }
  }
  cache_.source_valid_lens.clear();
  cache_.has_source = false;
}

}  // namespace headwise
