import { toFloats, type Numbers, type TensorInput } from './arrays.js';
import { allocate, core } from './core.js';
import { fail, HeadwiseError, show } from './errors.js';
import { layerOptionNames, type MultiHeadAttentionOptions } from './layer-options.js';
import { checkOptions, checkSize, entriesOf } from './options.js';
import { Question, type Answer } from './questions.js';

/** How `MultiHeadAttention.fromStateDict` reads a state dict, and what no state dict tells. */
export interface FromStateDictOptions extends Partial<MultiHeadAttentionOptions> {
  /** Number of heads. At least 1. */
  numHeads: number;
  /**
   * What stands before the names, for example `encoder.layers.0.self_attn`; tensors of other names are left alone. The
   * dot behind it may be left out. Default: none.
   */
  prefix?: string | undefined;
}

type Dict = ReadonlyMap<string, Numbers<Float32Array>>;

/** A state dict as numbers by name. */
export function toDict(dict: unknown, wanted: (name: string) => boolean = () => true): Dict {
  const entries = entriesOf('stateDict', dict, 'tensors').filter(([name]) => wanted(name));
  return new Map(entries.map(([name, value]) => [name, toFloats(name, value)]));
}

/** The numbers of one parameter: rows of the source, or columns of one that is transposed; zeros without a source. */
function parameterIn(
  answer: Answer,
  sources: readonly Numbers<Float32Array>[],
): [string, Numbers<Float32Array>] {
  const name = answer.text();
  const number = answer.number();
  const source = number === 0 ? undefined : sources[number - 1];
  const firstRow = answer.number();
  const transposed = answer.flag();
  const shape = answer.shape();
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
  return [name, { data, shape }];
}

/** The layer that a state dict describes: its options, and its parameters by d2l's names. */
export function readStateDict(
  dict: Readonly<Record<string, TensorInput>>,
  options: FromStateDictOptions,
): { options: MultiHeadAttentionOptions; dict: Record<string, Numbers<Float32Array>> } {
  const loaded = core();
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
  const tensors = toDict(dict, (name) => name.startsWith(start));

  const question = new Question().number(numHeads).text(start).number(tensors.size);
  for (const [name, { shape }] of tensors) {
    question.text(name).shape(name, shape);
  }
  const answer = question.ask(loaded, 'planLayer');
  const problems = answer.text();
  if (problems !== '') {
    throw new HeadwiseError('invalid-state-dict', `stateDict: ${problems}`);
  }
  const settled = settledBy(answer);
  const sources = [...tensors.values()];
  const parameters = Array.from({ length: answer.number() }, () => parameterIn(answer, sources));
  return {
    options: { ...given, numHeads, ...agreed(given, settled) },
    dict: Object.fromEntries(parameters),
  };
}

/** The options that a state dict settles, in the order of `plan_layer` in file_calls.cpp. */
function settledBy(answer: Answer): Omit<MultiHeadAttentionOptions, 'numHeads'> {
  const sizes = {
    numHiddens: answer.number(),
    numKvHeads: answer.number(),
    querySize: answer.number(),
    keySize: answer.number(),
    valueSize: answer.number(),
    outputSize: answer.number(),
  };
  const attentionHiddens = answer.number();
  return {
    ...sizes,
    pooling: attentionHiddens > 0 ? 'additive' : 'dot-product',
    ...(attentionHiddens > 0 ? { attentionHiddens } : {}),
    outputProjection: answer.flag(),
    bias: answer.flag(),
    projection: answer.flag() ? 'convolution' : 'linear',
    biasKv: answer.flag(),
  };
}

/** The settled options; one that was given, too, must be the same. */
function agreed(
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
