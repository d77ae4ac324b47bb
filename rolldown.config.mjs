// Bundles bindings/ and the glue of the WebAssembly builds into dist/.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

/** The WebAssembly builds: build/wasm/headwise-<name>.js and .wasm. Their JavaScript is the same: one serves all. */
const builds = ['simd', 'relaxed-simd'];
const [first, ...others] = builds;

const built = (file) => fileURLToPath(new URL(`build/wasm/${file}`, import.meta.url));

/** What a console shows of an object is the name of its class. */
const keptNames = { class: true, function: false };

const wasmFiles = {
  name: 'wasm-files',
  async buildStart() {
    const glueOf = async (build) => {
      const glue = await readFile(built(`headwise-${build}.js`), 'utf8');
      return glue.replaceAll(`headwise-${build}`, 'headwise');
    };
    for (const build of others) {
      if ((await glueOf(build)) !== (await glueOf(first))) {
        this.error(`the glue of ${build} is not that of ${first}: they export different functions`);
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
  input: { index: 'bindings/index.ts' },
  platform: 'neutral',
  // Its paths are for the editor.
  tsconfig: false,
  resolve: {
    alias: { 'headwise-glue': built(`headwise-${first}.js`) },
    extensionAlias: { '.js': ['.ts', '.js'] },
    // What is bundled from npm comes as its ES module.
    mainFields: ['module', 'main'],
  },
  transform: { target: 'es2022' },
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
