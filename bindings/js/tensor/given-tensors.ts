import type { GivenTensor } from 'headwise-records';
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
import type { Packed } from '../runtime/records.js';
import { kindOf } from '../runtime/typed-arrays.js';
import { checkAttached, type Numbers } from './arrays.js';
import { sizeOf } from './shapes.js';

type Given = Packed<GivenTensor>;
/** A Float32Array may be the caller's. Other arrays are the package's own. */
export type Input = Numbers<Float32Array | Float64Array | Uint8Array> | undefined;

const notGiven: Given = [0, 0, 0];

/**
 * Copies the tensors that a call reads to working memory, behind a record of `words`, and takes `floats` more there. An
 * array that is given twice is copied once, and one in WebAssembly memory not at all: `placed` lists those.
 */
export function giveTensors<Name extends string>(
  words: number,
  tensors: Readonly<Record<Name, Input>>,
  floats = 0,
): {
  readonly record: Address;
  readonly given: Readonly<Record<Name, Given>>;
  readonly placed: readonly Counted[];
  readonly rest: Address;
} {
  const inputs: NonNullable<Input>[] = [];
  const sizes: number[] = [];
  const addresses: (Address | undefined)[] = [];
  const placed: Counted[] = [];
  const shapes: number[] = [];
  let total = floats;
  for (const name in tensors) {
    const tensor = tensors[name];
    if (tensor === undefined) {
      continue;
    }
    checkAttached(name, tensor);
    const { data, shape } = tensor;
    const count = sizeOf(shape);
    const address = addressIn(data);
    if (address !== undefined) {
      placed.push({ data: data as Float32Array, count, address });
    }
    const isNew = address === undefined && inputs.every((other) => other.data !== data);
    const size = isNew ? (count * bytesOf(data)) / 4 : 0;
    inputs.push(tensor);
    addresses.push(address);
    sizes.push(size);
    total += size;
    for (const axis of shape) {
      if (axis >= 2 ** 32) {
        fail('invalid-shape', name, 'axes of less than 2^32', String(axis));
      }
      shapes.push(axis);
    }
  }
  const [record, shapesAt, rest, ...at] = reserve(words, shapes.length, floats, ...sizes);
  // Results and working memory take several times as much.
  expectFloats(4 * total);
  writeIntegers(shapesAt, shapes);
  const given = {} as Record<Name, Given>;
  let next = 0;
  let shapeAt = shapesAt;
  for (const name in tensors) {
    const tensor = tensors[name];
    if (tensor === undefined) {
      given[name] = notGiven;
      continue;
    }
    const { data, shape } = tensor;
    if (sizes[next] > 0) {
      copyTo(at[next], tensor);
    }
    const first = inputs.findIndex((other) => other.data === data);
    given[name] = [addresses[next] ?? at[first], shape.length, shapeAt];
    shapeAt = (shapeAt + 4 * shape.length) as Address;
    next += 1;
  }
  return { record, given, placed, rest };
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
