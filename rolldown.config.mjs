// Bundles bindings/js and the glue of the WebAssembly builds into dist/.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

/** The WebAssembly builds: build/wasm/headwise-<name>.js and .wasm. The JavaScript of the first serves all. */
const builds = ['simd', 'relaxed-simd', 'simd-threads', 'relaxed-simd-threads'];
const [first, ...others] = builds;

const made = (file) => fileURLToPath(new URL(`build/${file}`, import.meta.url));
const built = (file) => made(`wasm/${file}`);

/** By which short names the JavaScript of a build imports and exports what. */
async function interfaceOf(build) {
  const glue = await readFile(built(`headwise-${build}.js`), 'utf8');
  return glue.match(/wasmImports=\{[^}]*\}|[\w$]*[=>()]*wasmExports\["\w+"\]/g)?.join('\n');
}

const wasmFiles = {
  name: 'wasm-files',
  async buildStart() {
    const expected = await interfaceOf(first);
    for (const build of others) {
      if (expected === undefined || (await interfaceOf(build)) !== expected) {
        this.error(`the glue of ${first} does not fit ${build}: they import or export differently`);
      }
    }
  },
  async generateBundle() {
    for (const build of builds) {
      const fileName = `headwise-${build}.wasm`;
      this.emitFile({ type: 'asset', fileName, source: await readFile(built(fileName)) });
    }
  },
};

/**
 * How the glue would find and load a file, and what stands there instead: `init` does that, and bundlers would follow
 * the glue as well.
 */
const loading = {
  'import.meta.url': "''",
  'wasmBinaryFile??=findWasmBinary();var result=instantiateSync(wasmBinaryFile,info);return receiveInstance(result[0])':
    '',
};

const glueLoadsNothing = {
  name: 'glue-loads-nothing',
  transform: {
    filter: { id: /headwise-[\w-]+\.js$/ },
    handler(code) {
      let rest = code;
      for (const [part, instead] of Object.entries(loading)) {
        // Of the same length, so that source maps stay right.
        rest = rest.replaceAll(part, instead.padEnd(part.length));
      }
      return { code: rest, map: null };
    },
  },
};

/** A file with all that it imports: bundlers take the worker's for a file of its own and copy no other with it. */
const bundle = (name, source, plugins = []) => ({
  input: { [name]: `bindings/js/${source}` },
  platform: 'neutral',
  // Its paths are for the editor.
  tsconfig: false,
  resolve: {
    alias: {
      'headwise-glue': built(`headwise-${first}.js`),
      'headwise-records': made('generated/records.js'),
    },
    extensionAlias: { '.js': ['.ts', '.js'] },
    // What is bundled from npm comes as its ES module.
    mainFields: ['module', 'main'],
  },
  transform: {
    target: 'es2022',
    define: {
      // Embind's glue brings this constant only with types that are not registered here.
      GenericWireTypeSize: '8',
      // The glue loads nothing, so how it would do so can go.
      'typeof importScripts': '"undefined"',
      'typeof window': '"undefined"',
      'typeof process': '"undefined"',
    },
  },
  plugins: [glueLoadsNothing, ...plugins],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    // Whoever bundles for pages minifies; in an uncaught error, Node prints the line that threw.
    minify: 'dce-only',
    sourcemap: true,
  },
});

export default defineConfig([
  bundle('index', 'index.ts', [wasmFiles]),
  bundle('worker', 'runtime/worker.ts'),
]);
