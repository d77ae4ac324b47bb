import { exceptions, relaxedSimd, simd } from 'wasm-feature-detect';
import { addressOf, expectedWasm } from './address.js';
import { fail, HeadwiseError, reasonOf, show } from './errors.js';
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
  /** Which build to load; `'auto'`, the default, takes the fastest that this engine can run. */
  variant?: 'auto' | Variant | undefined;
  /**
   * How many threads to compute on, the caller's among them, 64 at most. `'auto'`, the default, takes one for each
   * core, 8 at most, where memory can be shared (Node; pages that are cross-origin isolated) and workers start, else 1.
   * Results are the same for any number.
   */
  threads?: number | 'auto' | undefined;
  /**
   * Where the WebAssembly file is, its bytes, or the module compiled from it, if the file does not lie beside the
   * package's JavaScript. A URL as text may be relative: to the page's address (`document.baseURI`), or to that of the
   * worker. Under Node a text is a URL, or the path of a file. Of which variant the module is, is the caller's choice;
   * `init` tells. It computes on one thread unless `threads` is a number above 1, and is the variant's twin for threads
   * then.
   */
  wasm?: URL | string | ArrayBuffer | ArrayBufferView | WasmModule | undefined;
  /**
   * Ends the wait: for the file, and for workers, which may never answer. `init` then rejects with the signal's reason;
   * workers that are on their way still come, unless `dispose` or `init({ threads: 1 })` ends them.
   */
  signal?: AbortSignal | undefined;
}

/** What `init` chose. */
export interface Initialized {
  readonly variant: Variant;
  /**
   * How many threads compute. It follows what becomes of them: 1 after `dispose`, and if workers that were to start
   * with the first large call did not.
   */
  readonly threads: number;
}

/** What was loaded. */
interface Engine {
  readonly variant: Variant;
  readonly core: Core;
  /** The options that it was loaded by. */
  readonly given: { readonly threads: number | 'auto'; readonly wasm: InitOptions['wasm'] };
  readonly threadPool: ThreadPool;
}

let engine: Engine | undefined;
/** Files are loaded one after the other, so that each call has an answer of its own. */
let lastLoad: Promise<unknown> = Promise.resolve();

/**
 * Loads the WebAssembly core and starts its threads. Everything but `Tensor` needs it; calling it again is free and
 * gives the first call's answer. If models, tasks, optimizers or files were imported only since, it loads what these
 * need: new layers and caches are then made there, existing ones stay where they are, computed on one thread. After
 * a call that was interrupted (`HeadwiseError` of code `interrupted`) it loads what was loaded anew. Threads are there
 * when it resolves, save for those of `'auto'` under Node: they start with the first large call, since their start takes
 * longer than many a program. Workers sleep between calls and do not keep a Node program from ending.
 *
 * Workers that neither come nor fail keep `init({ threads: 2 })` waiting: `signal`, `dispose()` and
 * `init({ threads: 1 })`, which takes its place, end the wait. `'auto'` waits for 20 seconds.
 *
 * @throws HeadwiseError `unsupported` where WebAssembly SIMD or exceptions are missing, or a variant, thread count or file is asked for
 *   that is not there or is not the one loaded; `load-failed` when the file, its memory or the workers cannot be had; it may
 *   then be called again, with other options, too. The signal's reason
 */
export async function init(options?: InitOptions): Promise<Initialized> {
  const {
    variant = 'auto',
    threads = 'auto',
    wasm,
    signal,
  } = checkOptions(options, ['variant', 'threads', 'wasm', 'signal']);
  if (!['auto', 'simd', 'relaxed-simd'].includes(variant)) {
    fail('invalid-option', 'variant', "'auto', 'simd' or 'relaxed-simd'", show(variant));
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
 * Ends the threads that `init` started, or is starting: it then resolves with one thread. Layers and caches stay, and
 * calls compute on the caller's thread alone until `init` is called again. Without threads, or before `init`, it does
 * nothing.
 */
export function dispose(): void {
  engine?.threadPool.pause();
}

/** What is asked of `init`. */
interface Wanted {
  readonly variant: 'auto' | Variant;
  readonly threads: number | 'auto';
  readonly wasm: InitOptions['wasm'];
  readonly signal: InitOptions['signal'];
}

/** Loads what is not loaded yet. `ready` settles when the threads are there, in an object that is no promise. */
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
  // What lives in the memory of the one before stays there, and is computed by the caller's thread alone.
  before?.threadPool.pause();
  return { engine: made, ready: made.threadPool.have(threads, workers) };
}

function checkVariant(wanted: 'auto' | Variant, loaded: Variant): void {
  if (wanted !== 'auto' && wanted !== loaded) {
    fail('unsupported', 'variant', `'${loaded}', which is loaded`, show(wanted));
  }
}

/** Whether another is to be loaded: with models, which were imported since, or that which is given now. */
const lacksModels = (loaded: Engine, wasm: InitOptions['wasm']): boolean =>
  modelBuilds !== undefined &&
  !hasModels(loaded.core) &&
  (wasm === undefined ? loaded.given.wasm === undefined : !isSame(wasm, loaded.given.wasm));

/** Whether two are one source as far as can be told: of URLs the address, of bytes their number. */
function isSame(wasm: unknown, other: unknown): boolean {
  try {
    const [a, b] = [wasm, other].map((each) => {
      const source = each === undefined ? each : locate(each);
      return isUrl(source) ? source.href : isBytes(source) ? source.byteLength : source;
    });
    return a === b;
  } catch {
    // What was loaded is a source.
    return false;
  }
}

/** The builds with models, if anything that needs them was imported. */
let modelBuilds: Builds | undefined;

/** Has `init` load one of these, the builds with models. */
export function haveModels(builds: Builds): void {
  modelBuilds = builds;
}

/** The fastest build that the engine can run, or the one asked for. */
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

/** Loads what was asked for, and starts its workers where they are to be there soon. */
async function load({
  variant: wanted,
  threads: wantedThreads,
  wasm,
  signal,
}: Wanted): Promise<{ engine: Engine; workers: readonly StartedWorker[] | undefined }> {
  if (typeof WebAssembly === 'undefined' || !((await simd()) && (await exceptions()))) {
    throw new HeadwiseError(
      'unsupported',
      'engine: expected WebAssembly SIMD and exceptions (Chrome 95, Firefox 100, Safari 16.4, Node 17 or newer), got an engine without them',
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
  // They start while the module is loaded.
  const workers = isShared && !startsLater(wantedThreads) ? startWorkers(threads - 1) : undefined;
  const name = isShared ? (`${build}-threads` as const) : build;
  let place = `headwise-${modelBuilds === undefined ? '' : 'models-'}${name}.wasm beside the JavaScript`;
  try {
    const source = locate(wasm ?? builds[name]?.());
    place = placeOf(source);
    const module = await compile(source, signal);
    const core = createCore(module, memory, await createStackCheck());
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
    // Engines name what a Content-Security-Policy lacks, or the policy.
    const expected = /unsafe-eval|CSP/.test(reason)
      ? "a policy with script-src 'wasm-unsafe-eval'"
      : `a WebAssembly module at ${place}${advice}`;
    const message = `wasm: expected ${expected}, got ${reason}`;
    throw new HeadwiseError('load-failed', message, { cause: error });
  }
}

/** In pages of 64 KB, as bindings/wasm/CMakeLists.txt has it. */
const initialMemory = 256;
/** 4, 2, 1 and 0.5 GB: address space, of which some engines have little and give none to more than one memory. */
const mostMemory = [65536, 32768, 16384, 8192];

/** The memory of so many threads; of one, where there is none to share and their number is automatic. */
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

/** What a source is, whichever page or context its class is of. */
const isA = (kind: RegExp, source: unknown): boolean =>
  kind.test(Object.prototype.toString.call(source));
const isUrl = (source: unknown): source is URL => isA(/ URL\]$/, source);
// No type guard: TypeScript's type of modules is empty, so that everything is one.
const isModule = (source: unknown): boolean => isA(/\.Module\]$/, source);
const isBytes = (source: unknown): source is BufferSource =>
  ArrayBuffer.isView(source) || isA(/ArrayBuffer\]$/, source);

/** What was given as `wasm`, a text as the URL that it means. */
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
  // `fetch` reads no files under Node.
  if (source.protocol === 'file:' && node !== undefined) {
    return WebAssembly.compile(node.getBuiltinModule('node:fs').readFileSync(source));
  }
  const response = await fetch(source, { signal: signal ?? null });
  if (!response.ok) {
    throw new Error(`HTTP status ${response.status}`);
  }
  // No engine streams what has another type, or parameters beside it.
  return response.headers.get('Content-Type') === 'application/wasm' &&
    'compileStreaming' in WebAssembly
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
