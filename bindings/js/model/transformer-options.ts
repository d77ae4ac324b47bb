import { newModel } from 'headwise-records';
import { ofRotary } from '../layer/layer-options.js';
import { readWindow } from '../layer/masks.js';
import { fail, failOption } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import {
  checkOptions,
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
import { modelsCore } from '../runtime/models-build.js';
import { readAdamOptions, type AdamOptions } from '../training/optimizers.js';
import { ofScaling, scalingTypes, type ModelRotaryOptions } from './rotary-scaling.js';

/**
 * How a model encodes positions:
 * - `'sinusoidal'`: as d2l's `positionalEncoding`
 * - `'learned'`: by a parameter, `position.weight`
 * - `'rotary'`: by rotating queries and keys
 * - `'none'`: only by a causal mask, if any
 * - `'sinusoidal-halves'`: all sines before all cosines, as in Marian (Junczys-Dowmunt et al. 2018)
 */
export type Positions = 'sinusoidal' | 'learned' | 'rotary' | 'none' | 'sinusoidal-halves';

/**
 * The activation function of feed-forward layers. `'gelu-tanh'` is GPT-2's approximation; `'silu'` is also called
 * swish.
 */
export type Activation = 'relu' | 'gelu' | 'gelu-tanh' | 'silu';

/** How rows are normalized: layer norm (Ba et al. 2016), RMS norm (Zhang and Sennrich 2019), or not at all. */
export type Norm = 'layer' | 'rms' | 'none';

/** The encoder of an encoder–decoder model. */
export interface EncoderOptions {
  /** Default: 1. */
  numLayers?: number | undefined;
  /** Default: the decoder's. */
  numHeads?: number | undefined;
  /** Default: the decoder's. */
  ffnHiddens?: number | undefined;
}

/** Square images, cut into square patches. Source: Dosovitskiy et al. 2021. */
export interface PatchOptions {
  /** Width and height in pixels; a multiple of `patchSize`. */
  imageSize: number;
  patchSize: number;
  /** Default: 3. */
  channels?: number | undefined;
  /** Whether a learned class token precedes the patches. Default: yes. */
  classToken?: boolean | undefined;
}

export interface TransformerOptions {
  /** Size of the vocabulary; tokens are integers from 0 to below it. All sizes are at least 1. Not with `patches`. */
  vocabularySize?: number | undefined;
  /** Maximum length of an input. Computed if there are `patches`. */
  maxLength?: number | undefined;
  /** Size of the residual stream. */
  numHiddens: number;
  /** Default: 1. */
  numLayers?: number | undefined;
  /** Heads of each layer; divides `numHiddens` unless `headSize` is given. */
  numHeads: number;
  /** Key-value heads of each layer; divides `numHeads`. Default: `numHeads`. Source: Ainslie et al. 2023. */
  numKvHeads?: number | undefined;
  /** Default: numHiddens / numHeads. */
  headSize?: number | undefined;
  /** Hidden units of the feed-forward layers; 0 for none. Default: 4 · numHiddens. */
  ffnHiddens?: number | undefined;
  /** Default: `'gelu'`. */
  activation?: Activation | undefined;
  /** Whether feed-forward layers are activation(gate(x)) · up(x). Default: no. Source: Shazeer 2020. */
  gated?: boolean | undefined;
  /** Default: `'layer'`. */
  norm?: Norm | undefined;
  /**
   * Whether norms come before each attention and feed-forward layer (pre-norm) or after the residual sum (post-norm).
   * Default: before.
   */
  normFirst?: boolean | undefined;
  /**
   * Whether each layer is x + attention(norm(x)) + ffn(ffn_norm(x)): both read the same x. With `normFirst` and without
   * an encoder. Default: no. Source: Wang and Komatsuzaki 2021, GPT-J; GPT-NeoX.
   */
  parallelResidual?: boolean | undefined;
  /** Whether a norm also follows each sublayer, before the residual sum. With `normFirst`. Default: no. Source: Gemma 2. */
  postNorms?: boolean | undefined;
  /** Added to the variance, or mean square. Default: 1e-5. */
  normEpsilon?: number | undefined;
  /** Whether layer norms have a bias. Default: yes. */
  normBias?: boolean | undefined;
  /** Whether a norm follows the last layer. Default: `normFirst`. */
  finalNorm?: boolean | undefined;
  /** Whether a norm follows the embedding. Default: no. */
  embeddingNorm?: boolean | undefined;
  /** Default: `'learned'`. */
  positions?: Positions | undefined;
  /**
   * Number of rows before that of position 0 in the learned positions. Default: 0. Source: BART and RoBERTa, which have
   * 2.
   */
  positionOffset?: number | undefined;
  /**
   * The padding token. Positions do not count it, and it gets the learned row before that of position 0. It is masked
   * only by `keyMask` or `validLens`. Needs learned positions, a `positionOffset`, and `causal: false`. Default: none.
   * Source: RoBERTa.
   */
  paddingToken?: number | undefined;
  /** Used if `positions` is `'rotary'`. The default size is each side's head size. */
  rotary?: ModelRotaryOptions | undefined;
  /**
   * Whether each head's queries and keys are divided by their root mean square, with `normEpsilon`, and multiplied by
   * the parameters `q_norm.weight` and `k_norm.weight` (head size,) of their layer, after their projection and before
   * rotation. Default: no. Source: Qwen3.
   */
  qkNorm?: boolean | undefined;
  /** Factor of the token embeddings. Default: 1. */
  embeddingScale?: number | undefined;
  /** Whether linear layers have a bias. Default: yes. */
  bias?: boolean | undefined;
  /** Whether W_q, W_k and W_v have a bias. Default: `bias`. */
  qkvBias?: boolean | undefined;
  /** Whether feed-forward layers have biases. Default: `bias`. */
  ffnBias?: boolean | undefined;
  /** Whether the unembedding is the token embedding. Default: yes. */
  tiedEmbeddings?: boolean | undefined;
  /** Whether the logits have a bias. Default: no. */
  logitsBias?: boolean | undefined;
  /** Cap of the logits: c · tanh(l / c); 0 is off. Default: 0. Source: Gemma 2. */
  logitsSoftcap?: number | undefined;
  /** Whether the model has logits. Default: yes, unless there are `patches`. */
  head?: boolean | undefined;
  /**
   * Kinds of segments, whose embeddings are added to those of the tokens; 0 for none. Default: 0. Source: Devlin et al.
   * 2019.
   */
  segments?: number | undefined;
  /** Whether a position attends only to itself and those before it. Default: yes, unless there are `patches`. */
  causal?: boolean | undefined;
  /** Probability that an attention weight is dropped in training mode, from 0 to 1. Default: 0. */
  dropout?: number | undefined;
  /** Sliding window around each position, in self-attention, as in `ForwardOptions`. Default: no limit. */
  window?: readonly [left: number, right: number] | undefined;
  /**
   * A window for each layer of the decoder, or null for none, in place of `window`. Default: `window` for all. Source:
   * Child et al. 2019; GPT-3 and Gemma 2, whose layers alternate.
   */
  windows?: readonly (readonly [left: number, right: number] | null)[] | undefined;
  /** `softcap` and `scale` are those of every attention layer, as in `MultiHeadAttentionOptions`. */
  softcap?: number | undefined;
  scale?: number | undefined;
  /**
   * Whether the scores of layer i are also divided by i + 1. Default: no. Source: GPT-2 of Stanford CRFM,
   * `scale_attn_by_inverse_layer_idx`.
   */
  scaleByLayer?: boolean | undefined;
  /** An encoder, to whose output every layer also attends. Default: none. */
  encoder?: EncoderOptions | undefined;
  /** The model reads images in place of tokens. Default: tokens. */
  patches?: PatchOptions | undefined;
  /**
   * Precision of the weights of all linear layers, including the attention layers'. Fewer than 32 bits are faster for
   * few rows, but cannot be trained. `'int8'` and `'int4'` round the token embedding, too, and `'float16'` a tied one.
   * Biases, norms and other embeddings stay float32.
   * Default: `'float32'`.
   */
  weights?: Precision | undefined;
  /** Seed of the parameters and of dropout, an integer from 0 to 2^53 − 1. Default: a random one. */
  seed?: number | undefined;
  /** Options of the model's own optimizer, which `trainStep` uses by default. */
  optimizer?: AdamOptions | undefined;
}

const size = optional(whole());
const count = whole('an integer from 0 to 2147483647');
const cap = optional(number('a finite number from 0 on'), 0);
const no = optional(flag, false);
const yes = optional(flag, true);
const flagIfGiven = optional(flag);

const ofEncoder = { numLayers: optional(whole(), 1), numHeads: size, ffnHiddens: optional(count) };

const ofPatches = {
  imageSize: whole(),
  patchSize: whole(),
  channels: optional(whole(), 3),
  classToken: yes,
};

function readSides(argument: string, value: unknown): Readonly<Record<'left' | 'right', number>> {
  const [left, right] = readWindow(argument, value);
  return { left, right };
}

function readWindows(argument: string, value: unknown): ReturnType<typeof readSides>[] {
  if (!Array.isArray(value)) {
    failOption(argument, 'a list of windows', value);
  }
  return Array.from(value as readonly unknown[], (each) =>
    readSides(argument, each ?? [Infinity, Infinity]),
  );
}

/** Readers of the options that a checkpoint does not determine. */
export const ownReaders = {
  dropout: optional(number('a number from 0 to 1')),
  weights: word(precisions),
  seed: (_: string, value: unknown) => checkSeed(value),
  optimizer: (argument: string, value: unknown) => readAdamOptions(value as AdamOptions, argument),
};

/** Words are in the order of the C++ enumerations. */
const positionKinds = ['sinusoidal', 'learned', 'rotary', 'none', 'sinusoidal-halves'] as const;
const activations = ['relu', 'gelu', 'gelu-tanh', 'silu'] as const;
const norms = ['layer', 'rms', 'none'] as const;

/** A function, so that bundlers can remove it: they keep copies of objects, because a getter might run. */
const createReaders = () => ({
  vocabularySize: whole(),
  maxLength: whole(),
  numHiddens: whole(),
  numLayers: optional(whole(), 1),
  numHeads: whole(),
  numKvHeads: size,
  headSize: size,
  ffnHiddens: optional(count),
  activation: word(activations, 'gelu'),
  gated: no,
  norm: word(norms),
  normFirst: yes,
  parallelResidual: no,
  postNorms: no,
  normEpsilon: optional(number('a finite number from 0 on'), 1e-5),
  normBias: yes,
  finalNorm: flagIfGiven,
  embeddingNorm: no,
  logitsSoftcap: cap,
  windows: optional(readWindows, []),
  positions: word(positionKinds, 'learned'),
  positionOffset: optional(count, 0),
  paddingToken: optional(count),
  rotary: group({ ...ofRotary, scaling: group(ofScaling) }),
  qkNorm: no,
  embeddingScale: optional(number('a finite number'), 1),
  bias: yes,
  qkvBias: flagIfGiven,
  ffnBias: flagIfGiven,
  tiedEmbeddings: yes,
  logitsBias: no,
  head: flagIfGiven,
  segments: optional(count, 0),
  causal: flagIfGiven,
  window: optional(readSides),
  softcap: cap,
  scale: optional(number('a finite number')),
  scaleByLayer: no,
  encoder: group(ofEncoder),
  patches: group(ofPatches),
  ...ownReaders,
});

/** Patches take the place of tokens. */
const ofTokens = { vocabularySize: optional(count, 0), maxLength: optional(count, 0) };

/** A model in WebAssembly memory, and the options of its optimizer. */
export class MadeModel {
  readonly address: Address;
  readonly optimizer: AdamOptions;

  constructor(address: Address, optimizer: AdamOptions) {
    this.address = address;
    this.optimizer = optimizer;
  }
}

export function makeModel(options: TransformerOptions): MadeModel {
  const readers = createReaders() satisfies Record<keyof TransformerOptions, unknown>;
  // Read once: the caller's code may run at each property.
  const once = checkOptions(options, Object.keys(readers) as (keyof TransformerOptions)[]);
  const hasPatches = once.patches !== undefined;
  const given = readOptions(once, hasPatches ? { ...readers, ...ofTokens } : readers);
  const { positions, rotary, head = !hasPatches } = given;
  if (positions !== 'rotary' && rotary !== undefined) {
    fail('invalid-option', 'rotary', "positions 'rotary' beside it", `'${positions}'`);
  }
  if (hasPatches && head) {
    failOption('head', 'none beside patches', head);
  }
  const scaling = rotary?.scaling;
  if (scaling !== undefined && scaling.type !== 'linear' && scaling.originalLength === undefined) {
    failOption('rotary.scaling.originalLength', 'a finite number above 0', undefined);
  }
  const request = send(newModel, {
    options: {
      ...given,
      activation: activations.indexOf(given.activation),
      norm: norms.indexOf(given.norm),
      positions: positionKinds.indexOf(positions),
      rotary: rotary ?? { base: 10000, size: undefined, interleaved: false },
      head,
      causal: given.causal ?? !hasPatches,
      dropout: given.dropout ?? 0,
      weights: precisions.indexOf(given.weights),
    },
    scaling: scaling && {
      ...scaling,
      type: scalingTypes.indexOf(scaling.type),
      originalLength: scaling.originalLength ?? 0,
    },
  });
  return new MadeModel(modelsCore().newModel(request), given.optimizer);
}
