/** A WebAssembly build, run by Emscripten's glue. */
import createModule, { type Core, type Given } from 'headwise-glue';
import { failInterrupted, failOutOfMemory, HeadwiseError, type ErrorCode } from './errors.js';
import type { Address } from './memory.js';
import type { StackCheck } from './stack.js';

type Call = (...numbers: readonly (number | undefined)[]) => number;

/** What `makeResult` returns if there is no result. */
const notMade = 1 as Address;

/** The order of the C++ enumeration. */
const codes: readonly ErrorCode[] = [
  'invalid-option',
  'invalid-shape',
  'invalid-value',
  'invalid-state-dict',
  'invalid-file',
  'invalid-cache',
  'cache-full',
  'sizes-unknown',
  'no-pending-backward',
  'disposed',
];

/**
 * Runs a module on this memory, which no other runs on, and returns its calls.
 *
 * - A call that fails or runs out of memory throws the error that says so, and everything is as it was before it.
 * - A call for which the stack has no room throws a RangeError before it begins.
 * - A call that does not return in any other way leaves memory in any state: `isBusy` stays set, and all later calls
 *   fail. No `catch` or `finally` runs where a time limit or a developer's tools end a program.
 *
 * @param checkStack throws unless the stack has room for a call
 * @throws Error if it is no build of headwise
 */
export function createCore(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  checkStack: StackCheck,
): Core {
  let refusal: unknown;
  /** Throws the error of the call under way, once WebAssembly has returned: so its stack shows the caller. */
  let throwFailure: (() => never) | undefined;
  const state: Core['state'] = { isBusy: false, isChanging: false, results: undefined };
  const given: Given = {
    wasmMemory: memory,
    outOfMemory() {
      throwFailure ??= failOutOfMemory;
    },
    callFailed(code, text) {
      const { HEAPU8 } = made;
      // A copy, because decoders refuse shared memory. The text's end is 0.
      const message = new TextDecoder().decode(HEAPU8.slice(text, HEAPU8.indexOf(0, text)));
      throwFailure = () => {
        throw new HeadwiseError(codes[code], message);
      };
    },
    makeResult(name, shape, rank) {
      try {
        const sizes: number[] = [];
        for (let axis = 0; axis < rank; axis++) {
          sizes.push(made.HEAP32[shape / 4 + axis] >>> 0);
        }
        return state.results?.make(name, sizes) ?? notMade;
      } catch (error) {
        throwFailure = () => {
          throw error;
        };
        return notMade;
      }
    },
    takeResult(name, floats) {
      state.results?.take(name, floats);
    },
    instantiateWasm(imports, ready) {
      try {
        return ready(new WebAssembly.Instance(module, imports));
      } catch (error) {
        // The glue would print it, and reject a promise that nobody awaits.
        refusal = error;
        return {};
      }
    },
  };
  const notCalls = Object.keys(given);
  const made = createModule(given);
  if (refusal !== undefined) {
    throw refusal as Error;
  }
  const calls: Record<string, unknown> = {
    state,
    get HEAPF32() {
      return made.HEAPF32;
    },
    get HEAPF64() {
      return made.HEAPF64;
    },
    get HEAP32() {
      return made.HEAP32;
    },
    get HEAPU8() {
      return made.HEAPU8;
    },
  };
  for (const [name, member] of Object.entries(made)) {
    // Nor are Embind's classes of errors calls.
    if (typeof member !== 'function' || notCalls.includes(name) || name.endsWith('Error')) {
      continue;
    }
    const call = member as Call;
    // As many arguments as any call has, see bindings/wasm/calls.ts: a list of them would take longer.
    calls[name] = ((a, b, c, d, e, f, g, h, i) => {
      if (state.isBusy) {
        failInterrupted();
      }
      checkStack(0);
      state.isBusy = true;
      const result = call(a, b, c, d, e, f, g, h, i);
      state.isBusy = false;
      if (throwFailure !== undefined) {
        const fail = throwFailure;
        throwFailure = undefined;
        fail();
      }
      return result;
    }) satisfies Call;
  }
  return calls as unknown as Core;
}
