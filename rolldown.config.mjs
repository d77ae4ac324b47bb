// Bundles bindings/js and the glue of the WebAssembly builds into dist/.
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

/** The WebAssembly builds, for layers alone and for all: build/wasm/headwise-<name>.wasm. */
const builds = ['', 'models-'].flatMap((extent) =>
  ['simd', 'relaxed-simd', 'simd-threads', 'relaxed-simd-threads'].map((name) => extent + name),
);

const made = (file) => fileURLToPath(new URL(`build/${file}`, import.meta.url));

/** Development builds have no relaxed SIMD; copies of the others take their place. */
const sourceOf = (build) =>
  process.env.HEADWISE_WASM === 'development' ? build.replace('relaxed-', '') : build;

const wasmFiles = {
  name: 'wasm-files',
  async generateBundle() {
    for (const build of builds) {
      const source = await readFile(made(`wasm/headwise-${sourceOf(build)}.wasm`));
      this.emitFile({ type: 'asset', fileName: `headwise-${build}.wasm`, source });
    }
  },
};

/** Files that headwise/inline has others in place of, which need no other file. */
const instead = {
  'layer-files.js': 'inline-files.ts',
  'model-files.js': 'inline-files.ts',
  'start-workers.js': 'no-workers.ts',
};

const withoutFiles = {
  name: 'without-files',
  resolveId(source) {
    if (source === 'headwise-models-simd.wasm') return made(`wasm/${source}`);
    const other = instead[basename(source)];
    return other && fileURLToPath(new URL(`bindings/js/runtime/${other}`, import.meta.url));
  },
};

/** One name a line. */
const namePerLine = (list) =>
  list.replace('{ ', '{\n  ').replaceAll(', ', ',\n  ').replace(' }', ',\n}');

/** Lines that people can read: parts name what they share with others in one, their first and their last. */
const shortLines = {
  name: 'short-lines',
  async writeBundle({ dir }, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    for (const { fileName } of chunks) {
      const file = join(dir, fileName);
      const code = await readFile(file, 'utf8');
      const [imports] = /^(import \{.*\} from .*\n)*/.exec(code);
      const lines = imports.replaceAll(/\{.*\}/g, namePerLine);
      const rest = code.slice(imports.length).replace(/^export \{.*\};$/m, namePerLine);
      await writeFile(file, lines + rest);
      // As many lines more before all that the source map knows of.
      const added = lines.split('\n').length - imports.split('\n').length;
      if (added > 0 && rest.includes('//# sourceMappingURL=')) {
        const map = JSON.parse(await readFile(`${file}.map`, 'utf8'));
        map.mappings = ';'.repeat(added) + map.mappings;
        await writeFile(`${file}.map`, JSON.stringify(map));
      }
    }
  },
};

/**
 * The files of the package, by the folders and files of bindings/js that each holds. Node takes half a millisecond to
 * load each. Bundlers take or leave the effects of a file as a whole: that of models-build.ts decides which WebAssembly
 * is loaded, so it is not in a file with calls that the smaller build has.
 */
const parts = {
  files: /\/bindings\/js\/io\/|\/runtime\/model(s-build|-files)\.ts$/,
  model: /\/bindings\/js\/(model|importance)\/|\/training\/(optimizers|tasks)\.ts$/,
  layer: /./,
};

/** A file with all that it imports: bundlers take the worker's for a file of its own and copy no other with it. */
const bundle = (input, plugins = [], groups = [], sourcemap = true) => ({
  input,
  moduleTypes: { '.wasm': 'base64' },
  platform: 'neutral',
  preserveEntrySignatures: 'allow-extension',
  // Its paths are for the editor.
  tsconfig: false,
  resolve: {
    alias: {
      'headwise-records': made('generated/records.js'),
      // That of the build with the most calls serves all.
      'headwise-glue': made('wasm/headwise-models-simd.js'),
    },
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
    sourcemap,
  },
});

export default defineConfig([
  bundle(
    { index: 'bindings/js/index.ts', models: 'bindings/js/models.ts' },
    [wasmFiles, shortLines],
    Object.entries(parts).map(([name, test]) => ({ name, test })),
  ),
  // Readable as it is, and a map would have the WebAssembly, too.
  bundle({ inline: 'bindings/js/inline.ts' }, [withoutFiles], [], false),
  bundle({ worker: 'bindings/js/runtime/worker.ts' }),
  bundle({ 'in-worker': 'bindings/js/in-worker.ts' }),
  bundle({ view: 'bindings/js/view.ts' }),
  bundle({ 'in-worker-host': 'bindings/js/in-worker/host.ts' }),
]);
