import { HeadwiseError, showShape } from '../runtime/errors.js';
import { isAbsent, read, write, type Absent, type Address } from '../runtime/memory.js';
import { counted, type Numbers } from '../tensor/arrays.js';
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

/** Copies tensors with the parameters' names and shapes from WebAssembly memory; zeros for an absent address. */
export function readTensors<Each extends Omit<Parameter, 'number'>>(
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

/** Copies checked tensors to the addresses of the parameters. */
export function writeTensors<Each extends Omit<Parameter, 'number'>>(
  parameters: readonly Each[],
  tensors: ReadonlyMap<string, Numbers<Float32Array>>,
  addressOf: (parameter: Each) => Address,
): void {
  for (const parameter of parameters) {
    const tensor = tensors.get(parameter.name);
    if (tensor !== undefined) {
      write(addressOf(parameter), counted(tensor));
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
