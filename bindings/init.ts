import createCore, { type Core } from 'headwise-glue';
import { relaxedSimd, simd } from 'wasm-feature-detect';
import { doBeforeLargeCall, setCore } from './core.js';
import { fail, HeadwiseError, show } from './errors.js';
import { checkOptions } from './options.js';
import { checkThreads, chooseThreads, setThreads, startWorkers } from './threads.js';

/** The builds of the WebAssembly core; each has a twin for several threads. */
export type Variant = 'simd' | 'relaxed-simd';

export interface InitOptions {
  /** Which build to load; `'auto'`, the default, takes the fastest that this engine can run. */
  variant?: 'auto' | Variant;
  /**
   * How many threads to compute on, the caller's among them, 64 at most. `'auto'`, the default, takes one for each
   * core, 8 at most, where memory can be shared (Node; pages that are cross-origin isolated), else 1. Results are the
   * same for any number.
   */
  threads?: number | 'auto';
  /**
   * Where the WebAssembly file is, or its bytes, if it does not lie beside the package's JavaScript. Of which variant it
   * is, is the caller's choice; `init` tells. It computes on one thread unless `threads` is a number above 1, and is
   * the variant's twin for threads then.
   */
  wasm?: URL | string | BufferSource;
}

/** What `init` chose. */
export interface Initialized {
  readonly variant: Variant;
  readonly threads: number;
}

/** What was loaded, and how to have its threads again after `dispose`. */
interface Loaded extends Initialized {
  resume(): Promise<void>;
  pause(): void;
}

let running: Promise<Loaded> | undefined;
let loaded: Loaded | undefined;

/**
 * Loads the WebAssembly core and starts its threads. Everything but `Tensor` needs it; calling it again is free and
 * gives the first call's answer. Threads asked for by number are there when it resolves. Those of `'auto'` help from
 * when they are there; under Node they start with the first large call, since their start takes longer than many a
 * program. Workers sleep between calls and do not keep a Node program from ending.
 *
 * @throws HeadwiseError `unsupported` where WebAssembly SIMD is missing or a variant or thread count is asked for that
 *   is not there or is not the one loaded; `load-failed` when the file or the workers cannot be had; it may then be
 *   called again
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
  checkThreads(threads);
  running ??= load(variant, threads, wasm).catch((error: unknown) => {
    running = undefined;
    throw error;
  });
  loaded = await running;
  if (variant !== 'auto' && variant !== loaded.variant) {
    fail('unsupported', 'variant', `'${loaded.variant}', which is loaded`, show(variant));
  }
  if (threads !== 'auto' && threads !== loaded.threads) {
    fail('unsupported', 'threads', `${loaded.threads}, for which it is loaded`, show(threads));
  }
  await loaded.resume();
  return { variant: loaded.variant, threads: loaded.threads };
}

/**
 * Ends the threads that `init` started. Layers and caches stay, and calls compute on the caller's thread alone until
 * `init` is called again. Without threads, or before `init`, it does nothing.
 */
export function dispose(): void {
  loaded?.pause();
}

/** The files, spelled out so that bundlers find them. */
const files: Record<Variant | `${Variant}-threads`, () => URL> = {
  simd: () => new URL('./headwise-simd.wasm', import.meta.url),
  'simd-threads': () => new URL('./headwise-simd-threads.wasm', import.meta.url),
  'relaxed-simd': () => new URL('./headwise-relaxed-simd.wasm', import.meta.url),
  'relaxed-simd-threads': () => new URL('./headwise-relaxed-simd-threads.wasm', import.meta.url),
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

async function load(
  wanted: 'auto' | Variant,
  wantedThreads: number | 'auto',
  wasm: InitOptions['wasm'],
): Promise<Loaded> {
  if (!(await simd())) {
    throw new HeadwiseError(
      'unsupported',
      'engine: expected WebAssembly SIMD (Chrome 91, Firefox 89, Safari 16.4, Node 16 or newer), got an engine without it',
    );
  }
  const isAuto = wantedThreads === 'auto';
  const threads = await chooseThreads(wasm !== undefined && isAuto ? 1 : wantedThreads);
  const hasThreads = threads > 1;
  const build = await choose(wanted);
  const module = await compile(wasm ?? files[hasThreads ? (`${build}-threads` as const) : build]());
  // As bindings/CMakeLists.txt has it, in pages of 64 KB.
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: 65536, shared: hasThreads });
  const core = instantiate(module, wasmMemory);
  setCore(core);
  let isPaused = hasThreads;
  return {
    variant: core.isRelaxed() ? 'relaxed-simd' : 'simd',
    threads,
    async resume() {
      if (!isPaused) {
        return;
      }
      isPaused = false;
      setThreads(core, threads);
      const start = () => startWorkers(core, module, wasmMemory, threads, !isAuto);
      const startSilently = () => {
        // Without them the caller's thread does all of the work.
        start().catch(() => undefined);
      };
      if (!isAuto) {
        await start();
      } else if (typeof process === 'undefined') {
        startSilently();
      } else {
        doBeforeLargeCall(startSilently);
      }
    },
    pause() {
      doBeforeLargeCall(undefined);
      setThreads(core, 1);
      isPaused = hasThreads;
    },
  };
}

/** A module that does not fit, as a given one may not, is the caller's error. */
function instantiate(module: WebAssembly.Module, wasmMemory: WebAssembly.Memory): Core {
  let failure: unknown;
  const core = createCore({
    wasmMemory,
    instantiateWasm(imports, success) {
      try {
        const instance = new WebAssembly.Instance(module, imports);
        success(instance, module);
        return instance.exports;
      } catch (error) {
        failure = error;
        return {};
      }
    },
  });
  if (failure !== undefined) {
    throw loadError('its place', failure);
  }
  return core;
}

async function compile(source: URL | string | BufferSource): Promise<WebAssembly.Module> {
  if (typeof source !== 'string' && !(source instanceof URL)) {
    return WebAssembly.compile(source).catch((error: unknown) => {
      throw loadError('the given bytes', error);
    });
  }
  const url = new URL(source, import.meta.url);
  try {
    return await WebAssembly.compile(await bytesAt(url));
  } catch (error) {
    throw loadError(url.href, error);
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

function loadError(source: string, cause: unknown): HeadwiseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `wasm: expected a WebAssembly module at ${source}, got ${reason}`;
  return new HeadwiseError('load-failed', message, { cause });
}
