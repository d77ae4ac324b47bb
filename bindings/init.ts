import createCore from 'headwise-glue';
import { relaxedSimd, simd } from 'wasm-feature-detect';
import { setCore } from './core.js';
import { fail, HeadwiseError, show } from './errors.js';
import { checkOptions } from './options.js';

/** The builds of the WebAssembly core. */
export type Variant = 'simd' | 'relaxed-simd';

export interface InitOptions {
  /** Which build to load; `'auto'`, the default, takes the fastest that this engine can run. */
  variant?: 'auto' | Variant;
  /** How many threads to compute on; `'auto'`, the default, takes what is best here. */
  threads?: number | 'auto';
  /**
   * Where the WebAssembly file is, or its bytes, if it does not lie beside the package's JavaScript. Of which variant it
   * is, is the caller's choice; `init` tells.
   */
  wasm?: URL | string | BufferSource;
}

/** What `init` chose. */
export interface Initialized {
  readonly variant: Variant;
  readonly threads: number;
}

let running: Promise<Initialized> | undefined;

/**
 * Loads the WebAssembly core. Everything but `Tensor` needs it; calling it again is free and gives the first call's
 * answer. Throws `HeadwiseError`: `unsupported` where WebAssembly SIMD is missing or a variant or thread count is asked
 * for that is not there or is not the one loaded, `load-failed` when the file cannot be had; it may then be called
 * again.
 */
export async function init(options?: InitOptions): Promise<Initialized> {
  const {
    variant = 'auto',
    threads = 'auto',
    wasm,
  } = checkOptions(options, ['variant', 'threads', 'wasm']);
  if (!['auto', 'simd', 'relaxed-simd'].includes(variant)) {
    fail('invalid-option', 'variant', "'auto', 'simd' or 'relaxed-simd'", show(variant));
  }
  if (threads !== 'auto' && (!Number.isInteger(threads) || threads < 1)) {
    fail('invalid-option', 'threads', "'auto' or an integer from 1 on", show(threads));
  }
  if (threads !== 'auto' && threads > 1) {
    fail('unsupported', 'threads', '1, as many as this version has', show(threads));
  }
  running ??= load(variant, wasm).catch((error: unknown) => {
    running = undefined;
    throw error;
  });
  const loaded = await running;
  if (variant !== 'auto' && variant !== loaded.variant) {
    fail('unsupported', 'variant', `'${loaded.variant}', which is loaded`, show(variant));
  }
  return loaded;
}

/** The files, spelled out so that bundlers find them. */
const files: Record<Variant, () => URL> = {
  simd: () => new URL('./headwise-simd.wasm', import.meta.url),
  'relaxed-simd': () => new URL('./headwise-relaxed-simd.wasm', import.meta.url),
};

/** The fastest build that the engine can run, or the one asked for. */
async function choose(variant: 'auto' | Variant): Promise<Variant> {
  if (variant === 'simd') {
    return variant;
  }
  const isRelaxed = await relaxedSimd();
  if (variant === 'relaxed-simd' && !isRelaxed) {
    fail('unsupported', 'variant', "'simd', as this engine has no relaxed SIMD", show(variant));
  }
  return isRelaxed ? 'relaxed-simd' : 'simd';
}

async function load(variant: 'auto' | Variant, wasm: InitOptions['wasm']): Promise<Initialized> {
  if (!(await simd())) {
    throw new HeadwiseError(
      'unsupported',
      'engine: expected WebAssembly SIMD (Chrome 91, Firefox 89, Safari 16.4, Node 16 or newer), got an engine without it',
    );
  }
  const module = await compile(wasm ?? files[await choose(variant)]());
  const core = await createCore({
    instantiateWasm(imports, success) {
      const instance = new WebAssembly.Instance(module, imports);
      success(instance, module);
      return instance.exports;
    },
  });
  setCore(core);
  return { variant: core.isRelaxed() ? 'relaxed-simd' : 'simd', threads: 1 };
}

async function compile(source: URL | string | BufferSource): Promise<WebAssembly.Module> {
  if (typeof source !== 'string' && !(source instanceof URL)) {
    return WebAssembly.compile(source).catch((error: unknown) =>
      failToLoad('the given bytes', error),
    );
  }
  const url = new URL(source, import.meta.url);
  try {
    return await WebAssembly.compile(await bytesAt(url));
  } catch (error) {
    return failToLoad(url.href, error);
  }
}

/** The file's bytes. `fetch` reads no files under Node, so there the file system does. */
async function bytesAt(url: URL): Promise<BufferSource> {
  if (url.protocol === 'file:' && typeof process !== 'undefined') {
    return process.getBuiltinModule('node:fs').readFileSync(url);
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`HTTP status ${response.status}`);
  }
  return response.arrayBuffer();
}

function failToLoad(source: string, cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new HeadwiseError(
    'load-failed',
    `wasm: expected a WebAssembly module at ${source}, got ${reason}`,
    {
      cause,
    },
  );
}
