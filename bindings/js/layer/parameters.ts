import { HeadwiseError, showShape } from '../runtime/errors.js';
import { isAbsent, read, reserve, write, type Absent, type Address } from '../runtime/memory.js';
import { partOf } from '../runtime/typed-arrays.js';
import { core } from '../runtime/wasm.js';
import type { Numbers } from '../tensor/arrays.js';
import { fits, sizeOf, type Axis } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import type { DictTensor } from './from-state-dict.js';
import type { InputSizes, KnownSizes, LayerSettings } from './layer-options.js';

/** A parameter's number in the core, its name, and the known axes of its shape. */
export interface Parameter {
  readonly number: number;
  readonly name: string;
  readonly shape: readonly Axis[];
}

/** The parameters of a layer with these settings, in the order of their numbers. */
export function parametersOf(settings: LayerSettings, sizes: InputSizes): Parameter[] {
  const parameters: Parameter[] = [];
  const add = (number: number, name: string, ...shape: readonly Axis[]): void => {
    parameters.push({ number, name, shape });
  };
  const addLinear = (
    number: number,
    name: string,
    hasBias: boolean,
    out: number,
    ...rest: readonly Axis[]
  ): void => {
    add(number, `${name}.weight`, out, ...rest);
    if (hasBias) {
      add(number + 1, `${name}.bias`, out);
    }
  };
  const { numHeads, headSize, attentionHiddens } = settings;
  const queryWidth = numHeads * headSize;
  const keyValueWidth = settings.numKvHeads * headSize;
  const addProjection = (
    number: number,
    name: string,
    out: number,
    size: number | undefined,
    sizeName: string,
  ): void => {
    if (settings.projection === 'linear') {
      addLinear(number, name, settings.bias, out, size ?? sizeName);
    } else if (settings.projection === 'convolution') {
      const slice = size === undefined ? `${sizeName} / numHeads` : size / numHeads;
      addLinear(number, name, settings.bias, out, slice, 1);
    }
  };
  addProjection(0, 'W_q', queryWidth, sizes.querySize, 'querySize');
  addProjection(2, 'W_k', keyValueWidth, sizes.keySize, 'keySize');
  addProjection(4, 'W_v', keyValueWidth, sizes.valueSize, 'valueSize');
  if (settings.outputProjection) {
    addLinear(6, 'W_o', settings.outputBias, settings.outputSize, queryWidth);
  }
  if (settings.biasKv) {
    add(8, 'bias_k', 1, 1, keyValueWidth);
    add(9, 'bias_v', 1, 1, keyValueWidth);
  }
  if (settings.pooling === 'additive') {
    add(10, 'attention.W_q.weight', attentionHiddens, headSize);
    add(11, 'attention.W_k.weight', attentionHiddens, headSize);
    add(12, 'attention.w_v.weight', 1, attentionHiddens);
  }
  if (settings.qkNorm === true) {
    add(13, 'q_norm.weight', headSize);
    add(14, 'k_norm.weight', headSize);
  }
  return parameters;
}

/** Parameters by name, as PyTorch's `state_dict()` has them. */
export type StateDict = Record<string, Tensor>;

/** What holds a parameter in the core, and the parameter's index there. */
export interface Stored {
  readonly stored: Address;
  readonly index: number;
}

interface Named {
  readonly name: string;
  readonly shape: readonly Axis[];
}

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
export function readValues(parameters: readonly (Named & Stored)[]): StateDict {
  const tensors: StateDict = {};
  for (const { name, shape, stored, index } of parameters) {
    const tensor = Tensor.zeros(shape as number[]);
    const [at] = reserve(largestPart(tensor.shape));
    byRows(tensor.shape, (firstRow, rows, first, count) => {
      core().readParameter(stored, index, firstRow, rows, at);
      read(at, partOf(tensor.data, first, count), count);
    });
    tensors[name] = tensor;
  }
  return tensors;
}

/** Copies the parameters' gradients; zeros for an absent address. */
export function readGradients<Each extends Named>(
  parameters: readonly Each[],
  addressOf: (parameter: Each) => Address | Absent,
): StateDict {
  const tensors: StateDict = {};
  for (const parameter of parameters) {
    const tensor = Tensor.zeros(parameter.shape as number[]);
    const address = addressOf(parameter);
    if (!isAbsent(address)) {
      read(address, tensor.data);
    }
    tensors[parameter.name] = tensor;
  }
  return tensors;
}

/** Reserves what `writeValues` needs, so that it cannot fail. */
export const reserveForWriting = (tensors: ReadonlyMap<string, Numbers<Float32Array>>): Address =>
  reserve(Math.max(0, ...[...tensors.values()].map(({ shape }) => largestPart(shape))))[0];

/** Sets the parameters to checked tensors. `at`: what `reserveForWriting` returned. */
export function writeValues(
  parameters: readonly (Named & Stored)[],
  tensors: ReadonlyMap<string, Numbers<Float32Array>>,
  at: Address,
): void {
  for (const { name, stored, index } of parameters) {
    const tensor = tensors.get(name);
    if (tensor !== undefined) {
      byRows(tensor.shape, (firstRow, rows, first, count) => {
        write(at, { data: partOf(tensor.data, first, count), count });
        core().writeParameter(stored, index, firstRow, rows, at);
      });
    }
  }
}

/** Infers unknown sizes from the weights of a checked state dict. */
export function sizesIn(
  tensors: ReadonlyMap<string, Numbers<Float32Array>>,
  { projection, numHeads }: LayerSettings,
  known: InputSizes,
): KnownSizes {
  const groups = projection === 'convolution' ? numHeads : 1;
  const sizeIn = (name: string): number => (tensors.get(name)?.shape[1] ?? 0) * groups;
  return {
    querySize: known.querySize ?? sizeIn('W_q.weight'),
    keySize: known.keySize ?? sizeIn('W_k.weight'),
    valueSize: known.valueSize ?? sizeIn('W_v.weight'),
  };
}

/** Checks names and shapes of a state dict. The error lists all problems. */
export function checkStateDict(
  tensors: ReadonlyMap<string, DictTensor>,
  parameters: readonly Omit<Parameter, 'number'>[],
): void {
  const expected = new Map(parameters.map(({ name, shape }) => [name, shape]));
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const name of [...expected.keys()].sort()) {
    const shape = expected.get(name) ?? [];
    const tensor = tensors.get(name);
    if (tensor === undefined) {
      missing.push(name);
    } else if (tensor.dtype !== undefined) {
      wrong.push(`${name}: expected floats, got ${tensor.dtype}`);
    } else if (!fits(tensor.shape, shape) || sizeOf(tensor.shape) === 0) {
      wrong.push(`${name}: expected ${showShape(shape)}, got ${showShape(tensor.shape)}`);
    }
  }
  const unexpected = [...tensors.keys()].filter((name) => !expected.has(name)).sort();
  const problems = [
    ...(missing.length > 0 ? [`missing ${missing.join(', ')}`] : []),
    ...(unexpected.length > 0 ? [`unexpected ${unexpected.join(', ')}`] : []),
    ...wrong,
  ];
  if (problems.length > 0) {
    throw new HeadwiseError('invalid-state-dict', `stateDict: ${problems.join('; ')}`);
  }
}
