/** The builds of headwise/inline: a single one, with models, as text. */
import models from 'headwise-models-simd.wasm';
import type { Builds } from './builds.js';

const builds: Builds = {
  simd: () => Uint8Array.from(atob(models), (letter) => letter.charCodeAt(0)),
};

export { builds as layerFiles, builds as modelFiles };
