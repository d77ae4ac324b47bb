// What the builds with models have beyond those for layers alone, see embind.cpp.

#include <emscripten/bind.h>

#include "file_calls.hpp"
#include "function_calls.hpp"
#include "memory.hpp"
#include "model_calls.hpp"
#include "pretrained_calls.hpp"
#include "task_calls.hpp"
#include "training_calls.hpp"

EMSCRIPTEN_BINDINGS(models) {
  using namespace headwise::bindings;  // NOLINT(google-build-using-namespace)
  using emscripten::function;

  function("toFloats", &Call<&to_floats>::run);
  function("roundRow", &Call<&round_row>::run);
  function("toRowMajor", &Call<&to_row_major>::run);
  function("readSafetensorsHeader", &Call<&read_safetensors_header>::run);
  function("writeSafetensorsHeader", &Call<&write_safetensors_header>::run);
  function("readNpyHeader", &Call<&read_npy_header>::run);
  function("writeNpyHeader", &Call<&write_npy_header>::run);
  function("newSgd", &Call<&new_sgd>::run);
  function("newAdam", &Call<&new_adam>::run);
  function("deleteOptimizer", &Call<&delete_optimizer>::run);
  function("setLearningRate", &Call<&set_learning_rate>::run);
  function("step", &Call<&step>::run);
  function("zeroAllGradients", &Call<&zero_all_gradients>::run);
  function("clipGradientNorm", &Call<&clip_gradient_norm>::run);
  function("newModel", &Call<&new_model>::run);
  function("copyModel", &Call<&copy_model>::run);
  function("deleteModel", &Call<&delete_model>::run);
  function("describeModel", &Call<&describe_model>::run);
  function("modelMemory", &Call<&model_memory>::run);
  function("modelParameters", &Call<&model_parameters>::run);
  function("checkModelTensors", &Call<&check_model_tensors>::run);
  function("zeroModelGradients", &Call<&zero_model_gradients>::run);
  function("modelParametersChanged", &Call<&model_parameters_changed>::run);
  function("runModel", &Call<&run_model>::run);
  function("unembed", &Call<&unembed>::run);
  function("backwardModel", &Call<&backward_model>::run);
  function("newGeneration", &Call<&new_generation>::run);
  function("deleteGeneration", &Call<&delete_generation>::run);
  function("generationHasEnded", &Call<&generation_has_ended>::run);
  function("nextToken", &Call<&next_token>::run);
  function("newHeadPatching", &Call<&new_head_patching>::run);
  function("deleteHeadPatching", &Call<&delete_head_patching>::run);
  function("patchNextHeads", &Call<&patch_next_heads>::run);
  function("checkPatchedHeads", &Call<&check_patched_heads>::run);
  function("newModelCache", &Call<&new_model_cache>::run);
  function("deleteModelCache", &Call<&delete_model_cache>::run);
  function("modelCacheLength", &Call<&model_cache_length>::run);
  function("setModelCacheLength", &Call<&set_model_cache_length>::run);
  function("pruneModel", &Call<&prune_model>::run);
  function("planCheckpoint", &Call<&plan_checkpoint>::run);
  function("newPretrained", &Call<&new_pretrained>::run);
  function("pretrainedTensors", &Call<&pretrained_tensors>::run);
  function("loadPretrained", &Call<&load_pretrained>::run);
  function("savePretrained", &Call<&save_pretrained>::run);
  function("prunedHeads", &Call<&pruned_heads>::run);
  function("taskSizes", &Call<&task_sizes>::run);
  function("drawTask", &Call<&draw_task>::run);
  function("checkImportance", &Call<&check_importance>::run);
  function("leastImportantHeads", &Call<&least_important_heads>::run);
  function("scoreHeads", &Call<&score_heads>::run);
}
