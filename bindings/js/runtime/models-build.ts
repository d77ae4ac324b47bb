/**
 * The builds with models, training and files. A module of the package apart, of which bundlers leave out both the code
 * and the effect unless something that is used makes a call of those builds.
 */
import type { Core } from 'headwise-glue';
import { haveModels } from './init.js';
import { modelFiles } from './model-files.js';
import { checkHasModels, newestCore } from './wasm.js';

haveModels(modelFiles);

/** The core in which new things are made, with the calls of models, training and files. */
export function modelsCore(): Core {
  const newest = newestCore();
  checkHasModels();
  return newest;
}
