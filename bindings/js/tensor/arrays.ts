import { fail, show, showShape } from '../runtime/errors.js';
import { addressIn, allocateArray, type Counted } from '../runtime/memory.js';
import { isIntegerIn, isObject } from '../runtime/options.js';
import {
  bufferOf,
  isGone,
  isResizable,
  kindOf,
  lengthOf,
  viewOf,
} from '../runtime/typed-arrays.js';
import { isWasmMemory } from '../runtime/wasm.js';
import { checkShape, sizeOf, type Axis } from './shapes.js';

/** An argument as row-major numbers and their shape. */
export interface Numbers<Data> {
  readonly data: Data;
  readonly shape: readonly number[];
}

/** The numbers, their count by the shape, and their address if they are in WebAssembly memory. */
export const counted = ({ data, shape }: Numbers<Float32Array>): Counted => ({
  data,
  count: sizeOf(shape),
  address: addressIn(data),
});

/** How elements of an argument are checked, converted and stored. */
interface NumberKind<Data> {
  readonly expected: string;
  /** Whether a wrong number is out of range, rather than of the wrong type. */
  readonly isRange?: boolean;
  readonly type: new (count: number) => Data;
  /** Whether the call can read the numbers in WebAssembly memory, so that they need no copy. */
  readonly inPlace?: boolean;
  /** The element as a number; undefined if it is invalid. */
  readonly toNumber: (element: unknown) => number | undefined;
}

const floats: NumberKind<Float32Array> = {
  expected: 'numbers',
  type: Float32Array,
  toNumber: (element) => (typeof element === 'number' ? element : undefined),
};

/** For calls that read numbers in WebAssembly memory without a copy. */
export const inPlace: NumberKind<Float32Array> = { ...floats, inPlace: true };

const wholeNumbers: NumberKind<Float64Array> = {
  expected: 'integers',
  type: Float64Array,
  toNumber: (element) =>
    typeof element === 'number' || typeof element === 'bigint' ? Number(element) : undefined,
};

const booleans: NumberKind<Uint8Array> = {
  expected: 'booleans',
  type: Uint8Array,
  toNumber: (element) => (typeof element === 'boolean' ? Number(element) : undefined),
};

const bits: NumberKind<Uint8Array> = {
  expected: 'integers 0 and 1',
  isRange: true,
  type: Uint8Array,
  toNumber: (element) =>
    element === 0 || element === 1 || element === 0n || element === 1n
      ? Number(element)
      : undefined,
};

const booleansOrBits: NumberKind<Uint8Array> = {
  ...bits,
  expected: 'booleans or 0 and 1',
  toNumber: (element) => booleans.toNumber(element) ?? bits.toNumber(element),
};

type NumberArray = Float32Array | Float64Array | Uint8Array;

type Sequence = ArrayLike<unknown> & Iterable<unknown>;

// Maximum depth of nesting, more than any tensor needs. It also stops at an array that contains itself.
const deepest = 8;

function isTypedArray(value: unknown): value is Sequence & ArrayBufferView {
  return kindOf(value) !== undefined;
}

function isSequence(value: unknown): value is Sequence {
  return Array.isArray(value) || isTypedArray(value);
}

const countOf = (elements: Sequence): number =>
  isTypedArray(elements) ? lengthOf(elements) : elements.length;

/** Reads a shape. Errors name `argument`. */
export function toShape(argument: string, value: unknown): number[] {
  if (!isSequence(value)) {
    fail('invalid-type', argument, 'a shape such as [2, 4, 100]', show(value));
  }
  const shape: number[] = [];
  const count = countOf(value);
  for (let axis = 0; axis < count; axis++) {
    const size = value[axis];
    if (!isIntegerIn(size, 0)) {
      fail('invalid-shape', argument, 'a shape of integers from 0 on', show(size));
    }
    shape.push(size);
  }
  return shape;
}

/** Converts `count` elements. Reading an element may change the array's length, so the count is read once. */
function convert<Data extends NumberArray>(
  argument: string,
  elements: Sequence,
  count: number,
  kind: NumberKind<Data>,
  target: Data,
  offset: number,
): void {
  for (let i = 0; i < count; i++) {
    const element = elements[i];
    const number = kind.toNumber(element);
    if (number === undefined) {
      const isNumber = typeof element === 'number' || typeof element === 'bigint';
      const code = isNumber && kind.isRange ? 'invalid-value' : 'invalid-type';
      fail(code, argument, kind.expected, show(element));
    }
    target[offset + i] = number;
  }
}

/**
 * Copies nested arrays; typed arrays inside are not copied. Reads each element once, because reading may run the
 * caller's code.
 */
function readNested(
  argument: string,
  elements: readonly unknown[],
  expected: string | undefined,
  depth = 1,
): unknown[] {
  if (depth > deepest) {
    fail('invalid-shape', argument, `at most ${deepest} axes`, 'deeper nesting');
  }
  const count = lengthOfList(argument, elements);
  const read: unknown[] = [];
  for (let i = 0; i < count; i++) {
    const element = elements[i];
    // A proxy can claim any length, so stop at the first missing element.
    if (element === undefined) {
      const kind = typeof read[0] === 'boolean' ? 'booleans' : 'numbers';
      fail('invalid-type', argument, expected ?? kind, 'undefined');
    }
    read.push(
      Array.isArray(element) ? readNested(argument, element, expected, depth + 1) : element,
    );
  }
  return read;
}

/** An array's length, read once. A proxy can return anything, so it is checked. */
export function lengthOfList(argument: string, list: readonly unknown[]): number {
  const length: unknown = list.length;
  if (!isIntegerIn(length, 0)) {
    fail('invalid-type', argument, 'an array', show(list));
  }
  return length;
}

/**
 * The elements of an array, or of a typed array if `mayBeTyped`, each read once. Stops at the first missing element,
 * because a proxy can claim any length.
 */
export function* elementsOf(
  argument: string,
  expected: string,
  value: unknown,
  mayBeTyped = false,
): Generator<unknown, void> {
  const isTyped = mayBeTyped && isTypedArray(value);
  if (isTyped ? isGone(value) : !Array.isArray(value)) {
    fail('invalid-type', argument, expected, show(value));
  }
  const list = value as readonly unknown[];
  const length = isTyped ? lengthOf(value) : lengthOfList(argument, list);
  for (let i = 0; i < length; i++) {
    const element = list[i];
    yield element;
    if (element === undefined) {
      return;
    }
  }
}

/** Shape of nested arrays, from the first element of each level. */
function nestedShape(value: Sequence): number[] {
  const shape: number[] = [];
  let level: unknown = value;
  while (isSequence(level)) {
    shape.push(countOf(level));
    level = level[0];
  }
  return shape;
}

function fromNested<Data extends NumberArray>(
  argument: string,
  value: Sequence,
  kind: NumberKind<Data>,
): Numbers<Data> {
  const shape = nestedShape(value);
  const leaves: Sequence[] = [];
  const collect = (level: unknown, axis: number): void => {
    if (!isSequence(level)) {
      fail('invalid-type', argument, `arrays nested ${shape.length} deep`, show(level));
    }
    const count = countOf(level);
    if (count !== shape[axis]) {
      const lengths = `arrays of length ${shape[axis]} at axis ${axis}`;
      fail('invalid-shape', argument, lengths, `one of length ${count}`);
    }
    if (axis === shape.length - 1) {
      leaves.push(level);
    } else {
      for (let i = 0; i < count; i++) {
        collect(level[i], axis + 1);
      }
    }
  };
  collect(value, 0);
  const data = allocateArray(kind.type, sizeOf(shape));
  const count = shape.at(-1) ?? 0;
  leaves.forEach((leaf, i) => {
    convert(argument, leaf, count, kind, data, i * count);
  });
  return { data, shape };
}

function fromDataAndShape<Data extends NumberArray>(
  argument: string,
  data: unknown,
  shapeValue: unknown,
  kind: NumberKind<Data>,
  mayResize = false,
): Numbers<Data> {
  const shape = toShape(argument, shapeValue);
  if (!isSequence(data)) {
    fail('invalid-type', argument, `data of ${kind.expected}`, show(data));
  }
  const count = countOf(data);
  checkCount(argument, count, shape, kind.expected);
  // Only float32 is used without a copy. Lengths and booleans are few, and every one is checked anyway.
  if (kind.type.name === 'Float32Array' && kindOf(data) === kind.type.name) {
    const native = data as unknown as Data;
    if (mayResize || !(isResizable(native) || (isWasmMemory(bufferOf(native)) && !kind.inPlace))) {
      return { data: native, shape };
    }
  }
  const converted = allocateArray(kind.type, count);
  convert(argument, data, count, kind, converted, 0);
  return { data: converted, shape };
}

function checkCount(
  argument: string,
  count: number,
  shape: readonly number[],
  numbers = 'numbers',
): void {
  if (count !== sizeOf(shape)) {
    const expected = `${sizeOf(shape)} ${numbers} for shape ${showShape(shape)}`;
    fail('invalid-shape', argument, expected, String(count));
  }
}

/** Fails if the buffer of an argument has been detached since it was read. */
export function checkAttached(argument: string, { data, shape }: Numbers<ArrayBufferView>): void {
  checkCount(argument, lengthOf(data), shape);
}

/** As `checkAttached`, and checks the shape. Returns the shape as a tuple of sizes. */
export function checkTensor<Expected extends readonly Axis[]>(
  argument: string,
  tensor: Numbers<ArrayBufferView>,
  expected: Expected,
): { [Index in keyof Expected]: number } {
  checkAttached(argument, tensor);
  return checkShape(argument, tensor.shape, expected);
}

/** Reads an argument, each element once. */
function readOnce(argument: string, value: unknown, expected?: string): unknown {
  if (Array.isArray(value)) {
    return readNested(argument, value, expected);
  }
  if (!isObject(value) || !('data' in value)) {
    return value;
  }
  const given: unknown = value.data;
  const data: unknown = Array.isArray(given) ? readNested(argument, given, expected) : given;
  return 'shape' in value
    ? { data, shape: value.shape }
    : { data, ...('dims' in value && { shape: value.dims }) };
}

function toNumbers<Data extends NumberArray>(
  argument: string,
  given: unknown,
  kind: NumberKind<Data>,
): Numbers<Data> {
  return fromRead(argument, readOnce(argument, given, kind.expected), kind);
}

/** Converts the result of `readOnce` to numbers. */
function fromRead<Data extends NumberArray>(
  argument: string,
  value: unknown,
  kind: NumberKind<Data>,
): Numbers<Data> {
  if (Array.isArray(value)) {
    return fromNested(argument, value, kind);
  }
  if (isObject(value) && 'data' in value && 'shape' in value) {
    return fromDataAndShape(argument, value.data, value.shape, kind);
  }
  fail(
    'invalid-type',
    argument,
    `a tensor, { data, shape } or nested arrays of ${kind.expected}`,
    isTypedArray(value) ? 'a typed array without a shape' : show(value),
  );
}

/** Reads a tensor argument as float32 numbers and a shape. */
export function toFloats(
  argument: string,
  value: unknown,
  kind: NumberKind<Float32Array> = floats,
): Numbers<Float32Array> {
  return toNumbers(argument, value, kind);
}

/** Reads a tensor argument as a plain Float32Array, whose properties can be trusted. */
export function toFloatView(argument: string, value: unknown): Numbers<Float32Array> {
  const { data, shape } = toFloats(argument, value);
  return { data: viewOf(data), shape };
}

function toList<Data extends NumberArray>(
  argument: string,
  value: unknown,
  kind: NumberKind<Data>,
): Numbers<Data> {
  return isTypedArray(value)
    ? fromDataAndShape(argument, value, [lengthOf(value)], kind)
    : toNumbers(argument, value, kind);
}

/**
 * Reads tokens, lengths or positions, as `toFloats` does. A typed array without a shape, BigInt arrays included, is a
 * list.
 */
export const toWholeNumbers = (argument: string, value: unknown): Numbers<Float64Array> =>
  toList(argument, value, wholeNumbers);

/** Reads a list or a matrix of numbers, as `toFloats` does. A typed array without a shape is a list. */
export const toFloatList = (argument: string, value: unknown): Numbers<Float32Array> =>
  toList(argument, value, floats);

/** The kind of a mask, from its typed array or from the first element of its arrays. */
function kindOfMask(value: unknown): NumberKind<Uint8Array> | NumberKind<Float32Array> {
  let level = value;
  if (isObject(level) && !Array.isArray(level) && 'data' in level) {
    level = level.data;
  }
  for (let depth = 0; Array.isArray(level) && depth <= deepest; depth++) {
    level = (level as unknown[])[0];
  }
  const array = kindOf(level);
  const isInteger = array !== undefined && !array.startsWith('Float');
  return typeof level === 'boolean' ? booleans : isInteger ? bits : floats;
}

/**
 * Reads a mask. Booleans, or integers of a typed array, become a Uint8Array of 0 and 1; other numbers a Float32Array.
 */
export function toMask(argument: string, value: unknown): Numbers<Uint8Array | Float32Array> {
  const given = readOnce(argument, value);
  const kind = kindOfMask(given);
  if (kind.type === Uint8Array) {
    return fromRead(argument, given, kind as NumberKind<Uint8Array>);
  }
  // A new view: its properties can be trusted.
  const { data, shape } = fromRead(argument, given, kind as NumberKind<Float32Array>);
  return { data: viewOf(data), shape };
}

/** Reads booleans, or 0 and 1 of any type, as a Uint8Array of 0 and 1. A typed array without a shape is a list. */
export const toKeyMask = (argument: string, value: unknown): Numbers<Uint8Array> =>
  toList(argument, value, booleansOrBits);

/** Data for `new Tensor(data, shape)`: flat numbers, or nested arrays in row-major order. */
export function toTensorData(data: unknown, shape: unknown): Numbers<Float32Array> {
  return fromDataAndShape('data', data, shape, floats, true);
}
