/**
 * Typed arrays are read by the language's own accessors. A subclass, a proxy or an own property can report other
 * values, but the checked length must be the copied length.
 */
const prototype = Object.getPrototypeOf(Float32Array.prototype) as object;

/** Returns a prototype's accessor as a function. It ignores own properties and throws for objects of another type. */
export function accessor(name: PropertyKey, of: object = prototype): (array: unknown) => unknown {
  const { get } = Object.getOwnPropertyDescriptor(of, name) as Required<PropertyDescriptor>;
  return (array) => get.call(array) as unknown;
}

/** Bytes in unshared memory: `Uint8Array<ArrayBuffer>` since TypeScript 5.7, `Uint8Array` before. */
export type OwnBytes = ReturnType<Uint8Array['slice']>;

/** `'Float32Array'` and so on; undefined for anything but typed arrays, also for proxies of them. */
export const kindOf = accessor(Symbol.toStringTag) as (value: unknown) => string | undefined;
/** The array's length; 0 if its buffer was detached or has become too short. */
export const lengthOf = accessor('length') as (array: ArrayBufferView) => number;

export const bufferOf = accessor('buffer') as (array: ArrayBufferView) => ArrayBufferLike;
export const byteOffsetOf = accessor('byteOffset') as (array: ArrayBufferView) => number;
const byteLengthOf = accessor('byteLength') as (array: ArrayBufferView) => number;
// Read as properties, because hardened environments (SES, Node's --frozen-intrinsics) replace methods by accessors.
const { set, values } = prototype as {
  readonly set: (this: Float32Array, numbers: Float32Array) => void;
  readonly values: (this: ArrayBufferView) => unknown;
};
const ofDataView = (name: PropertyKey): ((view: ArrayBufferView) => unknown) =>
  accessor(name, DataView.prototype);
const bufferOfDataView = ofDataView('buffer') as typeof bufferOf;
const byteOffsetOfDataView = ofDataView('byteOffset') as typeof byteOffsetOf;
const byteLengthOfDataView = ofDataView('byteLength') as typeof byteLengthOf;

/** Whether the array's buffer was detached or has become too short. A length of 0 alone is not enough to know. */
export function isGone(array: ArrayBufferView): boolean {
  try {
    values.call(array);
    return false;
  } catch {
    return true;
  }
}

/** Whether the array's length can change. */
export function isResizable(array: ArrayBufferView): boolean {
  const buffer = bufferOf(array) as { resizable?: boolean; growable?: boolean };
  return buffer.resizable === true || buffer.growable === true;
}

/** A view of a part of an array. */
export function partOf(array: Float32Array, first: number, count: number): Float32Array {
  return new Float32Array(bufferOf(array), byteOffsetOf(array) + 4 * first, count);
}

/** A plain Float32Array of the same memory; an empty one if the buffer was detached. */
export function viewOf(array: Float32Array): Float32Array {
  return lengthOf(array) === 0 ? new Float32Array() : partOf(array, 0, lengthOf(array));
}

/** Copies numbers to the beginning of the caller's array. */
export function copyInto(target: Float32Array, numbers: Float32Array): void {
  set.call(target, numbers);
}

/** Copies the numbers of an array. */
export function copyOf(array: Float32Array): Float32Array {
  const copy = new Float32Array(lengthOf(array));
  copy.set(array);
  return copy;
}

/** The bytes of a typed array or a view; none if the buffer was detached. */
export function bytesOf(view: ArrayBufferView): Uint8Array {
  if (kindOf(view) !== undefined) {
    const length = byteLengthOf(view);
    return length === 0
      ? new Uint8Array()
      : new Uint8Array(bufferOf(view), byteOffsetOf(view), length);
  }
  try {
    return new Uint8Array(
      bufferOfDataView(view),
      byteOffsetOfDataView(view),
      byteLengthOfDataView(view),
    );
  } catch {
    return new Uint8Array();
  }
}

/** Whether two arrays have the same buffer but different offsets. */
export function overlap(a: Float32Array, b: Float32Array): boolean {
  return bufferOf(a) === bufferOf(b) && byteOffsetOf(a) !== byteOffsetOf(b);
}
