import { fail } from '../runtime/errors.js';
import {
  addressIn,
  expectFloats,
  reserve,
  write,
  writeBytes,
  writeDoubles,
  writeIntegers,
  type Address,
  type Counted,
} from '../runtime/memory.js';
import type { GivenTensor } from '../runtime/records.js';
import { kindOf } from '../runtime/typed-arrays.js';
import { checkAttached, type Numbers } from './arrays.js';
import { sizeOf } from './shapes.js';

/** A Float32Array may be the caller's. Other arrays are the package's own. */
export type Input = Numbers<Float32Array | Float64Array | Uint8Array> | undefined;

export const notGiven: GivenTensor = [0, 0, 0];

/** Tensors by their names in errors. */
export type Inputs = readonly (readonly [name: string, tensor: Input])[];

/**
 * Copies the tensors that a call reads to working memory, behind a record of `words`, and takes `floats` more there. An
 * array that is given twice is copied once, and one in WebAssembly memory not at all: `placed` lists those.
 */
export function giveTensors<Tensors extends Inputs>(
  words: number,
  tensors: Tensors,
  floats = 0,
): {
  readonly record: Address;
  readonly given: { -readonly [Place in keyof Tensors]: GivenTensor };
  readonly placed: readonly Counted[];
  readonly rest: Address;
} {
  const placed: Counted[] = [];
  const shapes: number[] = [];
  const sizes: number[] = [];
  const addresses: (Address | undefined)[] = [];
  // No object by names and no closures: both slow down small calls measurably.
  for (let i = 0; i < tensors.length; i++) {
    const [name, tensor] = tensors[i];
    let size = 0;
    let address: Address | undefined;
    if (tensor !== undefined) {
      checkAttached(name, tensor);
      const { data, shape } = tensor;
      const count = sizeOf(shape);
      address = addressIn(data);
      if (address !== undefined) {
        placed.push({ data: data as Float32Array, count, address });
      } else if (firstOf(tensors, data) === i) {
        size = (count * bytesOf(data)) / 4;
      }
      for (const axis of shape) {
        if (axis >= 2 ** 32) {
          fail('invalid-shape', name, 'axes of less than 2^32', String(axis));
        }
        shapes.push(axis);
      }
    }
    sizes.push(size);
    addresses.push(address);
  }
  const [record, shapesAt, rest, ...at] = reserve(words, shapes.length, floats, ...sizes);
  // Results and working memory take several times as much.
  expectFloats(4 * sizes.reduce((sum, size) => sum + size, floats));
  writeIntegers(shapesAt, shapes);
  let shapeAt = shapesAt;
  const given = tensors.map(([, tensor], i): GivenTensor => {
    if (tensor === undefined) {
      return notGiven;
    }
    const { data, shape } = tensor;
    if (sizes[i] > 0) {
      copyTo(at[i], tensor);
    }
    // If memory has grown since, the array no longer is a view of it.
    const numbers = addresses[i] ?? at[firstOf(tensors, data)];
    const words: GivenTensor = [numbers, shapeAt, shape.length];
    shapeAt = (shapeAt + 4 * shape.length) as Address;
    return words;
  });
  return {
    record,
    given: given as { -readonly [Place in keyof Tensors]: GivenTensor },
    placed,
    rest,
  };
}

/** The place of the first tensor with this array. */
function firstOf(tensors: Inputs, data: NonNullable<Input>['data']): number {
  let i = 0;
  while (tensors[i][1]?.data !== data) {
    i++;
  }
  return i;
}

const bytesOf = (data: NonNullable<Input>['data']): number =>
  ({ Float32Array: 4, Float64Array: 8 })[kindOf(data) ?? ''] ?? 1;

function copyTo(address: Address, { data, shape }: NonNullable<Input>): void {
  const kind = kindOf(data);
  if (kind === 'Float32Array') {
    write(address, { data: data as Float32Array, count: sizeOf(shape) });
  } else if (kind === 'Float64Array') {
    writeDoubles(address, data as Float64Array);
  } else {
    writeBytes(address, data);
  }
}
