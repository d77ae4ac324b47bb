import { layerOptionsRecord } from 'headwise-records';
import { fail, show } from '../runtime/errors.js';
import { reserve, type Address } from '../runtime/memory.js';
import {
  checkBoolean,
  checkNonNegative,
  checkOptions,
  checkSeed,
  checkSize,
  checkWord,
  ifGiven,
  isIntegerIn,
} from '../runtime/options.js';
import { precisions, type Precision } from '../runtime/precisions.js';
import { writeRecord } from '../runtime/records.js';
import { core, enter } from '../runtime/wasm.js';

/**
 * How each head scores its keys: scaled dot products, or d2l's AdditiveAttention with parameters that all heads share.
 */
export type Pooling = 'dot-product' | 'additive';

/**
 * How heads are formed:
 * - `'linear'`: by W_q, W_k and W_v, as in the chapter
 * - `'convolution'`: by 1×1 convolutions with one group for each head, so each head projects its own slice of the input
 * - `'none'`: by splitting the input, without parameters or output projection
 */
export type Projection = 'linear' | 'convolution' | 'none';

/**
 * Rotary positions: queries and keys of a head are rotated by angles proportional to their positions, so that scores
 * depend on differences of positions. Source: Su et al. 2021.
 */
export interface RotaryOptions {
  /** Element pair i is rotated by position · base^(−2i/size). Above 0. Default: 10000. */
  base?: number | undefined;
  /** Number of elements to rotate, from the first of each head; even. Default: the head size. */
  size?: number | undefined;
  /**
   * Whether a pair is two neighbours, as in the paper, or one element of each half, as in Transformers. Default: false,
   * which means halves.
   */
  interleaved?: boolean | undefined;
}

export interface MultiHeadAttentionOptions {
  /** Total size of the heads; each has `numHiddens` / `numHeads`. At least 1. Source: d2l. */
  numHiddens: number;
  /** Number of heads; divides `numHiddens`. Source: d2l. */
  numHeads: number;
  /** Probability that an attention weight is dropped in training mode, from 0 to 1. Default: 0. Source: d2l. */
  dropout?: number | undefined;
  /** Whether the projections have a bias. Default: no. Source: d2l. */
  bias?: boolean | undefined;
  /** Whether W_o has a bias. Default: `bias`. Source: Hugging Face Transformers, Qwen2. */
  outputBias?: boolean | undefined;
  /** Size of the queries' last axis. Default: inferred by the first `forward` or `loadStateDict`. Source: d2l. */
  querySize?: number | undefined;
  /** Size of the keys' last axis. Default: inferred, as `querySize`. Source: PyTorch, `kdim`. */
  keySize?: number | undefined;
  /** Size of the values' last axis. Default: inferred, as `querySize`. Source: PyTorch, `vdim`. */
  valueSize?: number | undefined;
  /** Size of the output's last axis. Default: `numHiddens`. Source: Keras, `output_shape`. */
  outputSize?: number | undefined;
  /**
   * Whether the output is W_o of the concatenated heads, or the concatenated heads. Default: W_o, unless `projection`
   * is `'none'`.
   */
  outputProjection?: boolean | undefined;
  /**
   * Number of key-value heads, each shared by as many query heads; divides `numHeads`. Default: `numHeads`. Source:
   * Ainslie et al. 2023, grouped-query attention; ONNX Attention, `kv_num_heads`.
   */
  numKvHeads?: number | undefined;
  /** How each head scores its keys. Default: `'dot-product'`. */
  pooling?: Pooling | undefined;
  /** Hidden units of additive pooling. Default: numHiddens / numHeads. Source: d2l, `AdditiveAttention`. */
  attentionHiddens?: number | undefined;
  /** How heads are formed. Default: `'linear'`. */
  projection?: Projection | undefined;
  /** Factor of the dot products. Default: 1/√(head size). Source: Vaswani et al. 2017. */
  scale?: number | undefined;
  /** Cap of the scaled scores: c · tanh(s / c); 0 is off. Default: 0. Source: Gemma 2; ONNX Attention, `softcap`. */
  softcap?: number | undefined;
  /**
   * Rotary positions of queries and keys, after their projection. The extra slots have none. Default: none. Source: Su
   * et al. 2021.
   */
  rotary?: RotaryOptions | undefined;
  /**
   * Whether a learnt key-value pair, `bias_k` and `bias_v`, follows the given ones. Default: no. Source: PyTorch,
   * `add_bias_kv`.
   */
  biasKv?: boolean | undefined;
  /** Whether a pair of zeros follows the given ones. Default: no. Source: PyTorch, `add_zero_attn`. */
  zeroAttention?: boolean | undefined;
  /**
   * Precision of the weights of W_q, W_k, W_v and W_o. Fewer than 32 bits are faster for few queries, but cannot be
   * trained. `'float16'` rounds to float16; `'int8'` rounds to integers with a factor for each output, and `'int4'` with one
   * for each 32 weights of an output, as GGUF's Q4_0 does. Other parameters stay float32. Default: `'float32'`.
   */
  weights?: Precision | undefined;
  /** Seed of the parameters and of dropout, an integer from 0 to 2^53 − 1. Default: a random one. */
  seed?: number | undefined;
}

/** The rotary options with their defaults. */
export type RotarySettings = {
  readonly [Name in keyof RotaryOptions]-?: NonNullable<RotaryOptions[Name]>;
};

/** A layer's checked options, with their defaults. */
export interface LayerSettings {
  readonly numHiddens: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headSize: number;
  readonly outputSize: number;
  readonly outputProjection: boolean;
  readonly bias: boolean;
  readonly outputBias: boolean;
  readonly projection: Projection;
  readonly pooling: Pooling;
  readonly attentionHiddens: number;
  readonly scale: number;
  readonly softcap: number;
  readonly rotary: RotarySettings | undefined;
  /** Of models' layers: whether queries and keys are normalized. */
  readonly qkNorm?: boolean;
  readonly biasKv: boolean;
  readonly zeroAttention: boolean;
  readonly weights: Precision;
  readonly dropout: number;
  readonly seed: number;
}

/** Sizes of the inputs' last axes; undefined until inferred. */
export interface InputSizes {
  readonly querySize: number | undefined;
  readonly keySize: number | undefined;
  readonly valueSize: number | undefined;
}

export type KnownSizes = { readonly [Name in keyof InputSizes]: number };

export const layerOptionNames = [
  'numHiddens',
  'numHeads',
  'dropout',
  'bias',
  'outputBias',
  'querySize',
  'keySize',
  'valueSize',
  'outputSize',
  'outputProjection',
  'numKvHeads',
  'pooling',
  'attentionHiddens',
  'projection',
  'scale',
  'softcap',
  'rotary',
  'biasKv',
  'zeroAttention',
  'weights',
  'seed',
] as const;

const poolings = ['dot-product', 'additive'] as const;
const projections = ['linear', 'convolution', 'none'] as const;

/** Checks that `value` divides `size`; `what` names the size in the error. */
export function checkNumHeads(value: unknown, what: string, size: number): number {
  if (!isIntegerIn(value, 1) || size % value !== 0) {
    fail('invalid-option', 'numHeads', `a divisor of ${what} (${size})`, show(value));
  }
  return value;
}

/** Checks a factor of the dot products: a finite number. */
export function checkScale(value: unknown, argument = 'scale'): number | undefined {
  if (value !== undefined && !Number.isFinite(value)) {
    fail('invalid-option', argument, 'a finite number', show(value));
  }
  return value as number | undefined;
}

/** Checks a cap of the scores: a finite number of at least 0. Default: 0, which is off. */
export const checkSoftcap = (value: unknown, argument = 'softcap'): number =>
  ifGiven(argument, value, checkNonNegative) ?? 0;

/** A copy of the rotary options. */
const readRotary = (value: RotaryOptions): Partial<RotaryOptions> =>
  checkOptions<RotaryOptions>(value, ['base', 'size', 'interleaved'], 'rotary');

function checkRotary(
  value: RotaryOptions | undefined,
  headSize: number,
): RotarySettings | undefined {
  if (value === undefined) {
    return undefined;
  }
  const given = readRotary(value);
  const { base = 10000, size = headSize } = given;
  if (!Number.isFinite(base) || base <= 0) {
    fail('invalid-option', 'rotary.base', 'a finite number above 0', show(base));
  }
  if (!isIntegerIn(size, 2, headSize) || size % 2 !== 0) {
    const expected = `an even integer from 2 to the head size (${headSize})`;
    fail('invalid-option', 'rotary.size', expected, show(size));
  }
  return { base, size, interleaved: checkBoolean('rotary.interleaved', given.interleaved, false) };
}

function checkDropout(value: unknown): number {
  if (value === undefined) {
    return 0;
  }
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) {
    fail('invalid-option', 'dropout', 'a number from 0 to 1', show(value));
  }
  return value;
}

/** Fails if `argument` is given, but another option lacks the value that it requires. */
function checkGoesWith(
  given: boolean,
  argument: string,
  needed: string,
  fits: boolean,
  got: string,
): void {
  if (given && !fits) {
    fail('invalid-option', argument, `${needed} beside it`, `'${got}'`);
  }
}

function checkInputSize(
  argument: string,
  size: number | undefined,
  projection: Projection,
  numHiddens: number,
  numHeads: number,
): number | undefined {
  if (size !== undefined && projection === 'none' && size !== numHiddens) {
    fail(
      'invalid-option',
      argument,
      `numHiddens (${numHiddens}) with projection 'none'`,
      `${size}`,
    );
  }
  if (size !== undefined && projection === 'convolution' && size % numHeads !== 0) {
    fail('invalid-option', argument, `a multiple of numHeads (${numHeads})`, `${size}`);
  }
  return projection === 'none' ? numHiddens : size;
}

export function checkLayerOptions(
  options: MultiHeadAttentionOptions | undefined,
): [LayerSettings, InputSizes] {
  const given = checkOptions<MultiHeadAttentionOptions>(options, layerOptionNames);
  const flag = (name: keyof typeof given, byDefault: boolean): boolean =>
    checkBoolean(name, given[name], byDefault);
  const size = (name: keyof typeof given): number | undefined =>
    ifGiven(name, given[name], checkSize);
  const numHiddens = checkSize('numHiddens', given.numHiddens);
  const numHeads = checkSize('numHeads', given.numHeads);
  checkNumHeads(numHeads, 'numHiddens', numHiddens);
  const headSize = numHiddens / numHeads;
  const dropout = checkDropout(given.dropout);
  const bias = flag('bias', false);
  const projection = checkWord('projection', given.projection, projections);
  const inputSize = (name: keyof InputSizes): number | undefined =>
    checkInputSize(name, size(name), projection, numHiddens, numHeads);
  const sizes = {
    querySize: inputSize('querySize'),
    keySize: inputSize('keySize'),
    valueSize: inputSize('valueSize'),
  };
  const outputSize = size('outputSize') ?? numHiddens;
  const numKvHeads = size('numKvHeads') ?? numHeads;
  if (numHeads % numKvHeads !== 0) {
    fail('invalid-option', 'numKvHeads', `a divisor of numHeads (${numHeads})`, `${numKvHeads}`);
  }
  const pooling = checkWord('pooling', given.pooling, poolings);
  const attentionHiddens = size('attentionHiddens');
  const scale = checkScale(given.scale);
  const softcap = checkSoftcap(given.softcap);
  const rotary = checkRotary(given.rotary, headSize);
  const seed = checkSeed(given.seed);
  const biasKv = flag('biasKv', false);
  const zeroAttention = flag('zeroAttention', false);
  const weights = checkWord('weights', given.weights, precisions);
  const none = projection === 'none';
  const outputProjection = flag('outputProjection', !none);

  const linear = "projection 'linear'";
  const withParameters = "projection 'linear' or 'convolution'";
  checkGoesWith(numKvHeads !== numHeads, 'numKvHeads', linear, projection === 'linear', projection);
  checkGoesWith(bias, 'bias', withParameters, !none, projection);
  checkGoesWith(biasKv, 'biasKv', withParameters, !none, projection);
  checkGoesWith(outputProjection, 'outputProjection', withParameters, !none, projection);
  const outputBias = flag('outputBias', bias && outputProjection);
  if (outputBias && !outputProjection) {
    fail('invalid-option', 'outputBias', 'an output projection beside it', 'none');
  }
  if (!outputProjection && outputSize !== numHiddens) {
    const expected = `numHiddens (${numHiddens}) without an output projection`;
    fail('invalid-option', 'outputSize', expected, `${outputSize}`);
  }
  const additive = pooling === 'additive';
  const dotProduct = "pooling 'dot-product'";
  const hiddensGiven = attentionHiddens !== undefined;
  checkGoesWith(hiddensGiven, 'attentionHiddens', "pooling 'additive'", additive, pooling);
  checkGoesWith(scale !== undefined, 'scale', dotProduct, !additive, pooling);
  checkGoesWith(softcap !== 0, 'softcap', dotProduct, !additive, pooling);
  const settings: LayerSettings = {
    numHiddens,
    numHeads,
    numKvHeads,
    headSize,
    outputSize,
    outputProjection,
    bias,
    outputBias,
    projection,
    pooling,
    attentionHiddens: attentionHiddens ?? headSize,
    scale: scale ?? 1 / Math.sqrt(headSize),
    softcap,
    rotary,
    biasKv,
    zeroAttention,
    weights,
    dropout,
    seed,
  };
  return [settings, sizes];
}

/** Allocates a layer in WebAssembly memory. */
export function newLayer(settings: LayerSettings, sizes: InputSizes): Address {
  const { dropout, scale, softcap, rotary, seed } = settings;
  enter();
  const [record] = reserve(layerOptionsRecord.words);
  writeRecord(record, layerOptionsRecord, {
    ...settings,
    querySize: sizes.querySize ?? 0,
    keySize: sizes.keySize ?? 0,
    valueSize: sizes.valueSize ?? 0,
    projection: projections.indexOf(settings.projection),
    pooling: poolings.indexOf(settings.pooling),
    rotarySize: rotary?.size ?? 0,
    rotaryInterleaved: rotary?.interleaved ?? false,
    weights: precisions.indexOf(settings.weights),
  });
  return core().newLayer(record, dropout, scale, softcap, seed, rotary?.base ?? 0);
}
