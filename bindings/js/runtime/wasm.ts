import type { Core, ResultPlaces } from 'headwise-glue';
import { failInterrupted, HeadwiseError } from './errors.js';

const notInitialized = (problem: string): never => {
  throw new HeadwiseError('not-initialized', `headwise: expected ${problem}`);
};

/** The core for new objects. If there are two, it is the one with models, which was loaded later. */
let newest: Core | undefined;
/** The core of the current call. Objects stay in the core where they were created. */
let entered: Core | undefined;
/** All loaded cores that are not lost. */
let cores: Core[] = [];
/** The result of `core()`: the only core, or a proxy that forwards calls to the entered one. */
let loaded: Core | undefined;

/** The entered core. Throws if there is none, before `init`. */
export const enteredCore = (): Core =>
  entered ?? notInitialized('init() to have been awaited, got a call before it');

/** Forwards calls to the entered core. */
function handOn(core: Core): Core {
  const current = (name: string): unknown =>
    (enteredCore() as unknown as Record<string, unknown>)[name];
  const calls: PropertyDescriptorMap = {};
  for (const [name, member] of Object.entries(core)) {
    calls[name] =
      typeof member === 'function'
        ? {
            value: (...numbers: readonly number[]) =>
              (current(name) as (...numbers: readonly number[]) => number)(...numbers),
          }
        : { get: () => current(name) };
  }
  return Object.create(null, calls) as Core;
}

/** Whether a call or a change of this core was interrupted. Its contents are then lost. */
export const isLost = ({ state }: Core): boolean => state.isBusy || state.isChanging;

/**
 * Changes WebAssembly memory and JavaScript's own state together. If it is interrupted between the two, the core is
 * lost. `change` must not run the caller's code or enter a core. `results` is where its call puts results.
 */
export function commit<Result>(change: () => Result, results?: ResultPlaces): Result {
  const { state } = enteredCore();
  state.isChanging = true;
  state.results = results;
  try {
    return change();
  } finally {
    // Runs after errors, but not if the program is terminated.
    state.isChanging = false;
    state.results = undefined;
  }
}

/** Makes this core the one for new objects. */
export function setCore(core: Core): void {
  cores = [...cores.filter((each) => !isLost(each)), core];
  loaded = cores.length === 1 ? core : handOn(core);
  newest = core;
  entered = core;
}

/** The loaded WebAssembly core. Throws before `init`. */
export function core(): Core {
  return loaded ?? enteredCore();
}

/** Makes the following calls go to this core; by default to the one for new objects. */
export function enter(owner = newest): void {
  if (owner !== undefined && isLost(owner)) {
    failInterrupted();
  }
  entered = owner;
}

/** Enters the core for new objects and returns it. For calls that use no existing objects. */
export function newestCore(): Core {
  enter();
  return core();
}

/** Whether a buffer is WebAssembly memory. During a call it may grow, which detaches views of it. */
export const isWasmMemory = (buffer: ArrayBufferLike): boolean =>
  cores.some((core) => core.HEAPF32.buffer === buffer);

export const hasModels = (core: Core): boolean => 'newModel' in core;

/** Fails unless the entered core has models, training and files. */
export function checkHasModels(): void {
  if (!hasModels(enteredCore())) {
    notInitialized(
      'headwise-models-*.wasm, which init() loads once models, tasks, optimizers or files are imported, got headwise-*.wasm, for layers alone',
    );
  }
}
