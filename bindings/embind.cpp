// The package's WebAssembly core: numbers and addresses in, numbers out. The TypeScript beside this
// file checks every argument before it calls, owns the layout of the working memory, and is the
// only caller. This is the only file that knows Embind; the calls are in the others.

#include <emscripten/bind.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <typeinfo>

#include "file_calls.hpp"
#include "function_calls.hpp"
#include "layer_calls.hpp"
#include "memory.hpp"
#include "model_calls.hpp"
#include "task_calls.hpp"
#include "threads.hpp"
#include "training_calls.hpp"

namespace headwise::bindings {
namespace {

// What passes is numbers: 1 for true, 0 for false.

/// Whether this is the build that engines with relaxed SIMD run.
std::size_t is_relaxed() {
#if defined(__wasm_relaxed_simd__)
  return 1;
#else
  return 0;
#endif
}

std::size_t allocates(double bytes) { return can_allocate(bytes) ? 1 : 0; }

/// The address of the answer, which lies in working memory; 0 if there is no room.
template <Words Call(Record)>
Address answer(Address question) {
  const Words words = Call(Record(question));
  const Address address = reserve(static_cast<double>(words.size()));
  if (address != 0) {
    std::memcpy(at<std::uint32_t>(address), words.data(), words.size() * sizeof(std::uint32_t));
  }
  return address;
}

}  // namespace
}  // namespace headwise::bindings

// This file takes the place of Embind's own library, see CMakeLists.txt. That registers every type
// that it knows, strings, views and more: 3 KB of the package.
namespace {

emscripten::internal::InitFunc* init_functions =  // NOLINT(*-avoid-non-const-global-variables)
    nullptr;

}  // namespace

extern "C" {
// NOLINTBEGIN(*-identifier-naming, bugprone-*, cert-*): Embind's names

void _embind_register_bindings(emscripten::internal::InitFunc* function) {
  function->next = init_functions;
  init_functions = function;
}

void _embind_initialize_bindings() {
  for (auto* function = init_functions; function != nullptr; function = function->next) {
    function->init_func();
  }
}

/// For texts of errors that cannot happen here.
const char* __getTypeName(const std::type_info* /*type*/) { return nullptr; }

// NOLINTEND(*-identifier-naming, bugprone-*, cert-*)
}

EMSCRIPTEN_BINDINGS(types) {
  using namespace emscripten::internal;  // NOLINT(google-build-using-namespace)

  using Integer = std::size_t;
  _embind_register_void(TypeID<void>::get(), "void");
  _embind_register_integer(TypeID<Integer>::get(), "size", sizeof(Integer),
                           std::numeric_limits<Integer>::min(),
                           std::numeric_limits<Integer>::max());
  _embind_register_float(TypeID<double>::get(), "double", sizeof(double));
}

EMSCRIPTEN_BINDINGS(headwise) {
  using namespace headwise::bindings;  // NOLINT(google-build-using-namespace)
  using emscripten::function;

  function("isRelaxed", &is_relaxed);
  function("workerEntry", &worker_entry);
  function("newStack", &new_stack);
  function("setThreads", &set_threads);
  function("reserve", &reserve);
  function("canAllocate", &allocates);
  function("maskedSoftmax", &masked_softmax);
  function("poolingWorkspaceSize", &pooling_workspace_size);
  function("scaledDotProductAttention", &scaled_dot_product_attention);
  function("additiveAttention", &additive_attention);
  function("splitHeads", &split_heads);
  function("joinHeads", &join_heads);
  function("fillNormal", &fill_normal);
  function("toFloats", &to_floats);
  function("toRowMajor", &to_row_major);
  function("readSafetensorsHeader", &answer<read_safetensors_header>);
  function("writeSafetensorsHeader", &answer<write_safetensors_header>);
  function("readNpyHeader", &answer<read_npy_header>);
  function("writeNpyHeader", &answer<write_npy_header>);
  function("planLayer", &answer<plan_layer>);
  function("newLayer", &new_layer);
  function("deleteLayer", &delete_layer);
  function("initialize", &initialize);
  function("setTraining", &set_training);
  function("parameter", &parameter);
  function("workspaceSize", &workspace_size);
  function("forward", &forward);
  function("createCache", &create_cache);
  function("deleteCache", &delete_cache);
  function("setCacheLength", &set_cache_length);
  function("canRecord", &can_record);
  function("pendingBackward", &pending_backward);
  function("backwardWorkspaceSize", &backward_workspace_size);
  function("backward", &backward);
  function("gradient", &gradient);
  function("zeroGradients", &zero_gradients);
  function("parametersChanged", &parameters_changed);
  function("removeHeads", &remove_heads);
  function("newSgd", &new_sgd);
  function("newAdam", &new_adam);
  function("deleteOptimizer", &delete_optimizer);
  function("setLearningRate", &set_learning_rate);
  function("step", &step);
  function("zeroAllGradients", &zero_all_gradients);
  function("clipGradientNorm", &clip_gradient_norm);
  function("newModel", &new_model);
  function("deleteModel", &delete_model);
  function("modelLayer", &model_layer);
  function("modelParameter", &model_parameter);
  function("modelGradient", &model_gradient);
  function("zeroModelGradients", &zero_model_gradients);
  function("modelWorkspaceSize", &model_workspace_size);
  function("canDifferentiate", &can_differentiate);
  function("runModel", &run_model);
  function("canPrune", &can_prune);
  function("drawTask", &draw_task);
  function("scoreHeads", &score_heads);
}
