import { exceptions, relaxedSimd, simd } from 'wasm-feature-detect';
import { addressOf, expectedWasm } from './address.js';
import { fail, failOption, HeadwiseError, reasonOf, show } from './errors.js';
import type { Builds, Source, Variant, WasmModule } from './builds.js';
import type { Core } from 'headwise-glue';
import { createCore } from './core.js';
import { layerFiles } from './layer-files.js';
import { node, oldNode } from './node.js';
import { checkSignal, orAborted } from './event-loop.js';
import { checkOptions } from './options.js';
import { createStackCheck } from './stack.js';
import { endWorkers, startWorkers, type StartedWorker } from './start-workers.js';
import { checkThreads, chooseThreads, startsLater, ThreadPool } from './threads.js';
import { hasModels, isLost, setCore } from './wasm.js';

export interface InitOptions {
  /** Which build to load. Default: `'auto'`, the fastest that this engine can run. */
  variant?: 'auto' | Variant | undefined;
  /**
   * Number of threads, including the caller's; at most 64. `'auto'` uses one for each core, at most 8, if memory can be
   * shared (in Node, and on cross-origin isolated pages) and workers start; otherwise 1. Results do not depend on it.
   * Default: `'auto'`.
   */
  threads?: number | 'auto' | undefined;
  /**
   * The WebAssembly file's URL, its bytes, or its compiled module, if the file is not beside the package's JavaScript.
   * A string may be a URL relative to the page (`document.baseURI`) or to the worker; in Node it is a URL or a path.
   * Any variant works; the result of `init` says which one it is. If `threads` is a number above 1, it must be the
   * build for threads; otherwise, headwise computes on one thread.
   */
  wasm?: URL | string | ArrayBuffer | ArrayBufferView | WasmModule | undefined;
  /**
   * Stops waiting for the file and for workers. `init` then rejects with the signal's reason. Workers that are starting
   * continue to start, unless `dispose` or `init({ threads: 1 })` ends them.
   */
  signal?: AbortSignal | undefined;
}

/** The variant and number of threads that `init` chose. */
export interface Initialized {
  readonly variant: Variant;
  /**
   * Number of threads in use. It changes to 1 after `dispose`, and if workers fail to start with the first large call.
   */
  readonly threads: number;
}

/** A loaded core. */
interface Engine {
  readonly variant: Variant;
  readonly core: Core;
  /** The options of the `init` call that loaded it. */
  readonly given: { readonly threads: number | 'auto'; readonly wasm: InitOptions['wasm'] };
  readonly threadPool: ThreadPool;
}

let engine: Engine | undefined;
/** Calls load one after the other, so that each gets its own result. */
let lastLoad: Promise<unknown> = Promise.resolve();

/**
 * Loads the WebAssembly core and starts its threads. Everything except `Tensor` needs it. Another call does nothing and
 * returns the first call's result, with three exceptions:
 * - After `dispose`, it starts the threads again.
 * - If models, tasks, optimizers or files were imported since, it loads the build with models. New layers and caches
 *   use it; existing ones stay in the old build and compute on one thread.
 * - If a call was interrupted (`HeadwiseError` with code `interrupted`), it loads a new core.
 *
 * When it resolves, the threads are ready, with one exception: in Node, the threads of `'auto'` start with the first
 * large call, because starting them takes longer than many programs run. Workers sleep between calls and do not keep a
 * Node program running.
 *
 * If workers neither start nor fail, `init({ threads: 2 })` keeps waiting. `signal`, `dispose()` and
 * `init({ threads: 1 })` end the wait. `'auto'` waits for at most 20 seconds.
 *
 * @throws HeadwiseError `unsupported` if WebAssembly SIMD or exceptions are missing, or if the variant, thread count or
 *   file is unavailable or differs from the loaded one; `load-failed` if the file, its memory or the workers fail to
 *   load: `init` may then be called again, also with other options; the signal's reason
 */
export async function init(options?: InitOptions): Promise<Initialized> {
  const {
    variant = 'auto',
    threads = 'auto',
    wasm,
    signal,
  } = checkOptions(options, ['variant', 'threads', 'wasm', 'signal']);
  if (!['auto', 'simd', 'relaxed-simd'].includes(variant)) {
    failOption('variant', "'auto', 'simd' or 'relaxed-simd'", variant);
  }
  checkThreads(threads);
  checkSignal(signal)();
  const load = lastLoad.then(() => initialize({ variant, threads, wasm, signal }));
  lastLoad = load.catch(() => undefined);
  const complete = async (): Promise<Engine> => {
    const { engine: loaded, ready } = await load;
    await ready;
    return loaded;
  };
  const { variant: loaded, threadPool } = await orAborted(complete(), signal);
  return {
    variant: loaded,
    get threads() {
      return threadPool.count;
    },
  };
}

/**
 * Ends the threads that `init` has started or is starting; a pending `init` then resolves with one thread. Layers and
 * caches stay, and calls compute on the caller's thread until `init` is called again. Does nothing without threads or
 * before `init`.
 */
export function dispose(): void {
  engine?.threadPool.pause();
}

/** Checked options of `init`. */
interface Wanted {
  readonly variant: 'auto' | Variant;
  readonly threads: number | 'auto';
  readonly wasm: InitOptions['wasm'];
  readonly signal: InitOptions['signal'];
}

/**
 * Loads what is missing. `ready` settles when the threads are ready. It is in an object, so that awaiting this function
 * does not await it.
 */
async function initialize(
  wanted: Wanted,
): Promise<{ readonly engine: Engine; readonly ready: Promise<void> }> {
  const { variant, threads, wasm } = wanted;
  const before = engine;
  let given = wanted;
  if (before !== undefined) {
    const isOver = isLost(before.core);
    if (!isOver) {
      checkVariant(variant, before.variant);
      if (!lacksModels(before, wasm)) {
        if (wasm !== undefined && !isSame(wasm, before.given.wasm)) {
          fail('unsupported', 'wasm', 'what is loaded already, or none', 'another');
        }
        return { engine: before, ready: before.threadPool.have(threads) };
      }
    }
    given = {
      ...wanted,
      variant: variant === 'auto' ? before.variant : variant,
      threads: threads === 'auto' ? before.given.threads : threads,
      wasm: wasm ?? (isOver ? before.given.wasm : undefined),
    };
  }
  const { engine: made, workers } = await load(given);
  engine = made;
  // Objects in the old core stay there and compute on the caller's thread only.
  before?.threadPool.pause();
  return { engine: made, ready: made.threadPool.have(threads, workers) };
}

function checkVariant(wanted: 'auto' | Variant, loaded: Variant): void {
  if (wanted !== 'auto' && wanted !== loaded) {
    fail('unsupported', 'variant', `'${loaded}', which is loaded`, show(wanted));
  }
}

/** Whether to load another core: models were imported since, or another file is given. */
const lacksModels = (loaded: Engine, wasm: InitOptions['wasm']): boolean =>
  modelBuilds !== undefined &&
  !hasModels(loaded.core) &&
  (wasm === undefined ? loaded.given.wasm === undefined : !isSame(wasm, loaded.given.wasm));

/**
 * Whether two sources are probably the same: URLs with the same address, bytes of the same length, or the same object.
 */
function isSame(wasm: unknown, other: unknown): boolean {
  try {
    const [a, b] = [wasm, other].map((each) => {
      const source = each === undefined ? each : locate(each);
      return isUrl(source) ? source.href : isBytes(source) ? source.byteLength : source;
    });
    return a === b;
  } catch {
    // The loaded source is valid, so an invalid value differs from it.
    return false;
  }
}

/** The builds with models; undefined unless something that needs them was imported. */
let modelBuilds: Builds | undefined;

/** Makes `init` load one of these builds with models. */
export function haveModels(builds: Builds): void {
  modelBuilds = builds;
}

/** The requested build. `'auto'` means the fastest that the engine can run. */
async function choose(variant: 'auto' | Variant, builds: Builds): Promise<Variant> {
  if (variant === 'simd') {
    return variant;
  }
  const isThere = builds['relaxed-simd'] !== undefined;
  const isRelaxed = isThere && (await relaxedSimd());
  if (variant === 'relaxed-simd' && !isRelaxed) {
    const lacking = isThere ? 'this engine has no relaxed SIMD' : 'headwise/inline has no other';
    fail('unsupported', 'variant', `'simd', as ${lacking}`, show(variant));
  }
  return isRelaxed ? 'relaxed-simd' : 'simd';
}

/** Loads a core. Also starts workers, unless they start with the first large call. */
async function load({
  variant: wanted,
  threads: wantedThreads,
  wasm,
  signal,
}: Wanted): Promise<{ engine: Engine; workers: readonly StartedWorker[] | undefined }> {
  if (typeof WebAssembly === 'undefined' || !((await simd()) && (await exceptions()))) {
    throw new HeadwiseError(
      'unsupported',
      'engine: expected WebAssembly SIMD and exceptions (Chrome 95, Firefox 100, Safari 16.4 or newer), got an engine without them',
    );
  }
  const version = oldNode();
  if (version !== undefined) {
    fail('unsupported', 'engine', 'Node 20.16, 22.3 or newer', `Node ${version}`);
  }
  const builds = modelBuilds ?? layerFiles;
  const build = await choose(wanted, builds);
  const hasThreads = builds[`${build}-threads`] !== undefined;
  if (!hasThreads && wantedThreads !== 'auto' && wantedThreads > 1) {
    fail('unsupported', 'threads', '1, as headwise/inline has no workers', show(wantedThreads));
  }
  const threads = await chooseThreads(
    !hasThreads || (wasm !== undefined && wantedThreads === 'auto') ? 1 : wantedThreads,
  );
  const { memory, isShared } = allocateMemory(threads, wantedThreads === 'auto');
  // Workers start while the module is loaded.
  const workers = isShared && !startsLater(wantedThreads) ? startWorkers(threads - 1) : undefined;
  const name = isShared ? (`${build}-threads` as const) : build;
  let place = `headwise-${modelBuilds === undefined ? '' : 'models-'}${name}.wasm beside the JavaScript`;
  try {
    const source = locate(wasm ?? builds[name]?.());
    place = placeOf(source);
    const compiling = compile(source, signal);
    // Meanwhile, the first call compiles the check.
    const checkStack = createStackCheck();
    checkStack(0);
    const module = await compiling;
    const core = createCore(module, memory, checkStack);
    const variant = core.isRelaxed() ? 'relaxed-simd' : 'simd';
    checkVariant(wanted, variant);
    setCore(core);
    return {
      engine: {
        ...{ variant, core, given: { threads: wantedThreads, wasm } },
        threadPool: new ThreadPool(core, module, memory, isShared),
      },
      workers,
    };
  } catch (error) {
    endWorkers(workers ?? []);
    if (error instanceof HeadwiseError) {
      throw error;
    }
    const advice = wasm === undefined ? ' (copy it there, or give init({ wasm }))' : '';
    const reason = reasonOf(error);
    // Engines mention the missing `unsafe-eval` source or the Content-Security-Policy.
    const expected = /unsafe-eval|CSP/.test(reason)
      ? "a policy with script-src 'wasm-unsafe-eval'"
      : `a WebAssembly module at ${place}${advice}`;
    const message = `wasm: expected ${expected}, got ${reason}`;
    throw new HeadwiseError('load-failed', message, { cause: error });
  }
}

/** In pages of 64 KB, as in bindings/wasm/CMakeLists.txt. */
const initialMemory = 256;
/** Maximum sizes to try, largest first: 4, 2, 1 and 0.5 GB of address space, which is scarce in some engines. */
const mostMemory = [65536, 32768, 16384, 8192];

/**
 * Allocates memory for this number of threads. With an automatic number, falls back to one thread if no memory can be
 * shared.
 */
function allocateMemory(
  threads: number,
  isAuto: boolean,
): { memory: WebAssembly.Memory; isShared: boolean } {
  const isShared = threads > 1;
  let refusal: unknown;
  for (const maximum of mostMemory) {
    try {
      const memory = new WebAssembly.Memory({ initial: initialMemory, maximum, shared: isShared });
      return { memory, isShared };
    } catch (error) {
      refusal = error;
    }
  }
  if (isShared && isAuto) {
    return allocateMemory(1, isAuto);
  }
  const [argument, expected, got] = isShared
    ? ['threads', '1, as this engine has no 512 MB of memory to share', threads]
    : ['memory', '512 MB of address space', 'an engine that has none to give'];
  throw new HeadwiseError(
    'load-failed',
    `${argument}: expected ${expected}, got ${got} (${reasonOf(refusal)})`,
    { cause: refusal },
  );
}

/** Checks a source's type. Works for objects of other realms, such as frames. */
const isA = (kind: RegExp, source: unknown): boolean =>
  kind.test(Object.prototype.toString.call(source));
const isUrl = (source: unknown): source is URL => isA(/ URL\]$/, source);
// Not a type guard: TypeScript's type of modules is empty, so every value would match.
const isModule = (source: unknown): boolean => isA(/\.Module\]$/, source);
const isBytes = (source: unknown): source is BufferSource =>
  ArrayBuffer.isView(source) || isA(/ArrayBuffer\]$/, source);

/** Checks `wasm` and resolves strings to URLs. */
function locate(wasm: unknown): Source {
  if (typeof wasm === 'string') {
    return addressOf(wasm);
  }
  if (!isUrl(wasm) && !isModule(wasm) && !isBytes(wasm)) {
    fail('load-failed', 'wasm', expectedWasm, show(wasm));
  }
  return wasm as Source;
}

function placeOf(source: Source): string {
  if (isUrl(source)) {
    return source.href;
  }
  return isModule(source) ? 'the given module' : 'the given bytes';
}

async function compile(
  source: Source,
  signal: AbortSignal | undefined,
): Promise<WebAssembly.Module> {
  if (isBytes(source)) {
    return WebAssembly.compile(source);
  }
  if (!isUrl(source)) {
    return source;
  }
  // In Node, `fetch` cannot read files.
  if (source.protocol === 'file:' && node !== undefined) {
    return WebAssembly.compile(node.getBuiltinModule('node:fs').readFileSync(source));
  }
  const response = await fetch(source, { signal: signal ?? null });
  if (!response.ok) {
    throw new Error(`HTTP status ${response.status}`);
  }
  // Engines stream this exact type only, without parameters.
  return response.headers.get('Content-Type') === 'application/wasm' &&
    'compileStreaming' in WebAssembly
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
