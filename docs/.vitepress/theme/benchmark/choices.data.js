// What the benchmark page offers, with the versions and sizes of what it loads.
import { statSync } from 'node:fs';
import { fromRoot } from '../../../../scripts/lib/files.mjs';
import { packageVersions } from '../../../../benchmarks/web/machine.mjs';
import { peerFiles } from '../../../run/peer-files.mjs';

const libraries = {
  'onnxruntime-web': { name: 'onnxruntime-web', package: 'onnxruntime-web' },
  litert: { name: 'LiteRT.js', package: '@litertjs/core' },
  tfjs: { name: 'TensorFlow.js', package: '@tensorflow/tfjs' },
  jax: { name: 'jax-js', package: '@jax-js/jax' },
};

const bytesOf = (file) => statSync(fromRoot('benchmarks/web/node_modules', file)).size;

export default {
  load() {
    const versions = packageVersions();
    return {
      headwise: versions.headwise,
      libraries: Object.entries(libraries).map(([module, { name, package: from }]) => ({
        module,
        name,
        version: versions[from],
        megabytes: peerFiles[module].reduce((sum, file) => sum + bytesOf(file), 0) / 1e6,
      })),
    };
  },
};
