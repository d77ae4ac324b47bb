// The steps from a fresh clone to the package (dist/) and the page (build/page/).
import { rmSync } from 'node:fs';
import { cmakeBuild } from './cmake.mjs';
import { fromRoot } from './files.mjs';
import { installLocked } from './npm-tools.mjs';
import { toolchain } from './toolchain.mjs';

/** The program of an installed development dependency, run by this very Node. */
export const tool = (sh, file, ...args) =>
  sh(process.execPath, [fromRoot('node_modules', file), ...args]);

const setup = (purpose) => ({
  name: 'setup',
  about: 'what the machine lacks (scripts/setup.sh)',
  live: true,
  run: (sh) => sh('bash', [fromRoot('scripts/setup.sh'), `--for=${purpose}`]),
});

const dependencies = {
  name: 'dependencies',
  about: 'node_modules, as package-lock.json has them',
  takes: 15,
  made: {
    stamp: 'node_modules/.headwise-dependencies',
    inputs: ['package-lock.json', '.npmrc'],
  },
  run: (sh) => installLocked(sh, fromRoot('.')),
};

const wasm = {
  name: 'wasm',
  about: 'the WebAssembly builds (cmake --preset wasm)',
  needs: ['setup'],
  lock: 'cores',
  takes: 70,
  run: (sh) => cmakeBuild(sh, 'wasm', { tools: [toolchain().emcc] }),
};

const records = {
  name: 'records',
  about: 'build/generated/: what JavaScript and WebAssembly tell each other, from bindings/records',
  takes: 1,
  run: (sh) =>
    sh(process.execPath, [fromRoot('bindings/records/generate.mjs'), fromRoot('build/generated')]),
};

const wasmFiles = ['', 'models-'].flatMap((extent) =>
  ['simd', 'relaxed-simd', 'simd-threads', 'relaxed-simd-threads'].map(
    (build) => `build/wasm/headwise-${extent}${build}.wasm`,
  ),
);

const packageParts = {
  name: 'package',
  about: 'dist/: bundle, WebAssembly files and types',
  takes: 6,
  needs: ['dependencies', 'records', 'wasm'],
  made: {
    stamp: 'build/stamps/package.json',
    inputs: [
      'bindings/js',
      'build/generated',
      ...wasmFiles,
      'package.json',
      'package-lock.json',
      'rolldown.config.mjs',
      'rollup.types.mjs',
      'tsconfig.json',
      'tsconfig.package.json',
    ],
    outputs: ['dist'],
  },
  async run(sh) {
    rmSync(fromRoot('dist'), { recursive: true, force: true });
    await tool(sh, 'rolldown/bin/cli.mjs', '--config', 'rolldown.config.mjs');
    rmSync(fromRoot('build/types'), { recursive: true, force: true });
    await tool(sh, 'typescript/bin/tsc', '--project', 'tsconfig.package.json');
    await tool(sh, 'rollup/dist/bin/rollup', '--config', 'rollup.types.mjs', '--silent');
  },
};

const page = {
  name: 'page',
  about: 'build/page/: the page as static files',
  takes: 3,
  needs: ['package'],
  made: {
    stamp: 'build/stamps/page.json',
    inputs: ['web', 'dist', 'LICENSE', 'THIRD_PARTY.md', 'package.json', 'package-lock.json'],
    outputs: ['build/page'],
  },
  run: (sh) => tool(sh, 'vite/bin/vite.js', 'build', 'web'),
};

export const productSteps = (purpose) => [
  setup(purpose),
  dependencies,
  records,
  wasm,
  packageParts,
  page,
];
