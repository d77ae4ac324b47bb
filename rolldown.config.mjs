// Bundles bindings/ and the glue of the WebAssembly builds into dist/.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

/** The WebAssembly builds: build/wasm/headwise-<name>.js and .wasm. The JavaScript of the first serves all. */
const builds = ['simd', 'relaxed-simd', 'simd-threads', 'relaxed-simd-threads'];
const [first, ...others] = builds;

const built = (file) => fileURLToPath(new URL(`build/wasm/${file}`, import.meta.url));

/** By which short names the JavaScript of a build imports and exports what. */
async function interfaceOf(build) {
  const glue = await readFile(built(`headwise-${build}.js`), 'utf8');
  return glue.match(/wasmImports=\{[^}]*\}|[\w$]*[=>()]*wasmExports\["\w+"\]/g)?.join('\n');
}

/** What a console shows of an object is the name of its class. */
const keptNames = { class: true, function: false };

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

export default defineConfig({
  input: { index: 'bindings/index.ts', worker: 'bindings/worker.ts' },
  platform: 'neutral',
  // Its paths are for the editor.
  tsconfig: false,
  resolve: {
    alias: { 'headwise-glue': built(`headwise-${first}.js`) },
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
    },
  },
  plugins: [wasmFiles],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minify: {
      mangle: { keepNames: keptNames },
      compress: { keepNames: keptNames },
      codegen: true,
    },
  },
});
