#pragma once

#include <headwise/tensor.hpp>
#include <map>
#include <string>

namespace headwise {

/// Parameters by name, as PyTorch's `state_dict()` has them.
using StateDict = std::map<std::string, xt::xarray<float>>;

}  // namespace headwise
