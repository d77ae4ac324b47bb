/**
 * What went wrong, as a short stable word for programs to compare.
 *
 * - `not-initialized`: a call before `await init()`
 * - `unsupported`: this engine or this package cannot do what was requested
 * - `load-failed`: the WebAssembly file could not be loaded
 * - `unknown-option`: an option that the call does not know
 * - `invalid-option`: an option's value is out of range
 * - `invalid-type`: an argument has the wrong type
 * - `invalid-shape`: a tensor has the wrong shape
 * - `invalid-value`: a number inside an argument is out of range
 * - `invalid-state-dict`: names or shapes of a state dict do not fit the layer
 * - `invalid-file`: a file is malformed, or its content is not supported
 * - `invalid-cache`: a cache does not fit the layer or the call
 * - `cache-full`: a cache has no room for the new positions
 * - `sizes-unknown`: the call needs sizes that the layer has not inferred yet
 * - `no-pending-backward`: there is no forward with `requiresGrad` to compute gradients for
 * - `disposed`: the layer, cache, model or optimizer was disposed of
 * - `out-of-memory`: the call could not allocate memory; nothing has changed
 * - `interrupted`: a time limit, Ctrl+C in a REPL or a trap ended an earlier call. Everything in that WebAssembly
 *   instance is lost: its layers, models, caches, optimizers and resident tensors. `await init()` creates a new
 *   instance
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
 * Every error that headwise throws on purpose. `message` names the argument, what was expected and what was given:
 * `queries: expected (batch, queries, 100), got (2, 4, 64)`.
 */
export class HeadwiseError extends Error {
  override readonly name = 'HeadwiseError';
  /** The error's code, for example `invalid-shape`. */
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

/** Throws the error of an option with this value. */
export function failOption(argument: string, expected: string, value: unknown): never {
  fail('invalid-option', argument, expected, show(value));
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

/** The text of a caught error, for the message of another. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A short text of any value, for error messages. */
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

/** Whether it is a result of `loadSafetensors`, rather than its tensors. */
export const isFile = (value: object): boolean =>
  ['tensors', 'names', 'read'].every((name) => name in value);

/** The name of an object's class; undefined for a plain object. */
export function classOf(value: object): string | undefined {
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  // In any realm, the prototype of plain objects has no prototype itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null
    ? undefined
    : prototype.constructor?.name;
}

/** Shows a typed array by its type, because a call may accept some types only. */
function showObject(value: object): string {
  if (!ArrayBuffer.isView(value)) {
    return value instanceof Promise
      ? 'a Promise; await it, or await file.read() for all tensors of a file'
      : isFile(value)
        ? 'a file; did you mean its .tensors, or await file.read()?'
        : withArticle(classOf(value));
  }
  return withArticle(Object.prototype.toString.call(value).slice('[object '.length, -1));
}

/** `noun`: an object where there is no other, as of a class without a name. */
const withArticle = (noun = ''): string =>
  noun === '' ? 'an object' : `${/^[AEIOo]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** A shape as in Python and in error messages: (2, 4, 100), (3,), (). */
export function showShape(shape: readonly (number | string)[]): string {
  return `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
}
