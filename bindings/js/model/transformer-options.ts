import { modelOptions, type ModelOptions } from 'headwise-records';
import {
  checkLayerOptions,
  checkScale,
  readRotary,
  type LayerSettings,
  type MultiHeadAttentionOptions,
  type RotaryOptions,
} from '../layer/layer-options.js';
import { checkWindow } from '../layer/masks.js';
import { fail, show } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import {
  checkBoolean,
  checkInteger,
  checkNonNegative,
  checkOptions,
  checkSize,
  checkWord,
  ifGiven,
  isIntegerIn,
  largestInteger,
} from '../runtime/options.js';
import { precisions, type Precision } from '../runtime/precisions.js';
import { send } from '../runtime/records.js';
import { modelsCore } from '../runtime/models-build.js';
import type { AdamOptions } from '../training/optimizers.js';

/**
 * How a model encodes positions: d2l's `positionalEncoding`; a parameter, `position.weight`; by rotating queries and
 * keys; not at all, except by a causal mask; or all sines before all cosines, as Marian does (Junczys-Dowmunt et al.
 * 2018).
 */
export type Positions = 'sinusoidal' | 'learned' | 'rotary' | 'none' | 'sinusoidal-halves';

/** The activation function of feed-forward layers; `'gelu-tanh'` is GPT-2's approximation, `'silu'` also called swish. */
export type Activation = 'relu' | 'gelu' | 'gelu-tanh' | 'silu';

/** How rows are normalized: layer norm (Ba et al. 2016), by the root mean square (Zhang & Sennrich 2019), not at all. */
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
  /** Pixels of a side; a multiple of `patchSize`. */
  imageSize: number;
  patchSize: number;
  /** Default: 3. */
  channels?: number | undefined;
  /** Whether a learnt token precedes the patches. Default: yes. */
  classToken?: boolean | undefined;
}

export interface TransformerOptions {
  /** Symbols that tokens may be, from 0 on. At least 1, as are the other sizes. Not with `patches`. */
  vocabularySize?: number | undefined;
  /** Positions that there are: no input is longer. With `patches` it follows from them. */
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
  /** Whether a norm precedes each attention and feed-forward layer, or follows their residual sum. Default: precedes. */
  normFirst?: boolean | undefined;
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
  /** Rows of learned positions before that of position 0. Default: 0. Source: BART and RoBERTa, which have 2. */
  positionOffset?: number | undefined;
  /**
   * A token that is padding: only the others are counted as positions, and it gets the learned row before that of position
   * 0. Needs learned positions, a `positionOffset`, and `causal: false`. Attending to it is up to `keyMask` or `validLens`.
   * Default: none. Source: RoBERTa.
   */
  paddingToken?: number | undefined;
  /** Of the layers, with rotary positions only. `size` is by default the head size, the encoder's own in its layers. */
  rotary?: RotaryOptions | undefined;
  /** Factor of the token embeddings. Default: 1. */
  embeddingScale?: number | undefined;
  /** Whether linear maps have a bias. Default: yes. */
  bias?: boolean | undefined;
  /** Whether W_q, W_k and W_v have one. Default: `bias`. */
  qkvBias?: boolean | undefined;
  /** Whether the unembedding is the token embedding. Default: yes. */
  tiedEmbeddings?: boolean | undefined;
  /** Whether the logits have a bias. Default: no. */
  logitsBias?: boolean | undefined;
  /** Whether the model has logits. Default: yes, and with `patches` none. */
  head?: boolean | undefined;
  /** Kinds of segments, whose embeddings are added to those of the tokens. Default: 0. Source: Devlin et al. 2019. */
  segments?: number | undefined;
  /** Whether a position sees only itself and those before it. Default: yes, and with `patches` no. */
  causal?: boolean | undefined;
  /** Probability that an attention weight is dropped in training mode, from 0, the default, to 1. */
  dropout?: number | undefined;
  /** Sliding window around each position in self-attention, as the layer's `forward` takes it. */
  window?: readonly [left: number, right: number] | undefined;
  /** As the layer's, as is `scale`. */
  softcap?: number | undefined;
  scale?: number | undefined;
  /** With an encoder, every layer also attends to its output. Default: none. */
  encoder?: EncoderOptions | undefined;
  /** The model reads images in place of tokens. Default: it does not. */
  patches?: PatchOptions | undefined;
  /**
   * Precision of the weights of all linear maps, those of the attention layers included, as the layer's option. Where the
   * unembedding is the token embedding, it is rounded, too. Default: `'float32'`.
   */
  weights?: Precision | undefined;
  /** Seed of the parameters and of dropout, an integer from 0 to 2^53 − 1; drawn at random when left out. */
  seed?: number | undefined;
  /** Of the optimizer that `trainStep` has of its own. */
  optimizer?: AdamOptions | undefined;
}

const optionNames = [
  ...(['vocabularySize', 'maxLength', 'numHiddens', 'numLayers', 'numHeads'] as const),
  ...(['numKvHeads', 'headSize', 'ffnHiddens', 'activation', 'gated', 'norm'] as const),
  ...(['normFirst', 'normEpsilon', 'normBias', 'finalNorm', 'embeddingNorm'] as const),
  ...(['positions', 'positionOffset', 'paddingToken', 'rotary', 'embeddingScale'] as const),
  ...(['bias', 'qkvBias'] as const),
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

// In the order of their C++ enumerations.
export const positionKinds = [
  'sinusoidal',
  'learned',
  'rotary',
  'none',
  'sinusoidal-halves',
] as const;
export const activations = ['relu', 'gelu', 'gelu-tanh', 'silu'] as const;
export const norms = ['layer', 'rms', 'none'] as const;

/** A size option that may be 0. */
function checkCount(argument: string, value: unknown, byDefault: number): number {
  return value === undefined ? byDefault : checkInteger(argument, value, 0);
}

/** A word of the list, the one by default where there is none. */
function checkKind<Word extends string>(
  argument: string,
  value: unknown,
  words: readonly [Word, ...Word[]],
  byDefault: Word,
): Word {
  return value === undefined ? byDefault : checkWord(argument, value, words);
}

/** Its row of the learned positions is the one before that of position 0. NaN without. */
function checkPaddingToken(
  { paddingToken, positionOffset = 0 }: Partial<TransformerOptions>,
  vocabularySize: number,
  mayHaveOne: boolean,
): number {
  const fits = mayHaveOne && positionOffset > 0 && isIntegerIn(paddingToken, 0, vocabularySize - 1);
  if (paddingToken !== undefined && !fits) {
    const expected = 'a token, with learned positions, a positionOffset and no causality';
    fail('invalid-option', 'paddingToken', expected, show(paddingToken));
  }
  return paddingToken ?? NaN;
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
      fail('invalid-option', name, 'none beside patches', show(given[name]));
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

/** The options of a layer, those of its heads checked: `argument` is what errors call their number. */
type CheckLayer = (argument: string, numHeads: number, numKvHeads?: number) => LayerSettings;

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

/** A size that is 0 where none was given. */
export const sizeIfGiven = (value: number): number | undefined => (value === 0 ? undefined : value);

export const encoderOptions = (settings: EncoderSettings): EncoderOptions => ({
  numLayers: settings.encoderLayers,
  numHeads: sizeIfGiven(settings.encoderHeads),
  ffnHiddens: settings.encoderFfnHiddens,
});

/** Options as the core takes them, with their defaults, and what follows from them. */
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
  const causal = flag('causal', !hasPatches);
  // The rest are the layer's, whose checks know their names.
  const { numKvHeads, dropout, scale, softcap, weights, seed } = given;
  const rotary = positions === 'rotary' ? readRotary(given.rotary ?? {}) : undefined;
  const checkLayer: CheckLayer = (argument, heads, kvHeads) => {
    if (headSize !== undefined && headSize * heads > largestInteger) {
      const expected = `at most ${largestInteger} / ${argument}`;
      fail('invalid-option', 'headSize', expected, String(headSize));
    }
    const [settings] = checkLayerOptions({
      numHiddens: headSize === undefined ? numHiddens : headSize * heads,
      ...{ numHeads: heads, numKvHeads: kvHeads, dropout, scale, softcap, rotary, weights, seed },
      bias: flag('qkvBias', bias),
      outputBias: bias,
    } satisfies MultiHeadAttentionOptions);
    return settings;
  };
  const layer = checkLayer('numHeads', numHeads, numKvHeads);
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
    normEpsilon: ifGiven('normEpsilon', given.normEpsilon, checkNonNegative) ?? 1e-5,
    normBias: flag('normBias', true),
    finalNorm: flag('finalNorm', normFirst),
    embeddingNorm: flag('embeddingNorm', false),
    positions: positionKinds.indexOf(positions),
    positionOffset: checkCount('positionOffset', given.positionOffset, 0),
    paddingToken: checkPaddingToken(given, vocabularySize, positions === 'learned' && !causal),
    rotaryBase: layer.rotary?.base ?? 0,
    // By default each side's head size.
    rotarySize: rotary?.size ?? 0,
    rotaryInterleaved: layer.rotary?.interleaved ?? false,
    embeddingScale: checkScale(given.embeddingScale, 'embeddingScale') ?? 1,
    bias,
    qkvBias: layer.bias,
    tiedEmbeddings: flag('tiedEmbeddings', true),
    logitsBias: flag('logitsBias', false),
    head: flag('head', !hasPatches),
    segments: checkCount('segments', given.segments, 0),
    causal,
    dropout: layer.dropout,
    windowLeft: window[0],
    windowRight: window[1],
    softcap: layer.softcap,
    scale: scale ?? NaN,
    ...encoder,
    ...patches,
    weights: precisions.indexOf(layer.weights),
    seed: layer.seed,
    /** Of a decoder's layer before any head was removed; its seed is the model's. */
    layer,
    hasEncoder: encoder.encoderLayers > 0,
    hasPatches,
    /** The options as they were given, with the seed that was drawn. */
    given: {
      ...(given as TransformerOptions),
      ...{ seed: layer.seed, rotary, optimizer: undefined },
      window: given.window && window,
      patches: given.patches && patches,
      encoder: given.encoder && encoderOptions(encoder),
    },
  } satisfies ModelOptions & Record<'layer' | 'given' | 'hasEncoder' | 'hasPatches', unknown>;
}

// Not by its fields' names: those of `ModelOptions` are no types of the package.
export type TransformerSettings = Readonly<ReturnType<typeof settingsOf>>;

export function checkTransformerOptions(
  options: TransformerOptions,
): [TransformerSettings, Partial<TransformerOptions>] {
  const given = checkOptions(options, optionNames);
  return [settingsOf(given), given];
}

/** A model in WebAssembly memory. */
export const newModel = (settings: TransformerSettings): Address =>
  modelsCore().newModel(send(modelOptions, settings));
