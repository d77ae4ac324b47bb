#include <headwise/api/validation.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/multi_head_attention.hpp>
#include <set>
#include <string>

namespace headwise::validation {
namespace {

void check_whole_groups(const LayerSettings& settings, const std::set<std::int64_t>& heads,
                        std::string_view name) {
  const std::size_t group_size = settings.num_heads / settings.num_kv_heads;
  for (std::size_t first = 0; first < settings.num_heads; first += group_size) {
    std::size_t given = 0;
    for (std::size_t head = first; head < first + group_size; ++head) {
      given += heads.count(static_cast<std::int64_t>(head));
    }
    if (given != 0 && given != group_size) {
      fail(ErrorCode::invalid_option, name,
           {"all or none of the heads ", first, " to ", first + group_size - 1,
            ", which share a key-value head"},
           {given, " of ", group_size});
    }
  }
}

}  // namespace

void check_prune_heads(const MultiHeadAttention& layer, std::span<const std::int64_t> heads,
                       std::string_view name) {
  check_in_use(layer.in_use(), "layer");
  const LayerSettings& settings = layer.settings();
  const std::string_view argument = "prune_heads";
  if (settings.projection == Projection::convolution) {
    fail(ErrorCode::invalid_option, argument, {"projection 'linear'"}, {"'convolution'"});
  }
  if (!settings.output_projection) {
    fail(ErrorCode::invalid_option, argument, {"a layer with W_o"}, {"one without"});
  }
  check_sizes_known(layer, argument);
  for (const std::int64_t head : heads) {
    if (head < 0 || static_cast<std::uint64_t>(head) >= settings.num_heads) {
      fail(ErrorCode::invalid_option, name, {"integers from 0 to ", settings.num_heads - 1},
           {head});
    }
  }
  const std::set<std::int64_t> each_once(heads.begin(), heads.end());
  if (each_once.size() == settings.num_heads) {
    fail(ErrorCode::invalid_option, name, {"at least one head to be left"},
         {"all ", settings.num_heads});
  }
  check_whole_groups(settings, each_once, name);
}

}  // namespace headwise::validation
