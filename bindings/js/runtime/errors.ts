/**
 * What went wrong, as a short stable word for programs to compare.
 *
 * - `not-initialized`: a call before `await init()`
 * - `unsupported`: this engine or this package cannot do what was asked for
 * - `load-failed`: the WebAssembly file could not be had
 * - `unknown-option`: an option that the call does not know
 * - `invalid-option`: an option's value is outside what the option takes
 * - `invalid-type`: an argument is not of a kind that the call takes
 * - `invalid-shape`: a tensor's shape does not fit
 * - `invalid-value`: a number inside an argument is outside its range
 * - `invalid-state-dict`: names or shapes of a state dict do not fit the layer
 * - `invalid-file`: a file breaks its format's rules, or holds what is not taken
 * - `invalid-cache`: a cache that does not go with the layer or the call
 * - `cache-full`: more positions than a cache has room for
 * - `sizes-unknown`: the call needs sizes that the layer has not inferred yet
 * - `no-pending-backward`: no forward that required gradients is left to go back from
 * - `disposed`: the layer, cache, model or optimizer was disposed of
 * - `out-of-memory`: the memory that the call needs cannot be had; nothing was changed
 * - `interrupted`: an earlier call did not return, as a time limit, Ctrl+C in a REPL or a trap ended it. What lives in
 *   that WebAssembly instance is lost: its layers, models, caches, optimizers and resident tensors. `await init()` makes
 *   a new instance
 */
export type ErrorCode =
  | 'not-initialized'
  | 'unsupported'
  | 'load-failed'
  | 'unknown-option'
  | 'invalid-option'
  | 'invalid-type'
  | 'invalid-shape'
  | 'invalid-value'
  | 'invalid-state-dict'
  | 'invalid-file'
  | 'invalid-cache'
  | 'cache-full'
  | 'sizes-unknown'
  | 'no-pending-backward'
  | 'disposed'
  | 'out-of-memory'
  | 'interrupted';

/**
 * Every error that headwise throws on purpose. `message` names the argument, what was expected and what came:
 * `queries: expected (batch, queries, 100), got (2, 4, 64)`.
 */
export class HeadwiseError extends Error {
  override readonly name = 'HeadwiseError';
  /** The documented code, for example `invalid-shape`. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Throws `argument: expected …, got …`. */
export function fail(code: ErrorCode, argument: string, expected: string, got: string): never {
  throw new HeadwiseError(code, `${argument}: expected ${expected}, got ${got}`);
}

export function failOutOfMemory(): never {
  throw new HeadwiseError('out-of-memory', 'memory: not enough for tensors of these sizes');
}

export function failInterrupted(): never {
  throw new HeadwiseError(
    'interrupted',
    'headwise: expected every call to return, got one that was interrupted, so that all that was made since init() is lost; await init() once more and make it anew',
  );
}

/** What a caught error says, for the message of another. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A value as an error message shows it, short whatever it is. */
export function show(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case 'bigint':
      return `${value.toString().slice(0, 40)}n`;
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'symbol':
      return 'a symbol';
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'an array' : showObject(value);
  }
}

/** Whether it is what `loadSafetensors` gives, rather than the tensors in it. */
export const isFile = (value: object): boolean =>
  ['tensors', 'names', 'read'].every((name) => name in value);

/** Typed arrays by their kind, since calls that take one kind may refuse another. */
function showObject(value: object): string {
  if (!ArrayBuffer.isView(value)) {
    return value instanceof Promise
      ? 'a Promise; await it, or await file.read() for all tensors of a file'
      : isFile(value)
        ? 'a file; did you mean its .tensors, or await file.read()?'
        : value instanceof Map
          ? 'a Map'
          : 'an object';
  }
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return `${kind.startsWith('I') ? 'an' : 'a'} ${kind}`;
}

/** A shape as Python and the error messages write it: (2, 4, 100), (3,), (). */
export function showShape(shape: readonly (number | string)[]): string {
  return `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
}
