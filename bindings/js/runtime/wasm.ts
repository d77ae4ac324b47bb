import type { Core } from 'headwise-glue';
import { failInterrupted, HeadwiseError } from './errors.js';

const notInitialized = (problem: string): never => {
  throw new HeadwiseError('not-initialized', `headwise: expected ${problem}`);
};

/** The core in which new things are made: of two, that with models, which was loaded after that for layers alone. */
let newest: Core | undefined;
/** In whose memory the call under way works: things stay where they were made. */
let entered: Core | undefined;
/** All that were loaded and are not lost. */
let cores: Core[] = [];
/** What `core` gives: the only core, or an object that hands each call on to the entered one. */
let loaded: Core | undefined;

/** The core that is entered, or the error of a call before `init`. */
export const enteredCore = (): Core =>
  entered ?? notInitialized('init() to have been awaited, got a call before it');

/** An object with a core's members, which are at any time those of the core that is entered. */
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

/** Whether a call, or a change, of this core did not come to its end: nothing that it holds is of use any more. */
export const isLost = ({ state }: Core): boolean => state.isBusy || state.isChanging;

/**
 * Makes a change in memory together with what JavaScript keeps beside it. If it is interrupted between the two, the
 * core is lost. `change` runs none of the caller's code, and enters no core.
 */
export function commit<Result>(change: () => Result): Result {
  const { state } = enteredCore();
  state.isChanging = true;
  try {
    return change();
  } finally {
    // Runs after errors, and not after what ends a program.
    state.isChanging = false;
  }
}

/** Has what is made from now on live in this core's memory. */
export function setCore(core: Core): void {
  cores = [...cores.filter((each) => !isLost(each)), core];
  loaded = cores.length === 1 ? core : handOn(core);
  newest = core;
  entered = core;
}

/** The loaded WebAssembly core, or the error of a call before `init`. */
export function core(): Core {
  return loaded ?? enteredCore();
}

/** Has calls go to this core, without one to that in which new things are made. */
export function enter(owner = newest): void {
  if (owner !== undefined && isLost(owner)) {
    failInterrupted();
  }
  entered = owner;
}

/** The core in which new things are made, for a call that uses nothing made before. */
export function newestCore(): Core {
  enter();
  return core();
}

/** Whether a buffer is WebAssembly memory, which may grow, so that views of it are gone, while a call is under way. */
export const isWasmMemory = (buffer: ArrayBufferLike): boolean =>
  cores.some((core) => core.HEAPF32.buffer === buffer);

export const hasModels = (core: Core): boolean => 'newModel' in core;

/** Fails unless the core that is entered has the calls of models, training and files. */
export function checkHasModels(): void {
  if (!hasModels(enteredCore())) {
    notInitialized(
      'headwise-models-*.wasm, which init() loads once models, tasks, optimizers or files are imported, got headwise-*.wasm, for layers alone',
    );
  }
}
