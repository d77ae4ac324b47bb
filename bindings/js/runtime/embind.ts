/**
 * What a WebAssembly build asks of JavaScript: memory that grows, and Embind for functions of numbers alone. Emscripten's
 * own glue has all of Embind.
 */
import type { Core } from 'headwise-glue';
import { failInterrupted, failOutOfMemory } from './errors.js';
import type { StackCheck } from './stack.js';

type Call = (...numbers: readonly (number | undefined)[]) => number;

/** What a build exports. */
interface Exports {
  __wasm_call_ctors(): void;
  __indirect_function_table: WebAssembly.Table;
}

/** Bytes that memory has at most, as Emscripten has it: a page less than 4 GB. */
const mostBytes = 4294901760;
const page = 65536;
/** Of any call. */
const mostArguments = 8;

/** Grows memory to so many bytes at least; rather by a fifth, so that it grows seldom. */
function grow(memory: WebAssembly.Memory, needed: number): boolean {
  const bytes = memory.buffer.byteLength;
  for (const part of [0.2, 0.1, 0.05]) {
    const wanted = Math.max(needed, Math.min(bytes * (1 + part), needed + 96 * 2 ** 20));
    try {
      memory.grow(Math.ceil((Math.min(wanted, mostBytes) - bytes) / page));
      return true;
    } catch {
      // There may be room for less.
    }
  }
  return false;
}

/**
 * Runs a module on this memory, which no other runs on, and returns its calls.
 *
 * - A call that runs out of memory throws the error that says so, and everything is as it was before it.
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
  let isOutOfMemory = false;
  const calls: Record<string, Call> = {};
  const core = calls as unknown as { -readonly [Name in keyof Core]: Core[Name] };
  const state = { isBusy: false, isChanging: false };
  core.state = state;
  const showMemory = (): void => {
    const { buffer } = memory;
    core.HEAPF32 = new Float32Array(buffer);
    core.HEAP32 = new Int32Array(buffer);
    core.HEAPU8 = new Uint8Array(buffer);
  };
  /** Text up to its 0, in letters of one byte. */
  const textAt = (address: number): string =>
    String.fromCharCode(...core.HEAPU8.subarray(address, core.HEAPU8.indexOf(0, address)));
  const nothing = (): undefined => undefined;
  const { exports } = new WebAssembly.Instance(module, {
    env: {
      memory,
      _abort_js() {
        throw new WebAssembly.RuntimeError('aborted');
      },
      emscripten_resize_heap(bytes: number) {
        const hasGrown = bytes >>> 0 <= mostBytes && grow(memory, bytes >>> 0);
        showMemory();
        return Number(hasGrown);
      },
      outOfMemory() {
        isOutOfMemory = true;
      },
      // A function's signature says what is needed of its types.
      _embind_register_void: nothing,
      _embind_register_float: nothing,
      _embind_register_integer: nothing,
      _embind_register_function(
        name: number,
        count: number,
        _types: number,
        signature: number,
        invoker: number,
        target: number,
      ) {
        // Of the result and the arguments.
        if (count > 1 + mostArguments) {
          throw new Error(`${textAt(name)} has more than ${mostArguments} arguments`);
        }
        const call = built.__indirect_function_table.get(invoker) as Call;
        const isSize = !textAt(signature).startsWith('d');
        // As many arguments as any call has: WebAssembly leaves out what is too many, without a list of them.
        calls[textAt(name)] = (a, b, c, d, e, f, g, h) => {
          if (state.isBusy) {
            failInterrupted();
          }
          checkStack(0);
          state.isBusy = true;
          const result = call(target, a, b, c, d, e, f, g, h);
          state.isBusy = false;
          if (isOutOfMemory) {
            isOutOfMemory = false;
            failOutOfMemory();
          }
          return isSize ? result >>> 0 : result;
        };
      },
    },
  });
  const built = exports as unknown as Exports;
  showMemory();
  built.__wasm_call_ctors();
  return core;
}
