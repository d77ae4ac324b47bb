#pragma once

/// The whole public interface of headwise: multi-head attention, head by head.

#include <headwise/attention_only_transformer.hpp>
#include <headwise/attention_options.hpp>
#include <headwise/attention_pooling.hpp>
#include <headwise/caller_memory.hpp>
#include <headwise/captures.hpp>
#include <headwise/cross_entropy.hpp>
#include <headwise/error.hpp>
#include <headwise/head_importance.hpp>
#include <headwise/heads.hpp>
#include <headwise/key_value_cache.hpp>
#include <headwise/masked_softmax.hpp>
#include <headwise/masks.hpp>
#include <headwise/microscope.hpp>
#include <headwise/model_head_importance.hpp>
#include <headwise/multi_head_attention.hpp>
#include <headwise/npy.hpp>
#include <headwise/optimizers.hpp>
#include <headwise/pattern_scores.hpp>
#include <headwise/positional_encoding.hpp>
#include <headwise/random.hpp>
#include <headwise/safetensors.hpp>
#include <headwise/state_dict.hpp>
#include <headwise/tasks.hpp>
#include <headwise/tensor.hpp>
#include <headwise/threads.hpp>
#include <headwise/tokens.hpp>
