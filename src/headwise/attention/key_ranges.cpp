#include <algorithm>
#include <headwise/attention/key_ranges.hpp>

namespace headwise {

KeyRanges::KeyRanges(std::size_t batch, std::size_t num_queries, std::size_t num_keys,
                     EmptyRows empty_rows)
    : batch_(batch), num_queries_(num_queries), num_keys_(num_keys), empty_rows_(empty_rows) {}

void KeyRanges::limit_samples(const std::int32_t* valid_lens) noexcept {
  valid_lens_ = valid_lens;
  valid_lens_by_query_ = false;
}

void KeyRanges::limit_queries(const std::int32_t* valid_lens) noexcept {
  valid_lens_ = valid_lens;
  valid_lens_by_query_ = true;
}

QueryRow KeyRanges::row(std::size_t sample, std::size_t query) const noexcept {
  KeyRange keys{.begin = 0, .end = num_keys_};
  if (valid_lens_ != nullptr) {
    const std::size_t index = valid_lens_by_query_ ? sample * num_queries_ + query : sample;
    keys.end = static_cast<std::size_t>(valid_lens_[index]);
  }
  if (keys.size() == 0 && empty_rows_ == EmptyRows::uniform) {
    return {.keys = {.begin = 0, .end = num_keys_}, .uniform = num_keys_ > 0};
  }
  return {.keys = keys};
}

KeyRange KeyRanges::of_sample(std::size_t sample) const noexcept {
  KeyRange all{.begin = num_keys_, .end = 0};
  for (std::size_t query = 0; query < num_queries_; ++query) {
    const KeyRange keys = row(sample, query).keys;
    if (keys.size() > 0) {
      all.begin = std::min(all.begin, keys.begin);
      all.end = std::max(all.end, keys.end);
    }
  }
  return all.begin < all.end ? all : KeyRange{};
}

ValidLensStorage::ValidLensStorage(const ValidLens& valid_lens) {
  const auto copy = [this](const auto& lens) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(lens)>, std::monostate>) {
      rank_ = lens.dimension();
      lens_.reserve(lens.size());
      for (const std::int64_t length : lens) {
        lens_.push_back(static_cast<std::int32_t>(length));
      }
    }
  };
  std::visit(copy, valid_lens);
}

void ValidLensStorage::limit(KeyRanges& ranges) const noexcept {
  if (rank_ == 1) {
    ranges.limit_samples(lens_.data());
  } else if (rank_ == 2) {
    ranges.limit_queries(lens_.data());
  }
}

}  // namespace headwise
