/**
 * The builds with models, training and files. This is a separate module, so that bundlers remove it unless the program
 * uses a function that needs these builds.
 */
import type { Core } from 'headwise-glue';
import { haveModels } from './init.js';
import { modelFiles } from './model-files.js';
import { checkHasModels, newestCore } from './wasm.js';

haveModels(modelFiles);

/** Enters the newest core and returns it. Fails unless it has models, training and files. */
export function modelsCore(): Core {
  const newest = newestCore();
  checkHasModels();
  return newest;
}
