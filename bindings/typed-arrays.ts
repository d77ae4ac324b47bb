/**
 * What a typed array is by the language's own accessors, whatever a subclass, a proxy or a property of its own says:
 * what is copied into WebAssembly memory must be as long as what was checked.
 */

const prototype = Object.getPrototypeOf(Float32Array.prototype) as object;

const describe = (name: PropertyKey): Required<PropertyDescriptor> =>
  Object.getOwnPropertyDescriptor(prototype, name) as Required<PropertyDescriptor>;

function accessor(name: PropertyKey): (array: unknown) => unknown {
  const get: () => unknown = describe(name).get;
  return (array) => get.call(array);
}

/** `'Float32Array'` and so on; undefined for what is no typed array, a proxy of one included. */
export const kindOf = accessor(Symbol.toStringTag) as (value: unknown) => string | undefined;
/** 0 if its buffer was transferred or has become too short. */
export const lengthOf = accessor('length') as (array: ArrayBufferView) => number;

const bufferOf = accessor('buffer') as (array: ArrayBufferView) => ArrayBufferLike;
const byteLengthOf = accessor('byteLength') as (array: ArrayBufferView) => number;
const byteOffsetOf = accessor('byteOffset') as (array: ArrayBufferView) => number;
const set = describe('set').value as (this: Float32Array, numbers: Float32Array) => void;

/** Whether the array may come to have another length while it is held. */
export function isResizable(array: ArrayBufferView): boolean {
  const buffer = bufferOf(array) as { resizable?: boolean; growable?: boolean };
  return buffer.resizable === true || buffer.growable === true;
}

/** A part of an array, on the same memory. */
export function partOf(array: Float32Array, first: number, count: number): Float32Array {
  return new Float32Array(bufferOf(array), byteOffsetOf(array) + 4 * first, count);
}

/** Writes numbers to the beginning of the caller's array. */
export function copyInto(target: Float32Array, numbers: Float32Array): void {
  set.call(target, numbers);
}

/** Copies the numbers of an array. */
export function copyOf(array: Float32Array): Float32Array {
  const copy = new Float32Array(lengthOf(array));
  copy.set(array);
  return copy;
}

/** The bytes of an array. */
export function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(bufferOf(array), byteOffsetOf(array), byteLengthOf(array));
}

/** Whether two arrays lie at different places of the same memory. */
export function overlap(a: Float32Array, b: Float32Array): boolean {
  return bufferOf(a) === bufferOf(b) && byteOffsetOf(a) !== byteOffsetOf(b);
}
