import { fail, show } from '../runtime/errors.js';
import { allocateBytes } from '../runtime/memory.js';
import { isObject } from '../runtime/options.js';
import { isResizable, kindOf, lengthOf, type OwnBytes } from '../runtime/typed-arrays.js';
import { checkAttached, toShape } from './arrays.js';
import type { TensorInput } from './inputs.js';

/** The typed array of each dtype of a safetensors file that is not a float. */
export interface IntegerArrays {
  /** 0 and 1 */
  BOOL: Uint8Array;
  I8: Int8Array;
  I16: Int16Array;
  I32: Int32Array;
  I64: BigInt64Array;
  U8: Uint8Array;
  U16: Uint16Array;
  U32: Uint32Array;
  U64: BigUint64Array;
}

export type IntegerDtype = keyof IntegerArrays;

/** Integers or booleans of a file, in the file's own number of bits. `dtype` determines the type of `data`. */
export type IntegerTensor = {
  [Dtype in IntegerDtype]: {
    readonly dtype: Dtype;
    /** The numbers, row-major. */
    readonly data: IntegerArrays[Dtype];
    /** The size of each axis. */
    readonly shape: readonly number[];
  };
}[IntegerDtype];

/** Tensors by name: any tensor input, and integer tensors of a file. */
export type TensorsByName = Readonly<Record<string, TensorInput | IntegerTensor>>;

const arrays = {
  BOOL: Uint8Array,
  I8: Int8Array,
  I16: Int16Array,
  I32: Int32Array,
  I64: BigInt64Array,
  U8: Uint8Array,
  U16: Uint16Array,
  U32: Uint32Array,
  U64: BigUint64Array,
} as const satisfies { [Dtype in IntegerDtype]: new (buffer: ArrayBuffer) => IntegerArrays[Dtype] };

export const isIntegerDtype = (dtype: unknown): dtype is IntegerDtype =>
  typeof dtype === 'string' && Object.hasOwn(arrays, dtype);

export const bytesPerNumber = (dtype: IntegerDtype): number => arrays[dtype].BYTES_PER_ELEMENT;

/** Integers or booleans from the bytes of a file. The tensor owns the bytes from then on. */
export function integersOf(
  dtype: IntegerDtype,
  bytes: OwnBytes,
  shape: readonly number[],
): IntegerTensor {
  if (dtype === 'BOOL') {
    for (let i = 0; i < bytes.length; i++) {
      bytes[i] = Number(bytes[i] !== 0);
    }
  }
  const data = new arrays[dtype](bytes.buffer);
  return { dtype, data, shape: Object.freeze(shape) } as IntegerTensor;
}

/** The array itself, or a copy if its buffer is resizable. */
function ownIfResizable(dtype: IntegerDtype, data: IntegerTensor['data']): IntegerTensor['data'] {
  if (!isResizable(data)) {
    return data;
  }
  const copy = new arrays[dtype](allocateBytes(lengthOf(data) * bytesPerNumber(dtype)).buffer);
  (copy as { set(numbers: IntegerTensor['data']): void }).set(data);
  return copy;
}

function checkBooleans(argument: string, data: Uint8Array): void {
  const count = lengthOf(data);
  for (let i = 0; i < count; i++) {
    const byte = data[i] ?? 0;
    if (byte > 1) {
      fail('invalid-value', argument, '0 and 1 in data of dtype BOOL', String(byte));
    }
  }
}

/** Reads and checks a tensor with a dtype of integers or booleans. Returns undefined for all others. */
export function toIntegers(argument: string, value: unknown): IntegerTensor | undefined {
  if (!isObject(value) || !('dtype' in value)) {
    return undefined;
  }
  const { dtype } = value;
  if (!isIntegerDtype(dtype)) {
    return undefined;
  }
  const { data: given, shape: axes } = value as Partial<Record<'data' | 'shape', unknown>>;
  const shape = toShape(argument, axes);
  const kind = arrays[dtype].name;
  if (kindOf(given) !== kind) {
    const article = kind.startsWith('I') ? 'an' : 'a';
    fail('invalid-type', argument, `data of dtype ${dtype} in ${article} ${kind}`, show(given));
  }
  checkAttached(argument, { data: given as IntegerTensor['data'], shape });
  const data = ownIfResizable(dtype, given as IntegerTensor['data']);
  if (dtype === 'BOOL') {
    checkBooleans(argument, data as Uint8Array);
  }
  return { dtype, data, shape } as IntegerTensor;
}
