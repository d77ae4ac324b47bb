// Bundles bindings/js and the glue of the WebAssembly builds into dist/.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

/** The WebAssembly builds, for layers alone and for all: build/wasm/headwise-<name>.wasm. */
const builds = ['', 'models-'].flatMap((extent) =>
  ['simd', 'relaxed-simd', 'simd-threads', 'relaxed-simd-threads'].map((name) => extent + name),
);

const made = (file) => fileURLToPath(new URL(`build/${file}`, import.meta.url));

const wasmFiles = {
  name: 'wasm-files',
  async generateBundle() {
    for (const build of builds) {
      const fileName = `headwise-${build}.wasm`;
      this.emitFile({ type: 'asset', fileName, source: await readFile(made(`wasm/${fileName}`)) });
    }
  },
};

/** Lines that people can read: parts name what they share with others in one. */
const shortLines = {
  name: 'short-lines',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') {
        // The last line of code, so that source maps stay right.
        chunk.code = chunk.code.replace(/^export \{.*\};$/m, (line) =>
          line.replace('{ ', '{\n  ').replaceAll(', ', ',\n  ').replace(' }', '\n}'),
        );
      }
    }
  },
};

/**
 * The files of the package, by the folders and files of bindings/js that each holds. Bundlers take or leave a file as a
 * whole, with its effects: that of models-build.js decides which WebAssembly is loaded.
 */
const parts = {
  'models-build': /\/runtime\/models-build\.ts$/,
  files: /\/bindings\/js\/io\//,
  model: /\/bindings\/js\/(model|importance)\/|\/training\/(optimizers|tasks)\.ts$/,
  layer: /./,
};

/** A file with all that it imports: bundlers take the worker's for a file of its own and copy no other with it. */
const bundle = (input, plugins = [], groups = []) => ({
  input,
  platform: 'neutral',
  preserveEntrySignatures: 'allow-extension',
  // Its paths are for the editor.
  tsconfig: false,
  resolve: {
    alias: { 'headwise-records': made('generated/records.js') },
    extensionAlias: { '.js': ['.ts', '.js'] },
    // What is bundled from npm comes as its ES module.
    mainFields: ['module', 'main'],
  },
  transform: { target: 'es2022' },
  plugins,
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minifyInternalExports: false,
    ...(groups.length > 0 && {
      codeSplitting: { groups, includeDependenciesRecursively: false },
    }),
    // Whoever bundles for pages minifies; in an uncaught error, Node prints the line that threw.
    minify: 'dce-only',
    sourcemap: true,
  },
});

export default defineConfig([
  bundle(
    { index: 'bindings/js/index.ts', models: 'bindings/js/models.ts' },
    [wasmFiles, shortLines],
    Object.entries(parts).map(([name, test]) => ({ name, test })),
  ),
  bundle({ worker: 'bindings/js/runtime/worker.ts' }),
]);
