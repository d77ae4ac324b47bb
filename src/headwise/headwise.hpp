#pragma once

/// Everything public of headwise: multi-head attention, head by head.

#include <headwise/attention/dot_product_attention.hpp>
#include <headwise/attention/heads.hpp>
#include <headwise/attention/masked_softmax.hpp>
#include <headwise/attention/multi_head_attention.hpp>
#include <headwise/attention/state_dict.hpp>
#include <headwise/attention/valid_lens.hpp>
#include <headwise/error.hpp>
#include <headwise/random.hpp>
#include <headwise/tensor.hpp>
