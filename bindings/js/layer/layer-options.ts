import { layerOptions } from 'headwise-records';
import type { Address } from '../runtime/memory.js';
import {
  checkSeed,
  flag,
  group,
  number,
  optional,
  readOptions,
  whole,
  word,
} from '../runtime/options.js';
import { precisions, type Precision } from '../runtime/precisions.js';
import { send } from '../runtime/records.js';
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
   * Whether W_o projects the concatenated heads; otherwise they are the output. Default: yes, unless `projection` is
   * `'none'`.
   */
  outputProjection?: boolean | undefined;
  /**
   * Number of key-value heads, each shared by the same number of query heads; divides `numHeads`. Default: `numHeads`.
   * Source: Ainslie et al. 2023, grouped-query attention; ONNX Attention, `kv_num_heads`.
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
   * Rotary positions of queries and keys, after their projection. The extra slots of `biasKv` and `zeroAttention` have
   * no positions. Default: none. Source: Su et al. 2021.
   */
  rotary?: RotaryOptions | undefined;
  /**
   * Whether to append an extra slot to the keys and values: a learnt pair, `bias_k` and `bias_v`. Default: no. Source:
   * PyTorch, `add_bias_kv`.
   */
  biasKv?: boolean | undefined;
  /** Whether to append an extra slot of zeros to the keys and values. Default: no. Source: PyTorch, `add_zero_attn`. */
  zeroAttention?: boolean | undefined;
  /**
   * Precision of the weights of W_q, W_k, W_v and W_o. Fewer than 32 bits are faster for few queries, but cannot be
   * trained. `'float16'` rounds to float16; `'int8'` rounds to integers with a factor for each output, and `'int4'`
   * with a factor for each 32 weights of an output, as GGUF's Q4_0 does. Other parameters stay float32. Default:
   * `'float32'`.
   */
  weights?: Precision | undefined;
  /** Seed of the parameters and of dropout, an integer from 0 to 2^53 − 1. Default: a random one. */
  seed?: number | undefined;
}

/** What JavaScript knows of a layer's checked options, with their defaults. */
export interface LayerSettings {
  readonly numHiddens: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly outputSize: number;
  readonly bias: boolean;
  readonly outputBias: boolean;
  readonly projection: Projection;
  readonly pooling: Pooling;
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

const poolings = ['dot-product', 'additive'] as const;
const projections = ['linear', 'convolution', 'none'] as const;

const size = optional(whole());
const no = optional(flag, false);
const flagIfGiven = optional(flag);

/** Readers of rotary positions. */
export const ofRotary = {
  base: optional(number('a finite number above 0'), 10000),
  size: optional(whole('an even integer from 2 to the head size')),
  interleaved: no,
};

const readers = {
  numHiddens: whole(),
  numHeads: whole(),
  dropout: optional(number('a number from 0 to 1'), 0),
  bias: no,
  outputBias: flagIfGiven,
  querySize: size,
  keySize: size,
  valueSize: size,
  outputSize: size,
  outputProjection: flagIfGiven,
  numKvHeads: size,
  pooling: word(poolings),
  attentionHiddens: size,
  projection: word(projections),
  scale: optional(number('a finite number')),
  softcap: optional(number('a finite number from 0 on'), 0),
  rotary: group(ofRotary),
  biasKv: no,
  zeroAttention: no,
  weights: word(precisions),
  seed: (_: string, value: unknown) => checkSeed(value),
};

export const layerOptionNames = Object.keys(
  readers satisfies Record<keyof MultiHeadAttentionOptions, unknown>,
) as (keyof MultiHeadAttentionOptions)[];

/** Makes a layer in WebAssembly memory. */
export function newLayer(options: MultiHeadAttentionOptions | undefined): {
  readonly handle: Address;
  readonly settings: LayerSettings;
  readonly sizes: InputSizes;
} {
  const given = readOptions(options, readers);
  const { numHiddens, numHeads, projection, pooling, bias } = given;
  enter();
  const request = send(layerOptions, {
    ...given,
    projection: projections.indexOf(projection),
    pooling: poolings.indexOf(pooling),
    weights: precisions.indexOf(given.weights),
  });
  const handle = core().newLayer(request);
  const isNone = projection === 'none';
  const settings = {
    ...given,
    numKvHeads: given.numKvHeads ?? numHeads,
    outputSize: given.outputSize ?? numHiddens,
    outputBias: given.outputBias ?? (bias && (given.outputProjection ?? !isNone)),
  };
  const [querySize, keySize, valueSize] = isNone
    ? [numHiddens, numHiddens, numHiddens]
    : [given.querySize, given.keySize, given.valueSize];
  return { handle, settings, sizes: { querySize, keySize, valueSize } };
}
