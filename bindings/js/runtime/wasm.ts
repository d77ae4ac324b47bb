import type { Core } from 'headwise-glue';
import { HeadwiseError } from './errors.js';

const notInitialized = (problem: string): never => {
  throw new HeadwiseError('not-initialized', `headwise: expected ${problem}`);
};

/** The core in which new things are made: of two, that with models, which was loaded after that for layers alone. */
let newest: Core | undefined;
/** In whose memory the call under way works: things stay where they were made. */
let entered: Core | undefined;
/** All that were loaded. */
const cores: Core[] = [];
/** What `core` gives: the only core, or an object that hands each call on to the entered one. */
let loaded: Core | undefined;

/** The core that is entered, or the error of a call before `init`. */
export const enteredCore = (): Core =>
  entered ?? notInitialized('init() to have been awaited, got a call before it');

/** An object whose members of these names are at any time those of the core that is entered. */
function handOn(names: readonly string[]): Core {
  const current = (name: string): unknown =>
    (enteredCore() as unknown as Record<string, unknown>)[name];
  const calls: PropertyDescriptorMap = {};
  for (const name of names) {
    calls[name] = name.startsWith('HEAP')
      ? { get: () => current(name) }
      : {
          value: (...numbers: readonly number[]) =>
            (current(name) as (...numbers: readonly number[]) => number)(...numbers),
        };
  }
  return Object.create(null, calls) as Core;
}

/** Has what is made from now on live in this core's memory. */
export function setCore(core: Core): void {
  loaded = loaded === undefined ? core : handOn(Object.keys(core));
  cores.push(core);
  newest = core;
  entered = core;
}

/** The loaded WebAssembly core, or the error of a call before `init`. */
export function core(): Core {
  return loaded ?? enteredCore();
}

/** Has calls go to this core, without one to that in which new things are made. */
export function enter(owner = newest): void {
  entered = owner;
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
