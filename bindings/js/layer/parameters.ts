import { parameterDescriptions } from 'headwise-records';
import { isAbsent, read, reserve, write, type Absent, type Address } from '../runtime/memory.js';
import { receive } from '../runtime/records.js';
import { partOf } from '../runtime/typed-arrays.js';
import { core } from '../runtime/wasm.js';
import type { Numbers } from '../tensor/arrays.js';
import { sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';

/** A parameter as the core describes it. An axis of a size that is still to be inferred is 0. */
export interface Parameter {
  readonly name: string;
  readonly shape: number[];
  /** What holds it, and its index there. */
  readonly stored: Address;
  readonly index: number;
  readonly gradient: Address | Absent;
}

export const readParameters = (response: Address | Absent): readonly Parameter[] =>
  receive(parameterDescriptions, response).parameters as Parameter[];

export const parametersOf = (layer: Address): readonly Parameter[] =>
  readParameters(core().layerParameters(layer));

/** Parameters by name, as PyTorch's `state_dict()` has them. */
export type StateDict = Record<string, Tensor>;

/** Floats that are copied at a time, so that a call needs little memory beside the parameters. */
const floatsAtOnce = 2 ** 18;

/** Rows to copy at a time of an array that is a matrix of its first axis and the others. */
const rowsAtOnce = (columns: number): number =>
  Math.max(1, Math.floor(floatsAtOnce / Math.max(columns, 1)));

/** Floats of the largest part that `byRows` copies. */
export function largestPart(shape: readonly number[]): number {
  const [all = 0, ...rest] = shape;
  return Math.min(all, rowsAtOnce(sizeOf(rest))) * sizeOf(rest);
}

/** Runs `copy` for some rows at a time. */
export function byRows(
  shape: readonly number[],
  copy: (firstRow: number, rows: number, first: number, count: number) => void,
): void {
  const [all = 0, ...rest] = shape;
  const columns = sizeOf(rest);
  for (let row = 0; row < all; row += rowsAtOnce(columns)) {
    const rows = Math.min(rowsAtOnce(columns), all - row);
    copy(row, rows, row * columns, rows * columns);
  }
}

/** Copies the parameters' values. */
export function readValues(parameters: readonly Parameter[]): StateDict {
  const tensors: StateDict = {};
  for (const { name, shape, stored, index } of parameters) {
    const tensor = Tensor.zeros(shape);
    const [at] = reserve(largestPart(tensor.shape));
    byRows(tensor.shape, (firstRow, rows, first, count) => {
      core().readParameter(stored, index, firstRow, rows, at);
      read(at, partOf(tensor.data, first, count), count);
    });
    tensors[name] = tensor;
  }
  return tensors;
}

/** Copies the parameters' gradients. Those that do not exist yet are zeros. */
export function readGradients(parameters: readonly Parameter[]): StateDict {
  const tensors: StateDict = {};
  for (const { name, shape, gradient } of parameters) {
    const tensor = Tensor.zeros(shape);
    if (!isAbsent(gradient)) {
      read(gradient, tensor.data);
    }
    tensors[name] = tensor;
  }
  return tensors;
}

/** Reserves what `writeValues` needs, so that it cannot fail. */
export const reserveForWriting = (tensors: ReadonlyMap<string, Numbers<Float32Array>>): Address =>
  reserve(Math.max(0, ...[...tensors.values()].map(({ shape }) => largestPart(shape))))[0];

/**
 * Sets the parameters to checked tensors.
 *
 * @param at what `reserveForWriting` returned
 * @param storedIn what holds parameters that were described before it was there
 */
export function writeValues(
  parameters: readonly Parameter[],
  tensors: ReadonlyMap<string, Numbers<Float32Array>>,
  at: Address,
  storedIn?: Address,
): void {
  for (const { name, stored, index } of parameters) {
    const tensor = tensors.get(name);
    if (tensor !== undefined) {
      byRows(tensor.shape, (firstRow, rows, first, count) => {
        write(at, { data: partOf(tensor.data, first, count), count });
        core().writeParameter(storedIn ?? stored, index, firstRow, rows, at);
      });
    }
  }
}
