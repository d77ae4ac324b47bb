import { newModel as newModelRequest, type ModelOptions } from 'headwise-records';
import { checkNumHeads, checkScale, checkSoftcap } from '../layer/layer-options.js';
import { checkWindow } from '../layer/masks.js';
import { fail, failOption, show } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import {
  checkBoolean,
  checkInteger,
  checkNonNegative,
  checkOptions,
  checkSeed,
  checkSize,
  checkWord,
  ifGiven,
  isIntegerIn,
  largestInteger,
} from '../runtime/options.js';
import { precisions, type Precision } from '../runtime/precisions.js';
import { send } from '../runtime/records.js';
import { modelsCore } from '../runtime/models-build.js';
import {
  checkAbove,
  checkScaling,
  scalingNumbers,
  type ModelRotaryOptions,
} from './rotary-scaling.js';
import type { AdamOptions } from '../training/optimizers.js';

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
  /** With an encoder, every layer also attends to its output. Default: none. */
  encoder?: EncoderOptions | undefined;
  /** The model reads images in place of tokens. Default: tokens. */
  patches?: PatchOptions | undefined;
  /**
   * Precision of the weights of all linear layers, including the attention layers'. Fewer than 32 bits are faster for
   * few rows, but cannot be trained. A tied embedding is rounded, too. Biases, norms and other embeddings stay float32.
   * Default: `'float32'`.
   */
  weights?: Precision | undefined;
  /** Seed of the parameters and of dropout, an integer from 0 to 2^53 − 1. Default: a random one. */
  seed?: number | undefined;
  /** Options of the model's own optimizer, which `trainStep` uses by default. */
  optimizer?: AdamOptions | undefined;
}

const optionNames = [
  ...(['vocabularySize', 'maxLength', 'numHiddens', 'numLayers', 'numHeads'] as const),
  ...(['numKvHeads', 'headSize', 'ffnHiddens', 'activation', 'gated', 'norm'] as const),
  ...(['normFirst', 'parallelResidual', 'postNorms', 'normEpsilon', 'normBias'] as const),
  ...(['finalNorm', 'embeddingNorm', 'logitsSoftcap', 'windows'] as const),
  ...(['positions', 'positionOffset', 'paddingToken', 'rotary', 'qkNorm'] as const),
  ...(['embeddingScale', 'bias', 'qkvBias'] as const),
  ...(['tiedEmbeddings', 'logitsBias', 'head', 'segments', 'causal', 'dropout'] as const),
  ...([
    'window',
    'softcap',
    'scale',
    'encoder',
    'patches',
    'weights',
    'seed',
    'optimizer',
  ] as const),
] as const satisfies readonly (keyof TransformerOptions)[];

const rotaryNames = ['base', 'size', 'interleaved', 'scaling'] as const;

// The order of the C++ enumerations.
export const positionKinds = [
  'sinusoidal',
  'learned',
  'rotary',
  'none',
  'sinusoidal-halves',
] as const;
export const activations = ['relu', 'gelu', 'gelu-tanh', 'silu'] as const;
export const norms = ['layer', 'rms', 'none'] as const;

/** Checks a size that may be 0. */
function checkCount(argument: string, value: unknown, byDefault: number): number {
  return value === undefined ? byDefault : checkInteger(argument, value, 0);
}

/** Checks that `value` is one of `words`. Undefined means `byDefault`. */
function checkKind<Word extends string>(
  argument: string,
  value: unknown,
  words: readonly [Word, ...Word[]],
  byDefault: Word,
): Word {
  return value === undefined ? byDefault : checkWord(argument, value, words);
}

/**
 * Checks the padding token. It needs a row before that of position 0 in the learned positions. Returns NaN if there is
 * none.
 */
function checkPaddingToken(
  { paddingToken, positionOffset = 0 }: Partial<TransformerOptions>,
  vocabularySize: number,
  mayHaveOne: boolean,
): number {
  const fits = mayHaveOne && positionOffset > 0 && isIntegerIn(paddingToken, 0, vocabularySize - 1);
  if (paddingToken !== undefined && !fits) {
    const expected = 'a token, with learned positions, a positionOffset and no causality';
    failOption('paddingToken', expected, paddingToken);
  }
  return paddingToken ?? NaN;
}

/** Fails if an option that needs norms before the sublayers does not have them. */
function checkNeedsNormFirst(argument: string, given: boolean, normFirst: boolean): boolean {
  if (given && !normFirst) {
    fail('invalid-option', argument, 'normFirst beside it', 'norms after the sums');
  }
  return given;
}

/** The window of each layer; empty if all are alike. */
function checkWindows(
  { window, windows }: Partial<TransformerOptions>,
  numLayers: number,
): readonly (readonly [number, number])[] {
  if (windows === undefined) {
    return [];
  }
  if (!Array.isArray(windows) || windows.length !== numLayers || window !== undefined) {
    const expected = `one a layer (${numLayers}), and no window beside them`;
    const got = Array.isArray(windows) && window === undefined ? String(windows.length) : undefined;
    fail(
      'invalid-option',
      'windows',
      expected,
      got ?? (window === undefined ? show(windows) : 'both'),
    );
  }
  return Array.from(windows as TransformerOptions['windows'] & object, (each) =>
    checkWindow(each ?? undefined, 'windows'),
  );
}

type PatchSettings = Required<{
  readonly [Name in keyof PatchOptions]: NonNullable<PatchOptions[Name]>;
}>;

function checkPatches(given: Partial<TransformerOptions>): PatchSettings {
  if (given.patches === undefined) {
    return { imageSize: 0, patchSize: 0, channels: 0, classToken: false };
  }
  const names = ['imageSize', 'patchSize', 'channels', 'classToken'] as const;
  const patches = checkOptions(given.patches, names, 'patches');
  const imageSize = checkSize('patches.imageSize', patches.imageSize);
  const patchSize = checkSize('patches.patchSize', patches.patchSize);
  const channels = ifGiven('patches.channels', patches.channels, checkSize) ?? 3;
  if (imageSize % patchSize !== 0) {
    const expected = `a multiple of patches.patchSize (${patchSize})`;
    fail('invalid-option', 'patches.imageSize', expected, String(imageSize));
  }
  for (const name of ['vocabularySize', 'maxLength', 'segments', 'encoder', 'head'] as const) {
    if (given[name] !== undefined && given[name] !== false) {
      failOption(name, 'none beside patches', given[name]);
    }
  }
  return {
    imageSize,
    patchSize,
    channels,
    classToken: checkBoolean('patches.classToken', patches.classToken, true),
  };
}

interface EncoderSettings {
  readonly encoderLayers: number;
  readonly encoderHeads: number;
  readonly encoderFfnHiddens: number;
}

/** Checks the numbers and the size of a layer's heads. `argument` names the number of heads in errors. */
type CheckLayer = (argument: string, numHeads: number, numKvHeads?: number) => void;

function checkEncoder(
  given: Partial<TransformerOptions>,
  { numHiddens, ffnHiddens }: Record<'numHiddens' | 'ffnHiddens', number>,
  checkLayer: CheckLayer,
): EncoderSettings {
  if (given.encoder === undefined) {
    return { encoderLayers: 0, encoderHeads: 0, encoderFfnHiddens: 0 };
  }
  const names = ['numLayers', 'numHeads', 'ffnHiddens'] as const;
  const encoder = checkOptions(given.encoder, names, 'encoder');
  const { numLayers = 1 } = encoder;
  const own = ifGiven('encoder.numHeads', encoder.numHeads, checkSize);
  if (own !== undefined) {
    if (given.headSize === undefined && numHiddens % own !== 0) {
      const expected = `a divisor of numHiddens (${numHiddens})`;
      fail('invalid-option', 'encoder.numHeads', expected, String(own));
    }
    checkLayer('encoder.numHeads', own);
  }
  return {
    encoderLayers: checkSize('encoder.numLayers', numLayers),
    encoderHeads: own ?? 0,
    encoderFfnHiddens: checkCount('encoder.ffnHiddens', encoder.ffnHiddens, ffnHiddens),
  };
}

function checkRotarySize(size: number | undefined, headSize: number): void {
  if (size !== undefined && (!isIntegerIn(size, 2, headSize) || size % 2 !== 0)) {
    failOption('rotary.size', `an even integer from 2 to the head size (${headSize})`, size);
  }
}

function checkDropout(value: unknown): number {
  if (value === undefined) {
    return 0;
  }
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) {
    failOption('dropout', 'a number from 0 to 1', value);
  }
  return value;
}

/** The size, or undefined if it is 0. */
export const sizeIfGiven = (value: number): number | undefined => (value === 0 ? undefined : value);

export const encoderOptions = (settings: EncoderSettings): EncoderOptions => ({
  numLayers: settings.encoderLayers,
  numHeads: sizeIfGiven(settings.encoderHeads),
  ffnHiddens: settings.encoderFfnHiddens,
});

/** The options with their defaults, in the core's layout, and values derived from them. */
function settingsOf(given: Partial<TransformerOptions>) {
  const flag = (name: keyof typeof given, byDefault: boolean): boolean =>
    checkBoolean(name, given[name], byDefault);
  const patches = checkPatches(given);
  const hasPatches = patches.patchSize > 0;
  const numPatches = (patches.imageSize / patches.patchSize) ** 2;
  const vocabularySize = hasPatches ? 0 : checkSize('vocabularySize', given.vocabularySize);
  const maxLength = hasPatches
    ? numPatches + Number(patches.classToken)
    : checkSize('maxLength', given.maxLength);
  const { numLayers = 1 } = given;
  checkSize('numLayers', numLayers);
  const numHiddens = checkSize('numHiddens', given.numHiddens);
  const numHeads = checkSize('numHeads', given.numHeads);
  const headSize = ifGiven('headSize', given.headSize, checkSize);
  const ffnHiddens = checkCount('ffnHiddens', given.ffnHiddens, 4 * numHiddens);
  const positions = checkKind('positions', given.positions, positionKinds, 'learned');
  if (positions !== 'rotary' && given.rotary !== undefined) {
    fail('invalid-option', 'rotary', "positions 'rotary' beside it", `'${positions}'`);
  }
  const norm = checkKind('norm', given.norm, norms, 'layer');
  const normFirst = flag('normFirst', true);
  const bias = flag('bias', true);
  const window = checkWindow(given.window);
  const windows = checkWindows(given, numLayers);
  const parallelResidual = checkNeedsNormFirst(
    'parallelResidual',
    flag('parallelResidual', false),
    normFirst,
  );
  if (parallelResidual && given.encoder !== undefined) {
    fail('invalid-option', 'parallelResidual', 'no encoder beside it', 'both');
  }
  const causal = flag('causal', !hasPatches);
  // The checks of a layer read the remaining options and name them in errors.
  const { numKvHeads } = given;
  const ofRotary = checkOptions<ModelRotaryOptions>(given.rotary ?? {}, rotaryNames, 'rotary');
  const { scaling: givenScaling, ...rest } = ofRotary;
  const rotary = positions === 'rotary' ? rest : undefined;
  const { base = 10000, interleaved } = rotary ?? {};
  const checkLayer: CheckLayer = (argument, heads, kvHeads) => {
    if (headSize !== undefined && headSize * heads > largestInteger) {
      const expected = `at most ${largestInteger} / ${argument}`;
      fail('invalid-option', 'headSize', expected, String(headSize));
    }
    const size = headSize === undefined ? numHiddens : headSize * heads;
    checkNumHeads(heads, 'numHiddens', size);
    if (kvHeads !== undefined && heads % checkSize('numKvHeads', kvHeads) !== 0) {
      failOption('numKvHeads', `a divisor of numHeads (${heads})`, kvHeads);
    }
    checkRotarySize(rotary?.size, size / heads);
  };
  checkLayer('numHeads', numHeads, numKvHeads);
  checkAbove('rotary.base', base);
  const scaling = checkScaling(givenScaling, base);
  const weights = checkWord('weights', given.weights, precisions);
  const seed = checkSeed(given.seed);
  const encoder = checkEncoder(given, { numHiddens, ffnHiddens }, checkLayer);
  return {
    vocabularySize,
    maxLength,
    numHiddens,
    numLayers,
    numHeads,
    numKvHeads: numKvHeads ?? 0,
    headSize: headSize ?? 0,
    ffnHiddens,
    activation: activations.indexOf(checkKind('activation', given.activation, activations, 'gelu')),
    gated: flag('gated', false),
    norm: norms.indexOf(norm),
    normFirst,
    parallelResidual,
    postNorms: checkNeedsNormFirst('postNorms', flag('postNorms', false), normFirst),
    normEpsilon: ifGiven('normEpsilon', given.normEpsilon, checkNonNegative) ?? 1e-5,
    normBias: flag('normBias', true),
    finalNorm: flag('finalNorm', normFirst),
    embeddingNorm: flag('embeddingNorm', false),
    positions: positionKinds.indexOf(positions),
    positionOffset: checkCount('positionOffset', given.positionOffset, 0),
    paddingToken: checkPaddingToken(given, vocabularySize, positions === 'learned' && !causal),
    rotaryBase: base,
    // 0 means each side's head size.
    rotarySize: rotary?.size ?? 0,
    rotaryInterleaved: checkBoolean('rotary.interleaved', interleaved, false),
    ...scalingNumbers(scaling),
    qkNorm: flag('qkNorm', false),
    embeddingScale: checkScale(given.embeddingScale, 'embeddingScale') ?? 1,
    bias,
    qkvBias: flag('qkvBias', bias),
    tiedEmbeddings: flag('tiedEmbeddings', true),
    logitsBias: flag('logitsBias', false),
    logitsSoftcap: checkSoftcap(given.logitsSoftcap, 'logitsSoftcap'),
    head: flag('head', !hasPatches),
    segments: checkCount('segments', given.segments, 0),
    causal,
    dropout: checkDropout(given.dropout),
    windowLeft: window[0],
    windowRight: window[1],
    softcap: checkSoftcap(given.softcap),
    scale: checkScale(given.scale) ?? NaN,
    ...encoder,
    ...patches,
    weights: precisions.indexOf(weights),
    seed,
    hasEncoder: encoder.encoderLayers > 0,
    hasPatches,
    windows,
    /** The given options with the seed that was used. */
    given: {
      ...(given as TransformerOptions),
      ...{ seed, weights, rotary: rotary && { ...rotary, scaling }, optimizer: undefined },
      window: given.window && window,
      windows: given.windows && windows,
      patches: given.patches && patches,
      encoder: given.encoder && encoderOptions(encoder),
    },
  } satisfies ModelOptions & Record<'given' | 'hasEncoder' | 'hasPatches' | 'windows', unknown>;
}

// Inferred from the function, because the fields of `ModelOptions` are not part of the package's types.
export type TransformerSettings = Readonly<ReturnType<typeof settingsOf>>;

export function checkTransformerOptions(
  options: TransformerOptions,
): [TransformerSettings, Partial<TransformerOptions>] {
  const given = checkOptions(options, optionNames);
  return [settingsOf(given), given];
}

/** Allocates a model in WebAssembly memory. */
/** Whether the model has norms, which may all be switched off. */
export const hasNorms = ({ norm }: TransformerSettings): boolean => norms[norm] !== 'none';

export const newModel = (settings: TransformerSettings): Address =>
  modelsCore().newModel(
    send(newModelRequest, { options: settings, windows: settings.windows.flat() }),
  );
