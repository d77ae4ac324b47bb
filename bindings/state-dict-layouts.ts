import { toFloats, toShape, type TensorInput } from './arrays.js';
import { fail, show } from './errors.js';
import type { MultiHeadAttentionOptions, Pooling, Projection } from './layer-options.js';
import { checkBoolean, checkOptionalSize, checkOptions, checkSize, checkWord } from './options.js';
import { ask, request, shapeParts, toText } from './questions.js';
import { Tensor } from './tensor.js';

/**
 * The options of a layer that is made from a state dict. Those that the dict settles (all but `numHeads`, `dropout`,
 * `scale`, `softcap`, `zeroAttention` and `seed`) may be left out; given, they must agree with it.
 */
export interface FromStateDictOptions extends Partial<MultiHeadAttentionOptions> {
  /** Number of heads, which no dict tells; divides `numHiddens`. */
  numHeads: number;
  /** What stands before the layer's names in the dict, for example `encoder.layer.0.attention.`. Default: nothing. */
  prefix?: string;
}

/** A layer's options and its parameters by d2l's names. */
export interface PlannedLayer {
  readonly options: MultiHeadAttentionOptions;
  readonly dict: Record<string, Tensor>;
}

/** What the core answers, see `plan_state_dict` in io_calls.cpp. */
interface Plan {
  readonly options: Omit<MultiHeadAttentionOptions, 'numHeads' | 'pooling' | 'projection'> & {
    readonly pooling: number;
    readonly projection: number;
  };
  readonly parameters: readonly ParameterPlan[];
}

/** One parameter of the layer: rows of a tensor of the dict, or its columns if transposed; zeros without source. */
interface ParameterPlan {
  readonly name: string;
  readonly shape: readonly [number, ...number[]];
  readonly source: number | null;
  readonly firstRow: number;
  readonly transposed: boolean;
}

const poolings: readonly Pooling[] = ['dot-product', 'additive'];
const projections: readonly Projection[] = ['linear', 'convolution', 'none'];

const settledSizes = [
  'numHiddens',
  'querySize',
  'keySize',
  'valueSize',
  'outputSize',
  'numKvHeads',
  'attentionHiddens',
] as const;
const settledFlags = ['bias', 'outputProjection', 'biasKv'] as const;
const optionNames = [
  'numHeads',
  'prefix',
  ...settledSizes,
  ...settledFlags,
  'pooling',
  'projection',
  'dropout',
  'scale',
  'softcap',
  'zeroAttention',
  'seed',
] as const;

/** The options that the dict settles, as `plan_state_dict` reads them: 0 for those not given. */
function settledOptions(given: Partial<FromStateDictOptions>): number[] {
  const word = <Word extends string>(
    name: string,
    value: Word | undefined,
    words: readonly Word[],
  ): number =>
    value === undefined ? 0 : words.indexOf(checkWord(name, value, words as [Word])) + 1;
  return [
    ...settledSizes.map((name) => checkOptionalSize(name, given[name]) ?? 0),
    ...settledFlags.map((name) =>
      given[name] === undefined ? 0 : Number(checkBoolean(name, given[name], false)) + 1,
    ),
    word('pooling', given.pooling, poolings),
    word('projection', given.projection, projections),
  ];
}

/** A tensor's shape. Its numbers are looked at only if it turns out to be a parameter. */
function shapeOf(name: string, value: unknown): readonly number[] {
  const tensor: unknown = value;
  if (typeof tensor === 'object' && tensor !== null && !Array.isArray(tensor)) {
    const { shape, dims } = tensor as { shape?: unknown; dims?: unknown };
    if (shape !== undefined || dims !== undefined) {
      return toShape(name, shape ?? dims);
    }
  }
  return toFloats(name, tensor).shape;
}

function makeParameter(plan: ParameterPlan, name: string, value: unknown): Tensor {
  const { shape, firstRow } = plan;
  if (plan.source === null) {
    return Tensor.zeros(shape);
  }
  const source = toFloats(name, value);
  const [rows] = shape;
  if (!plan.transposed) {
    const rowSize = shape.slice(1).reduce((product, size) => product * size, 1);
    const first = firstRow * rowSize;
    return new Tensor(source.data.subarray(first, first + rows * rowSize), shape);
  }
  const parameter = Tensor.zeros(shape);
  const [, columns = 1] = shape;
  const [, stride = 1] = source.shape;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      parameter.data[row * columns + column] = source.data[column * stride + firstRow + row] ?? NaN;
    }
  }
  return parameter;
}

/**
 * Recognises a state dict's layout and gives a layer's options and parameters from it. The parameters may share memory
 * with the dict.
 *
 * @throws HeadwiseError `invalid-state-dict` that names the layouts known, or lists what is missing or of the wrong
 *   shape; `invalid-option` for options against the dict; `unknown-option`, `invalid-type`, `invalid-shape`,
 *   `out-of-memory`
 */
export function planStateDict(
  dict: Readonly<Record<string, TensorInput>>,
  options: FromStateDictOptions,
): PlannedLayer {
  if (typeof dict !== 'object' || (dict as unknown) === null || Array.isArray(dict)) {
    fail('invalid-type', 'stateDict', 'an object of tensors by name', show(dict));
  }
  const { prefix = '', ...given } = checkOptions<FromStateDictOptions>(options, optionNames);
  if (typeof prefix !== 'string') {
    fail('invalid-option', 'prefix', 'a string', show(prefix));
  }
  const numHeads = checkSize('numHeads', given.numHeads);
  const tensors = Object.entries(dict);
  const shapes = tensors.map(([name, value]) =>
    name.startsWith(prefix) ? shapeOf(name, value) : [],
  );
  const parts = [
    prefix,
    numHeads,
    ...settledOptions(given),
    tensors.length,
    ...tensors.flatMap(([name], i) => [name, ...shapeParts(shapes[i] ?? [])]),
  ];
  const plan = JSON.parse(toText(ask('planStateDict', request(...parts), 128))) as Plan;
  const pooling = poolings[plan.options.pooling];
  const projection = projections[plan.options.projection];
  const parameters = plan.parameters.map((parameter) => {
    const [name, value] = tensors[parameter.source ?? -1] ?? ['', undefined];
    return [parameter.name, makeParameter(parameter, name, value)] as const;
  });
  return {
    options: { ...given, ...plan.options, numHeads, pooling, projection },
    dict: Object.fromEntries(parameters),
  };
}
