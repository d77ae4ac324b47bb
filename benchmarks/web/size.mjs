// What a page loads to compute attention: JavaScript, minified by one and the same minifier, and
// WebAssembly, each file compressed by brotli at its strongest.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { minify } from 'rolldown/utils';
import { fromRoot } from '../../scripts/lib/files.mjs';

const compress = promisify(brotliCompress);
const modules = 'benchmarks/web/node_modules';

/** By peer: its folder, and which of the files in it are loaded on one thread. */
const loaded = {
  headwise: ['dist', /^layer\.js$|^headwise-relaxed-simd\.wasm$/],
  'onnxruntime-web': [
    `${modules}/onnxruntime-web/dist`,
    /^ort\.wasm\.min\.mjs$|^ort-wasm-simd-threaded\.(mjs|wasm)$/,
  ],
  'tfjs (core)': [`${modules}/@tensorflow/tfjs-core/dist`, /^tf-core\.min\.js$/],
  'tfjs (backend)': [
    `${modules}/@tensorflow/tfjs-backend-wasm/dist`,
    /^tf-backend-wasm\.min\.js$|^tfjs-backend-wasm-simd\.wasm$/,
  ],
  jax: [`${modules}/@jax-js/jax/dist`, /^(index|backend-.*|rolldown-runtime-.*)\.js$/],
  litert: [`${modules}/@litertjs/core/wasm`, /^litert_wasm_internal\.(js|wasm)$/],
  'litert (API)': [`${modules}/@litertjs/core/dist`, /^index\.js$/],
};

async function sizeOf(path) {
  let bytes = readFileSync(path);
  if (/\.m?js$/.test(path)) bytes = Buffer.from((await minify(path, bytes.toString())).code);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return (await compress(bytes, { params })).length;
}

/** Results by peer: bytes by file and together. */
export async function measureSizes(_engine, _chosen, { progress }) {
  const results = new Map();
  for (const [name, [folder, isLoaded]] of Object.entries(loaded)) {
    const peer = name.replace(/ \(.*/, '');
    const result = results.get(peer) ?? { peer, files: {}, bytes: 0 };
    results.set(peer, result);
    for (const file of readdirSync(fromRoot(folder)).filter((entry) => isLoaded.test(entry))) {
      progress(file);
      result.files[file] = await sizeOf(join(fromRoot(folder), file));
      result.bytes += result.files[file];
    }
  }
  return [...results.values()];
}
