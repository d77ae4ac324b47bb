// The package's WebAssembly core: numbers and addresses in, numbers out. The TypeScript in
// bindings/js is the only caller, and checks the arguments' types. This file and embind_models.cpp,
// which has what only the builds with models have, are the only ones that use Embind; the calls are
// in the others.

#include <emscripten/bind.h>

#include "file_calls.hpp"
#include "function_calls.hpp"
#include "layer_calls.hpp"
#include "memory.hpp"
#include "threads.hpp"
#include "training_calls.hpp"

namespace headwise::bindings {
namespace {

// Arguments and results are numbers: 1 for true, 0 for false.

/// Whether this build uses relaxed SIMD.
std::size_t is_relaxed() {
#if defined(__wasm_relaxed_simd__)
  return 1;
#else
  return 0;
#endif
}

}  // namespace
}  // namespace headwise::bindings

EMSCRIPTEN_BINDINGS(headwise) {
  using namespace headwise::bindings;  // NOLINT(google-build-using-namespace)
  using emscripten::function;

  function("isRelaxed", &Call<&is_relaxed>::run);
  function("workerEntry", &Call<&worker_entry>::run);
  function("newStack", &Call<&new_stack>::run);
  function("setThreads", &Call<&set_threads>::run);
  function("reserve", &Call<&reserve>::run);
  function("newTensor", &Call<&new_tensor>::run);
  function("deleteTensor", &Call<&delete_tensor>::run);
  function("maskedSoftmax", &Call<&masked_softmax>::run);
  function("pool", &Call<&pool>::run);
  function("splitHeads", &Call<&split_heads>::run);
  function("joinHeads", &Call<&join_heads>::run);
  function("positionalEncoding", &Call<&positional_encoding>::run);
  function("fillNormal", &Call<&fill_normal>::run);
  function("planLayer", &Call<&plan_layer>::run);
  function("newLayer", &Call<&new_layer>::run);
  function("copyLayer", &Call<&copy_layer>::run);
  function("deleteLayer", &Call<&delete_layer>::run);
  function("initialize", &Call<&initialize>::run);
  function("isTraining", &Call<&is_training>::run);
  function("setTraining", &Call<&set_training>::run);
  function("layerParameters", &Call<&layer_parameters>::run);
  function("checkLayerTensors", &Call<&check_layer_tensors>::run);
  function("readParameter", &Call<&read_parameter>::run);
  function("writeParameter", &Call<&write_parameter>::run);
  function("forward", &Call<&forward>::run);
  function("createCache", &Call<&create_cache>::run);
  function("deleteCache", &Call<&delete_cache>::run);
  function("cacheLength", &Call<&cache_length>::run);
  function("setCacheLength", &Call<&set_cache_length>::run);
  function("backward", &Call<&backward>::run);
  function("zeroGradients", &Call<&zero_gradients>::run);
  function("parametersChanged", &Call<&parameters_changed>::run);
  function("removeHeads", &Call<&remove_heads>::run);
}
