/** Inputs of a model's pass, read from the caller's objects. C++ checks them. */
import {
  readReturnWeights,
  type ChosenWeights,
  type GivenWeights,
} from '../layer/chosen-weights.js';
import { fail, show } from '../runtime/errors.js';
import type { Address } from '../runtime/memory.js';
import { checkBoolean, checkOptions, ifGiven, isRecord } from '../runtime/options.js';
import {
  toFloatList,
  toFloats,
  toKeyMask,
  toWholeNumbers,
  type Numbers,
} from '../tensor/arrays.js';
import type { KeyMaskInput, TensorInput, TokensInput, ValidLens } from '../tensor/inputs.js';
import {
  noProbe,
  probeOptionNames,
  readProbe,
  type ActivationName,
  type GivenProbe,
  type ProbeOptions,
} from './activations.js';
import type { ModelCache } from './model-cache.js';
import { bySide, type LayersBySide, type Side } from './sides.js';

/** Gates of each layer, as in `ForwardOptions`; undefined for a layer without gates. */
export type HeadGates = readonly (TensorInput | Float32Array | Float64Array | undefined)[];

export interface HeadGatesOptions {
  /**
   * Gates of each layer's self-attention, as in `ForwardOptions`: (heads,) or (batch, heads); undefined for a layer
   * without gates. Default: no gates.
   */
  headGates?: HeadGates | undefined;
}

/** Options of every pass of a `Transformer`. */
export interface TransformerPassOptions extends HeadGatesOptions {
  /** Which positions may be attended to: (batch,) or (batch, length), as in `ForwardOptions`. Default: all. */
  validLens?: ValidLens | undefined;
  /**
   * A tokenizer's `attention_mask`, (batch, cached tokens + length): 1 for tokens, 0 for padding, which may stand
   * anywhere. Positions and `maxLength` count tokens only; a window counts padding, too. If a cache holds padding,
   * every later pass needs the mask. Not for models that read images. Default: no padding. Source: Transformers,
   * `position_ids` of left-padded batches.
   */
  keyMask?: KeyMaskInput | undefined;
  /** Segment of each token, of the tokens' shape. Default: 0. */
  segments?: TokensInput | undefined;
  /**
   * The encoder's tokens: (batch, source length), or (source length,) if the tokens have no batch axis. Only for models
   * with an encoder.
   */
  source?: TokensInput | undefined;
  /** Valid lengths of the source, (batch,). A cache stores them with the source. Default: all. */
  sourceValidLens?: ValidLens | undefined;
  /**
   * The `attention_mask` of the source, (batch, source length). A cache stores it with the source. Default: no padding.
   */
  sourceKeyMask?: KeyMaskInput | undefined;
  /** Gates of each layer's cross-attention, as `headGates`. */
  crossHeadGates?: HeadGates | undefined;
  /** Gates of the encoder's layers, as `headGates`. */
  encoderHeadGates?: HeadGates | undefined;
}

export interface TransformerForwardOptions<
  Weights extends boolean | ChosenWeights | undefined = boolean | ChosenWeights | undefined,
  Names extends readonly ActivationName[] | undefined = readonly ActivationName[] | undefined,
>
  extends TransformerPassOptions, ProbeOptions<Names> {
  /**
   * Whether to return the attention weights of every layer, or only those of some heads and queries. The encoder's
   * weights are always returned whole. Default: no, which avoids storing them.
   */
  returnWeights?: Weights;
  /** KV caches of earlier positions; the tokens are appended. If they hold a source, do not pass one. Default: none. */
  cache?: ModelCache | undefined;
  /** Whether to save activations for `backward`. Not with a cache. Default: no. */
  requiresGrad?: boolean | undefined;
}

export const passOptionNames = [
  ...(['validLens', 'keyMask', 'segments', 'source', 'sourceValidLens', 'sourceKeyMask'] as const),
  ...(['headGates', 'crossHeadGates', 'encoderHeadGates'] as const),
] as const;

export const forwardOptionNames = [
  ...passOptionNames,
  ...(['returnWeights', 'cache', 'requiresGrad'] as const),
  ...probeOptionNames,
] as const;

/** The model of a pass. */
export interface PassModel {
  /** Address in WebAssembly memory. */
  readonly model: Address;
  readonly settings: Readonly<Record<'vocabularySize' | 'maxLength' | 'numHiddens', number>> & {
    readonly hasEncoder: boolean;
  };
  readonly layers: LayersBySide;
}

type Floats = Numbers<Float32Array>;
type Integers = Numbers<Float64Array>;
type GivenGates = readonly (Floats | undefined)[];

/** Reads the options of every pass from the caller's objects. */
export const readContext = (options: Partial<TransformerPassOptions>) => ({
  validLens: ifGiven('validLens', options.validLens, toWholeNumbers),
  segments: ifGiven('segments', options.segments, toWholeNumbers),
  source: ifGiven('source', options.source, toWholeNumbers),
  sourceValidLens: ifGiven('sourceValidLens', options.sourceValidLens, toWholeNumbers),
  keyMask: ifGiven('keyMask', options.keyMask, toKeyMask),
  sourceKeyMask: ifGiven('sourceKeyMask', options.sourceKeyMask, toKeyMask),
});

export type Context = Readonly<ReturnType<typeof readContext>>;

/** What a model reads. The order is that of the inputs in `ModelInputs`. */
export const inputKinds = ['tokens', 'pixels', 'embeddings'] as const;

export interface Input {
  readonly kind: (typeof inputKinds)[number];
  readonly numbers: Integers | Floats;
}

/** The arguments of a pass. */
export interface PassInputs extends Context {
  readonly input: Input;
  /** Undefined if the call takes no targets. */
  readonly targets: Integers | undefined;
  readonly gates: Readonly<Record<Side, GivenGates>>;
  readonly returnWeights: GivenWeights;
  readonly probe: GivenProbe;
  readonly cache: unknown;
  readonly requiresGrad: boolean;
}

/** Names of the gates, and of their gradients, in options and results. */
export const gateNames = {
  self: 'headGates',
  cross: 'crossHeadGates',
  encoder: 'encoderHeadGates',
} as const;

function readGates(argument: string, gates: unknown): GivenGates {
  if (gates !== undefined && !Array.isArray(gates)) {
    fail('invalid-type', argument, 'an array of gates', show(gates));
  }
  return Array.from((gates ?? []) as readonly unknown[], (gate, layer) =>
    ifGiven(`${argument}[${layer}]`, gate, toFloatList),
  );
}

/** Embeddings in place of tokens, as an argument of `forward`. */
export interface EmbeddingsInput {
  /**
   * (batch, length, numHiddens), or (length, numHiddens) of one sequence: the embeddings before positions and segments
   * are added, as `capture: ['embeddings']` returns them.
   */
  embeddings: TensorInput;
}

const isEmbeddings = (input: unknown): input is EmbeddingsInput =>
  isRecord(input) && 'embeddings' in input;

export function readInput(input: unknown, hasPatches: boolean): Input {
  if (isEmbeddings(input)) {
    const { embeddings } = checkOptions(input, ['embeddings'], 'input');
    return { kind: 'embeddings', numbers: toFloats('embeddings', embeddings) };
  }
  return hasPatches
    ? { kind: 'pixels', numbers: toFloats('pixels', input) }
    : { kind: 'tokens', numbers: toWholeNumbers('tokens', input) };
}

const ranks = { tokens: 2, pixels: 4, embeddings: 3 } as const;

/** Whether results have a batch axis. */
export const hasBatchAxis = ({ input: { kind, numbers } }: PassInputs): boolean =>
  numbers.shape.length === ranks[kind];

/** The number of positions of the pass. */
export const lengthOf = (
  { input: { kind, numbers } }: PassInputs,
  { maxLength }: PassModel['settings'],
): number => (kind === 'pixels' ? maxLength : (numbers.shape.at(kind === 'tokens' ? -1 : -2) ?? 0));

/** Reads all of the caller's objects. This may run the caller's code, so it must not depend on the model's state. */
export function readPass(
  input: unknown,
  targets: readonly [unknown] | undefined,
  options: Partial<TransformerForwardOptions>,
  hasPatches: boolean,
): PassInputs {
  return {
    input: readInput(input, hasPatches),
    targets: targets && toWholeNumbers('targets', targets[0]),
    ...readContext(options),
    gates: bySide((side) => readGates(gateNames[side], options[gateNames[side]])),
    returnWeights: readReturnWeights(options.returnWeights),
    probe: targets === undefined ? readProbe(options) : noProbe,
    cache: options.cache,
    requiresGrad: checkBoolean('requiresGrad', options.requiresGrad, false),
  };
}
