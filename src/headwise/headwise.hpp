#pragma once

/// Everything public of headwise: multi-head attention, head by head.

#include <headwise/attention/additive_attention.hpp>
#include <headwise/attention/dot_product_attention.hpp>
#include <headwise/attention/head_importance.hpp>
#include <headwise/attention/heads.hpp>
#include <headwise/attention/key_value_cache.hpp>
#include <headwise/attention/masked_softmax.hpp>
#include <headwise/attention/masks.hpp>
#include <headwise/attention/multi_head_attention.hpp>
#include <headwise/attention/positional_encoding.hpp>
#include <headwise/error.hpp>
#include <headwise/io/npy.hpp>
#include <headwise/io/safetensors.hpp>
#include <headwise/models/attention_only_transformer.hpp>
#include <headwise/models/model_head_importance.hpp>
#include <headwise/random.hpp>
#include <headwise/state_dict.hpp>
#include <headwise/tasks/pattern_scores.hpp>
#include <headwise/tasks/tasks.hpp>
#include <headwise/tensor.hpp>
#include <headwise/threads.hpp>
#include <headwise/tokens.hpp>
#include <headwise/training/adam.hpp>
#include <headwise/training/cross_entropy.hpp>
#include <headwise/training/sgd.hpp>
