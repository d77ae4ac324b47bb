import {
  layerPlan,
  stateDictNames,
  type LayerParameter,
  type LayerPlan,
  type NamedTensor,
} from 'headwise-records';
import { failOption, show } from '../runtime/errors.js';
import { allocate } from '../runtime/memory.js';
import { checkOptions, entriesOf, whole } from '../runtime/options.js';
import { receive, send } from '../runtime/records.js';
import { newestCore } from '../runtime/wasm.js';
import { checkAttached, toFloatView, type Numbers } from '../tensor/arrays.js';
import { toIntegers, type TensorsByName } from '../tensor/integers.js';
import { checkFileShape } from '../tensor/shapes.js';
import { layerOptionNames, type MultiHeadAttentionOptions } from './layer-options.js';

/** Options of `MultiHeadAttention.fromStateDict`: how to read the state dict, and what it does not determine. */
export interface FromStateDictOptions extends Partial<MultiHeadAttentionOptions> {
  /** Number of heads. At least 1. */
  numHeads: number;
  /**
   * Prefix of the layer's tensors, for example `encoder.layers.0.self_attn`; a trailing dot is optional. Other tensors
   * are ignored. If the prefix is wrong, the error lists the prefixes found. Default: none.
   */
  prefix?: string | undefined;
}

/** A tensor of a state dict. `dtype` is set if it holds no floats; `data` is then empty. */
export interface DictTensor extends Numbers<Float32Array> {
  readonly dtype?: string;
  /** Set for dtype I8. Another tensor may hold the factors. */
  readonly integers?: Int8Array;
}

const nothing: DictTensor = { data: new Float32Array(), shape: [] };

function toDictTensor(name: string, value: unknown): DictTensor {
  const integers = toIntegers(name, value);
  return integers === undefined
    ? toFloatView(name, value)
    : {
        ...{ ...nothing, dtype: integers.dtype, shape: integers.shape },
        ...(integers.dtype === 'I8' && { integers: integers.data }),
      };
}

/** Multiplies int8 weights by the factors of their rows, in `NAME_scale`. The results are floats. */
function joinScales(dict: Map<string, DictTensor>): ReadonlyMap<string, DictTensor> {
  for (const [name, { integers, shape }] of dict) {
    const scale = dict.get(`${name}_scale`);
    const [rows = 1] = shape;
    // (rows,) or (rows, 1), not a factor of each column.
    const isOfRows = scale?.data.length === rows && (scale.shape[0] ?? 1) === rows;
    if (integers !== undefined && isOfRows && scale.dtype === undefined) {
      const columns = integers.length / rows;
      const data = allocate(integers.length);
      for (let i = 0; i < data.length; i++) {
        data[i] = integers[i] * scale.data[Math.floor(i / columns)];
      }
      dict.set(name, { data, shape });
      dict.delete(`${name}_scale`);
    }
  }
  return dict;
}

/** Reads a state dict's tensors by name. */
export function toDict(given: unknown, argument = 'stateDict'): ReadonlyMap<string, DictTensor> {
  const entries = entriesOf(argument, given, 'tensors');
  const dict = new Map(entries.map(([name, value]) => [name, toDictTensor(name, value)]));
  checkFloatsAttached(dict);
  return joinScales(dict);
}

/**
 * Names, dtypes and shapes, which C++ checks.
 *
 * @internal
 */
export const namesAndShapes = (tensors: ReadonlyMap<string, DictTensor>): NamedTensor[] =>
  [...tensors].map(([name, { dtype = 'F32', shape }]) => {
    checkFileShape(name, shape);
    return { name, dtype, shape };
  });

/** Fails if reading one tensor detached the buffer of another. */
function checkFloatsAttached(tensors: Iterable<readonly [string, DictTensor]>): void {
  for (const [name, tensor] of tensors) {
    if (tensor.dtype === undefined) {
      checkAttached(name, tensor);
    }
  }
}

/** The numbers of one parameter: rows of the source, or columns if it is transposed. Zeros without a source. */
function parameterIn(
  { source: number, firstRow, transposed, shape }: LayerParameter,
  sources: readonly DictTensor[],
): Numbers<Float32Array> {
  const source = number === 0 ? undefined : sources[number - 1];
  const [rows = 1] = shape;
  const size = shape.reduce((product, axis) => product * axis, 1);
  const columns = size / rows;
  const data = allocate(size);
  if (source !== undefined && !transposed) {
    data.set(source.data.subarray(firstRow * columns, firstRow * columns + size));
  } else if (source !== undefined) {
    const [, stride = 0] = source.shape;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        data[row * columns + column] = source.data[column * stride + firstRow + row] ?? NaN;
      }
    }
  }
  return { data, shape };
}

/** The layer that a state dict describes: options, and parameters by d2l's names. */
export function readStateDict(
  dict: TensorsByName,
  options: FromStateDictOptions,
): { options: MultiHeadAttentionOptions; dict: Record<string, Numbers<Float32Array>> } {
  const loaded = newestCore();
  const { prefix = '', ...given } = checkOptions<FromStateDictOptions>(options, [
    ...layerOptionNames,
    'prefix',
  ]);
  if (typeof prefix !== 'string') {
    failOption('prefix', 'a string', prefix);
  }
  const numHeads = whole()('numHeads', given.numHeads);
  // The dot separates names such as `layer.1` and `layer.10`.
  const start = prefix === '' || prefix.endsWith('.') ? prefix : `${prefix}.`;
  const isWanted = (name: string): boolean => name.startsWith(start);
  // Other tensors are not read. The error for a wrong prefix needs their names.
  const entries = entriesOf('stateDict', dict, 'tensors', isWanted).map(
    ([name, value]) => [name, isWanted(name) ? toDictTensor(name, value) : nothing] as const,
  );
  checkFloatsAttached(entries.filter(([name]) => isWanted(name)));
  const tensors = joinScales(new Map(entries));
  const sources = [...tensors.values()];

  const named = { numHeads, prefix: start, tensors: namesAndShapes(tensors) };
  const plan = receive(layerPlan, loaded.planLayer(send(stateDictNames, named)));
  return {
    options: { ...given, numHeads, ...reconcile(given, optionsOf(plan)) },
    dict: Object.fromEntries(
      plan.parameters.map((parameter) => [parameter.name, parameterIn(parameter, sources)]),
    ),
  };
}

/** The options that a state dict determines. */
function optionsOf(plan: LayerPlan): Omit<MultiHeadAttentionOptions, 'numHeads'> {
  const { parameters, attentionHiddens, convolution, ...settled } = plan;
  const { outputProjection, bias, outputBias, biasKv, ...sizes } = settled;
  const isAdditive = attentionHiddens > 0;
  return {
    ...sizes,
    pooling: isAdditive ? 'additive' : 'dot-product',
    ...(isAdditive && { attentionHiddens }),
    outputProjection,
    bias,
    outputBias,
    projection: convolution ? 'convolution' : 'linear',
    biasKv,
  };
}

/** Returns the determined options. An option that was given must have the same value. */
function reconcile(
  given: Partial<MultiHeadAttentionOptions>,
  settled: Omit<MultiHeadAttentionOptions, 'numHeads'>,
): Omit<MultiHeadAttentionOptions, 'numHeads'> {
  for (const [name, value] of Object.entries(settled)) {
    const other: unknown = given[name as keyof typeof given];
    if (other !== undefined && other !== value) {
      failOption(name, `${show(value)}, as the state dict has it`, other);
    }
  }
  return settled;
}
