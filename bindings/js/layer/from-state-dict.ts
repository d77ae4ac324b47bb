import { layerPlan, stateDictNames, type LayerParameter, type LayerPlan } from 'headwise-records';
import { fail, HeadwiseError, show } from '../runtime/errors.js';
import { allocate } from '../runtime/memory.js';
import { checkOptions, checkSize, entriesOf } from '../runtime/options.js';
import { receive, send } from '../runtime/records.js';
import { newestCore } from '../runtime/wasm.js';
import { checkAttached, toFloatView, type Numbers } from '../tensor/arrays.js';
import { toIntegers, type TensorsByName } from '../tensor/integers.js';
import { checkFileShape } from '../tensor/shapes.js';
import { layerOptionNames, type MultiHeadAttentionOptions } from './layer-options.js';

/** How `MultiHeadAttention.fromStateDict` reads a state dict, and what no state dict tells. */
export interface FromStateDictOptions extends Partial<MultiHeadAttentionOptions> {
  /** Number of heads. At least 1. */
  numHeads: number;
  /**
   * What stands before the names, for example `encoder.layers.0.self_attn`; tensors of other names are left alone. The
   * dot behind it may be left out. Where it is wrong, the error lists those there are. Default: none.
   */
  prefix?: string | undefined;
}

/** A tensor of a state dict. Of one that holds no floats, `dtype` tells what else, and `data` has nothing. */
export interface DictTensor extends Numbers<Float32Array> {
  readonly dtype?: string;
  /** Of dtype I8, whose factors another tensor may have. */
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

/** Turns int8 weights, beside which there is `NAME_scale` with a factor for each row, into floats. */
function joinScales(dict: Map<string, DictTensor>): ReadonlyMap<string, DictTensor> {
  for (const [name, { integers, shape }] of dict) {
    const scale = dict.get(`${name}_scale`);
    const [rows = 1] = shape;
    if (integers !== undefined && scale?.dtype === undefined && scale?.data.length === rows) {
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

/** A state dict as numbers by name. */
export function toDict(given: unknown, argument = 'stateDict'): ReadonlyMap<string, DictTensor> {
  const entries = entriesOf(argument, given, 'tensors');
  const dict = new Map(entries.map(([name, value]) => [name, toDictTensor(name, value)]));
  checkFloatsAttached(dict);
  return joinScales(dict);
}

/** Fails if reading one tensor took the memory of another away. */
function checkFloatsAttached(tensors: Iterable<readonly [string, DictTensor]>): void {
  for (const [name, tensor] of tensors) {
    if (tensor.dtype === undefined) {
      checkAttached(name, tensor);
    }
  }
}

/** The numbers of one parameter: rows of the source, or columns of one that is transposed; zeros without a source. */
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

/** The layer that a state dict describes: its options, and its parameters by d2l's names. */
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
    fail('invalid-option', 'prefix', 'a string', show(prefix));
  }
  const numHeads = checkSize('numHeads', given.numHeads);
  // Names of another layer may begin alike: layer.1 and layer.10.
  const start = prefix === '' || prefix.endsWith('.') ? prefix : `${prefix}.`;
  const isWanted = (name: string): boolean => name.startsWith(start);
  // Of the others, the names tell which prefixes there are.
  const entries = entriesOf('stateDict', dict, 'tensors', isWanted).map(
    ([name, value]) => [name, isWanted(name) ? toDictTensor(name, value) : nothing] as const,
  );
  checkFloatsAttached(entries.filter(([name]) => isWanted(name)));
  const sources = [...joinScales(new Map(entries))].map(([name, tensor]) => ({ name, ...tensor }));

  const tensors = sources.map(({ name, dtype = 'F32', shape }) => {
    checkFileShape(name, shape);
    return { name, dtype, shape };
  });
  const request = send(stateDictNames, { numHeads, prefix: start, tensors });
  const plan = receive(layerPlan, loaded.planLayer(request));
  if (plan.problem !== '') {
    throw new HeadwiseError('invalid-state-dict', `stateDict: ${plan.problem}`);
  }
  return {
    options: { ...given, numHeads, ...reconcile(given, optionsOf(plan)) },
    dict: Object.fromEntries(
      plan.parameters.map((parameter) => [parameter.name, parameterIn(parameter, sources)]),
    ),
  };
}

/** The options that a state dict settles. */
function optionsOf(plan: LayerPlan): Omit<MultiHeadAttentionOptions, 'numHeads'> {
  const { problem, parameters, attentionHiddens, convolution, ...settled } = plan;
  const { outputProjection, bias, biasKv, ...sizes } = settled;
  const isAdditive = attentionHiddens > 0;
  return {
    ...sizes,
    pooling: isAdditive ? 'additive' : 'dot-product',
    ...(isAdditive && { attentionHiddens }),
    outputProjection,
    bias,
    projection: convolution ? 'convolution' : 'linear',
    biasKv,
  };
}

/** The settled options; one that was given, too, must be the same. */
function reconcile(
  given: Partial<MultiHeadAttentionOptions>,
  settled: Omit<MultiHeadAttentionOptions, 'numHeads'>,
): Omit<MultiHeadAttentionOptions, 'numHeads'> {
  for (const [name, value] of Object.entries(settled)) {
    const other: unknown = given[name as keyof typeof given];
    if (other !== undefined && other !== value) {
      fail('invalid-option', name, `${show(value)}, as the state dict has it`, show(other));
    }
  }
  return settled;
}
