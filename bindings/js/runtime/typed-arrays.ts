/**
 * What a typed array is by the language's own accessors, whatever a subclass, a proxy or a property of its own says:
 * what is copied into WebAssembly memory must be as long as what was checked.
 */
const prototype = Object.getPrototypeOf(Float32Array.prototype) as object;

/** The value of an accessor of a prototype, whatever the object says of itself; throws for another kind of object. */
export function accessor(name: PropertyKey, of: object = prototype): (array: unknown) => unknown {
  const { get } = Object.getOwnPropertyDescriptor(of, name) as Required<PropertyDescriptor>;
  return (array) => get.call(array) as unknown;
}

/**
 * Bytes in memory that is not shared: `Uint8Array<ArrayBuffer>`, which TypeScript has had since 5.7, and `Uint8Array`
 * before.
 */
export type OwnBytes = ReturnType<Uint8Array['slice']>;

/** `'Float32Array'` and so on; undefined for what is no typed array, a proxy of one included. */
export const kindOf = accessor(Symbol.toStringTag) as (value: unknown) => string | undefined;
/** 0 if its buffer was transferred or has become too short. */
export const lengthOf = accessor('length') as (array: ArrayBufferView) => number;

export const bufferOf = accessor('buffer') as (array: ArrayBufferView) => ArrayBufferLike;
export const byteOffsetOf = accessor('byteOffset') as (array: ArrayBufferView) => number;
const byteLengthOf = accessor('byteLength') as (array: ArrayBufferView) => number;
// Read like any property: hardened environments (SES, Node's --frozen-intrinsics) replace methods by accessors.
const { set, values } = prototype as {
  readonly set: (this: Float32Array, numbers: Float32Array) => void;
  readonly values: (this: ArrayBufferView) => unknown;
};
const ofDataView = (name: PropertyKey): ((view: ArrayBufferView) => unknown) =>
  accessor(name, DataView.prototype);
const bufferOfDataView = ofDataView('buffer') as typeof bufferOf;
const byteOffsetOfDataView = ofDataView('byteOffset') as typeof byteOffsetOf;
const byteLengthOfDataView = ofDataView('byteLength') as typeof byteLengthOf;

/** Whether the array's buffer was transferred or has become too short, which a length of 0 alone does not say. */
export function isGone(array: ArrayBufferView): boolean {
  try {
    values.call(array);
    return false;
  } catch {
    return true;
  }
}

/** Whether the array may come to have another length while it is held. */
export function isResizable(array: ArrayBufferView): boolean {
  const buffer = bufferOf(array) as { resizable?: boolean; growable?: boolean };
  return buffer.resizable === true || buffer.growable === true;
}

/** A part of an array, on the same memory. */
export function partOf(array: Float32Array, first: number, count: number): Float32Array {
  return new Float32Array(bufferOf(array), byteOffsetOf(array) + 4 * first, count);
}

/** The same numbers on the same memory, as a plain Float32Array; an empty one if the memory is gone. */
export function viewOf(array: Float32Array): Float32Array {
  return lengthOf(array) === 0 ? new Float32Array() : partOf(array, 0, lengthOf(array));
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

/** The bytes of an array or another view; none if its memory is gone. */
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

/** Whether two arrays lie at different places of the same memory. */
export function overlap(a: Float32Array, b: Float32Array): boolean {
  return bufferOf(a) === bufferOf(b) && byteOffsetOf(a) !== byteOffsetOf(b);
}
