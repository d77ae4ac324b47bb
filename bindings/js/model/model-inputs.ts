/** Inputs of a model's pass: read from the caller's objects, then checked against the model. */
import {
  readReturnWeights,
  type ChosenWeights,
  type GivenWeights,
} from '../layer/chosen-weights.js';
import { checkHeadGate } from '../layer/head-gate.js';
import { checkKeyMask, checkValidLens, type CheckedValidLens } from '../layer/masks.js';
import type { MultiHeadAttention } from '../layer/multi-head-attention.js';
import { fail, show, showShape } from '../runtime/errors.js';
import type { Address, Counted } from '../runtime/memory.js';
import { checkBoolean, checkOptions, ifGiven, isRecord } from '../runtime/options.js';
import {
  checkIntegers,
  checkTensor,
  counted,
  toFloatList,
  toFloats,
  toKeyMask,
  toWholeNumbers,
  type Numbers,
} from '../tensor/arrays.js';
import type { KeyMaskInput, TensorInput, TokensInput, ValidLens } from '../tensor/inputs.js';
import { checkShape } from '../tensor/shapes.js';
import { ignoredTarget } from '../tensor/tokens.js';
import { ModelCache, type HeldModelCache } from './model-cache.js';
import {
  checkProbe,
  noProbe,
  probeOptionNames,
  readProbe,
  type ActivationName,
  type CheckedProbe,
  type GivenProbe,
  type ProbeOptions,
} from './activations.js';
import { bySide, type LayersBySide, type Side } from './sides.js';
import type { TransformerSettings } from './transformer-options.js';

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
  /** The owner of the caches that this model accepts. */
  readonly owner: object;
  readonly settings: TransformerSettings;
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

/** The arguments of a pass, not yet checked against the model. */
export interface PassInputs extends Context {
  readonly input:
    { readonly tokens: Integers } | { readonly pixels: Floats } | { readonly embeddings: Floats };
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

function readInput(input: unknown, hasPatches: boolean): PassInputs['input'] {
  if (isEmbeddings(input)) {
    const { embeddings } = checkOptions(input, ['embeddings'], 'input');
    if (hasPatches) {
      fail('invalid-option', 'embeddings', 'none for a model that reads images', 'embeddings');
    }
    return { embeddings: toFloats('embeddings', embeddings) };
  }
  return hasPatches
    ? { pixels: toFloats('pixels', input) }
    : { tokens: toWholeNumbers('tokens', input) };
}

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

export interface Gate extends Counted {
  /** Stride by sample, in numbers. */
  readonly stride: number;
}

/** The arguments of a pass, checked. */
export interface CheckedPass {
  readonly batch: number;
  readonly length: number;
  /** The results' batch axis: [] if the tokens have none. */
  readonly batchAxis: readonly number[];
  /** Exactly one of tokens, pixels and embeddings is set. */
  readonly tokens: Float64Array | undefined;
  readonly pixels: Counted | undefined;
  readonly embeddings: Counted | undefined;
  readonly targets: Float64Array | undefined;
  readonly segments: Float64Array | undefined;
  readonly validLens: CheckedValidLens;
  readonly source: Float64Array | undefined;
  /** Length of the given source; 0 if none is given. */
  readonly sourceLength: number;
  readonly sourceValidLens: CheckedValidLens;
  /** 0 and 1 */
  readonly keyMask: Uint8Array | undefined;
  readonly sourceKeyMask: Uint8Array | undefined;
  readonly numKeys: number;
  readonly numSourceKeys: number;
  /** One gate for each layer. */
  readonly gates: Readonly<Record<Side, readonly (Gate | undefined)[]>>;
  readonly cache: HeldModelCache | undefined;
  readonly probe: CheckedProbe;
}

function checkTokens(
  argument: string,
  { settings }: PassModel,
  { data, shape }: Integers,
): readonly number[] {
  if (shape.length !== 1 && shape.length !== 2) {
    checkShape(argument, shape, ['batch', 'length']);
  }
  checkIntegers(argument, data, 0, settings.vocabularySize - 1);
  return shape;
}

/** Checks that the tokens, and the cached ones before them, fit in `maxLength`. Padding does not count. */
function checkLength(
  argument: string,
  { settings: { maxLength, paddingToken } }: PassModel,
  tokens: Float64Array | undefined,
  shape: readonly number[],
  keyMask: Uint8Array | undefined,
  numCached = 0,
): void {
  const length = shape.at(-1) ?? 0;
  const [batch = 1] = shape.slice(0, -1);
  const most = `at most maxLength (${maxLength})`;
  const isReal =
    Number.isNaN(paddingToken) || tokens === undefined
      ? keyMask
      : Uint8Array.from(tokens, (token) => Number(token !== paddingToken));
  if (isReal !== undefined) {
    const numKeys = isReal.length / batch;
    for (let sample = 0; sample < batch; sample++) {
      const own = isReal.subarray(sample * numKeys, (sample + 1) * numKeys);
      const count = own.reduce((sum, each) => sum + each, 0);
      if (count > maxLength) {
        fail('invalid-shape', argument, `${most} without padding`, String(count));
      }
    }
  } else if (length > maxLength) {
    const axes = [...(shape.length === 1 ? [] : ['batch']), 'length'];
    const expected = showShape(tokens === undefined ? [...axes, 'numHiddens'] : axes);
    fail('invalid-shape', argument, `${expected}, length ${most}`, showShape(shape));
  } else if (numCached + length > maxLength) {
    const left = `at most ${maxLength - numCached} behind those of the cache`;
    fail('invalid-shape', argument, left, String(length));
  }
}

function checkGates(
  side: Side,
  given: GivenGates,
  batch: number,
  layers: readonly MultiHeadAttention[],
): readonly (Gate | undefined)[] {
  const argument = gateNames[side];
  if (given.length !== 0 && given.length !== layers.length) {
    const expected = `one a layer (${layers.length}) or none`;
    fail('invalid-shape', argument, expected, String(given.length));
  }
  return layers.map(({ numHeads }, layer) => {
    const gate = given[layer];
    if (gate === undefined) {
      return undefined;
    }
    const stride = checkHeadGate(gate, batch, numHeads, `${argument}[${layer}]`);
    return { ...counted(gate), stride };
  });
}

function checkSource(
  model: PassModel,
  inputs: PassInputs,
  batchAxis: readonly number[],
  cache: HeldModelCache | undefined,
): { readonly length: number; readonly keyMask: Uint8Array | undefined } | undefined {
  const { hasEncoder } = model.settings;
  const { source } = inputs;
  const isCached = cache?.sourceLength !== undefined;
  if (hasEncoder ? (source !== undefined) === isCached : source !== undefined) {
    const expected = !hasEncoder
      ? 'none without an encoder'
      : isCached
        ? 'none beside a cache that holds one'
        : "the encoder's tokens";
    fail('invalid-option', 'source', expected, source === undefined ? 'none' : 'tokens');
  }
  if (source === undefined) {
    if (inputs.sourceValidLens !== undefined) {
      fail('invalid-option', 'sourceValidLens', 'a source beside them', 'none');
    }
    if (inputs.sourceKeyMask !== undefined) {
      fail('invalid-option', 'sourceKeyMask', 'a source beside it', 'none');
    }
    return undefined;
  }
  checkTokens('source', model, source);
  checkShape('source', source.shape, [...batchAxis, 'source length']);
  const [batch = 1] = batchAxis;
  const length = source.shape.at(-1) ?? 0;
  const keyMask = checkKeyMask(inputs.sourceKeyMask, batch, length, 'sourceKeyMask');
  // Even with padding, a cache has room for only maxLength positions of a source.
  checkLength(
    'source',
    model,
    source.data,
    source.shape,
    cache === undefined ? keyMask : undefined,
  );
  return { length, keyMask };
}

/** The tokens' shape, or (batch, length) of the embeddings or of the pixels' patches. */
export function checkInput(model: PassModel, { input }: PassInputs): readonly number[] {
  if ('tokens' in input) {
    return checkTokens('tokens', model, input.tokens);
  }
  if ('embeddings' in input) {
    const { embeddings } = input;
    const axes = ['length', model.settings.numHiddens];
    checkTensor(
      'embeddings',
      embeddings,
      embeddings.shape.length === 2 ? axes : ['batch', ...axes],
    );
    return embeddings.shape.slice(0, -1);
  }
  const { pixels } = input;
  const { channels, imageSize, maxLength } = model.settings;
  const { shape } = pixels;
  const image = [channels, imageSize, imageSize];
  checkTensor('pixels', pixels, shape.length === 3 ? image : ['batch', ...image]);
  return [...shape.slice(0, -3), maxLength];
}

/** Checks the arguments of a pass against the model. */
export function checkPass(model: PassModel, inputs: PassInputs): CheckedPass {
  const { settings, layers } = model;
  const { input, targets, segments } = inputs;
  const shape = checkInput(model, inputs);
  if (targets !== undefined) {
    if (!settings.head) {
      fail('invalid-option', 'targets', 'a model that has logits', 'one without');
    }
    checkShape('targets', targets.shape, shape);
    checkIntegers('targets', targets.data, ignoredTarget, settings.vocabularySize - 1);
  }
  const [length = 0] = shape.slice(-1);
  const batchAxis = shape.slice(0, -1);
  const [batch = 1] = batchAxis;
  if (inputs.cache !== undefined && inputs.requiresGrad) {
    fail('invalid-option', 'requiresGrad', 'no cache beside it', 'both');
  }
  const cache =
    inputs.cache === undefined ? undefined : ModelCache.heldBy(inputs.cache, model, batch, length);
  const numCached = cache?.length ?? 0;
  const numKeys = numCached + length;
  if ('pixels' in input && inputs.keyMask !== undefined) {
    fail('invalid-option', 'keyMask', 'none for a model that reads images', 'a mask');
  }
  if (inputs.keyMask === undefined && cache?.hasPadding === true) {
    const expected = 'one of cached and new tokens, because the cache holds padding';
    fail('invalid-option', 'keyMask', expected, 'none');
  }
  const keyMask = checkKeyMask(inputs.keyMask, batch, numKeys);
  if ('tokens' in input) {
    checkLength('tokens', model, input.tokens.data, shape, keyMask, numCached);
  } else if ('embeddings' in input) {
    checkLength('embeddings', model, undefined, shape, keyMask, numCached);
  }
  const validLens = checkValidLens(inputs.validLens, batch, length, numKeys);
  if (segments !== undefined) {
    if (settings.segments === 0) {
      fail('invalid-option', 'segments', 'none for a model without', 'segments');
    }
    checkShape('segments', segments.shape, shape);
    checkIntegers('segments', segments.data, 0, settings.segments - 1);
  }
  const source = checkSource(model, inputs, batchAxis, cache);
  const sourceLength = source?.length ?? 0;
  const gatesOf = (side: Side): readonly (Gate | undefined)[] =>
    checkGates(side, inputs.gates[side], batch, layers[side]);
  const numSourceKeys = inputs.source === undefined ? (cache?.sourceLength ?? 0) : sourceLength;
  const probe = checkProbe(
    model,
    {
      ...{ batch, batchAxis, length, sourceLength, numKeys, numSourceKeys },
      hasSource: inputs.source !== undefined,
      hasCache: cache !== undefined,
    },
    inputs.probe,
  );
  return {
    batch,
    length,
    batchAxis,
    probe,
    tokens: 'tokens' in input ? input.tokens.data : undefined,
    pixels: 'pixels' in input ? counted(input.pixels) : undefined,
    embeddings: 'embeddings' in input ? counted(input.embeddings) : undefined,
    targets: targets?.data,
    segments: segments?.data,
    validLens,
    keyMask,
    source: inputs.source?.data,
    sourceLength,
    sourceValidLens: checkValidLens(
      inputs.sourceValidLens,
      batch,
      undefined,
      sourceLength,
      'sourceValidLens',
    ),
    sourceKeyMask: source?.keyMask,
    numKeys,
    numSourceKeys,
    gates: bySide(gatesOf),
    cache,
  };
}
