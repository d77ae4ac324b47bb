import { forwardRecord } from 'headwise-records';
import { fail, showShape } from '../runtime/errors.js';
import { reserve, sizesDeduplicated, writeDeduplicated, type Address } from '../runtime/memory.js';
import { checkBoolean, ifGiven } from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import { commit, core } from '../runtime/wasm.js';
import {
  checkAttached,
  counted,
  noFloats,
  toFloatList,
  inPlace,
  toFloats,
  toWholeNumbers,
  type Numbers,
} from '../tensor/arrays.js';
import type { TensorInput, ValidLens } from '../tensor/inputs.js';
import { checkShape, type Axis } from '../tensor/shapes.js';
import type { Tensor } from '../tensor/tensor.js';
import { checkHeadGate } from './head-gate.js';
import { KeyValueCache } from './key-value-cache.js';
import type { InputSizes, LayerSettings } from './layer-options.js';
import { maskDataSizes, writeMasks } from './mask-record.js';
import {
  checkMasks,
  maskOptionNames,
  readMasks,
  type GivenMasks,
  type MaskOptions,
} from './masks.js';
import { capturedFields, checkCapture, type Captured, type CaptureName } from './capture.js';
import {
  checkWeights,
  readReturnWeights,
  type ChosenWeights,
  type GivenWeights,
} from './chosen-weights.js';
import { extrasOf, noExtras, readExtras, writeExtras } from './extras.js';
import { checkPositions } from './positions.js';
import {
  checkResultOptions,
  readResults,
  resultOptionNames,
  placeOf,
  resultsIn,
  type CheckedResults,
  type ResultOptions,
} from './results.js';

export interface ForwardOptions<
  Weights extends boolean | ChosenWeights | undefined = boolean | ChosenWeights | undefined,
  KeyMass extends boolean | undefined = boolean | undefined,
  Names extends readonly CaptureName[] | undefined = readonly CaptureName[] | undefined,
>
  extends MaskOptions, Omit<ResultOptions, 'returnWeights'> {
  /** Whether to return the attention weights, or which of them. Default: no, which avoids storing them. */
  returnWeights?: Weights;
  /**
   * Whether to return `keyMass`: each head's weight on each key, summed over the queries, before dropout. Does not
   * store the weights. Default: no.
   */
  keyMass?: KeyMass;
  /** Which intermediate results to return as `captured`. Default: none. */
  capture?: Names;
  /**
   * Multiplies each head's pooled output before W_o: (heads,) or (batch, heads). Default: 1. Source: Michel et al.
   * 2019, the gates ξ_h.
   */
  headGate?: TensorInput | Float32Array | Float64Array | undefined;
  /**
   * KV cache of earlier positions; the given keys and values are appended. "Keys" in `validLens`, `mask`, `keyMask` and
   * `window` then means the cached and the given ones, and query i is at position (cached keys) + i. Default: no cache.
   */
  cache?: KeyValueCache | undefined;
  /**
   * Positions of the queries, and of as many keys, in a layer with rotary positions: (queries,) or (batch, queries),
   * integers from 0 to 2^31 − 1. Default: query i and given key i are at (cached keys) + i. Masks ignore them.
   */
  positions?: ValidLens | undefined;
  /**
   * Whether to save activations for `backward`: copies of inputs and masks in WebAssembly memory, but not the scores.
   * Not with a cache. Default: no. Source: PyTorch, `requires_grad`.
   */
  requiresGrad?: boolean | undefined;
}

export const forwardOptionNames = [
  ...maskOptionNames,
  ...resultOptionNames,
  'headGate',
  'cache',
  'positions',
  'keyMass',
  'capture',
  'requiresGrad',
] as const;

/** The type of a result: present if requested, optional if the request is known at run time only. */
type IfAsked<Name extends string, Asked, Given> = [Asked] extends [false | undefined]
  ? Partial<Record<Name, undefined>>
  : [Asked] extends [boolean]
    ? boolean extends Asked
      ? Partial<Record<Name, Given | undefined>>
      : Record<Name, Given>
    : [Asked] extends [true | ChosenWeights]
      ? Record<Name, Given>
      : Partial<Record<Name, Given | undefined>>;

/** The captured results, by the requested names if these are known at compile time. */
type IfCaptured<Names> = [Names] extends [undefined]
  ? { captured?: undefined }
  : [Names] extends [readonly CaptureName[]]
    ? number extends Names['length']
      ? { captured?: Captured | undefined }
      : { captured: Record<Names[number], Tensor> }
    : { captured?: Captured | undefined };

/**
 * `output` and, if requested, `attentionWeights` (batch, heads, queries, keys + extra slots), `keyMass` (batch, heads,
 * keys + extra slots) and `captured`.
 */
export type ForwardResult<
  Weights extends boolean | ChosenWeights | undefined = boolean | ChosenWeights | undefined,
  KeyMass extends boolean | undefined = boolean | undefined,
  Names extends readonly CaptureName[] | undefined = readonly CaptureName[] | undefined,
> = { output: Tensor } & IfAsked<'attentionWeights', Weights, Tensor> &
  IfAsked<'keyMass', KeyMass, Tensor> &
  IfCaptured<Names>;

type Floats = Numbers<Float32Array>;

/** The layer of a forward pass. */
export interface ForwardLayer {
  /** Address in WebAssembly memory. */
  readonly layer: Address;
  /** The owner of the caches that this layer accepts. */
  readonly owner: object;
  readonly settings: LayerSettings;
  readonly sizes: InputSizes;
  /** Called after the pass with the sizes that it has inferred. */
  readonly follow: (sizes: InputSizes) => void;
}

/** The arguments of a pass, read from the caller's objects but not yet checked against the layer. */
export interface ForwardInputs {
  readonly q: Floats;
  /** Undefined to attend to the cache only. */
  readonly keyValues: readonly [Floats, Floats] | undefined;
  readonly gate: Floats | undefined;
  readonly cache: unknown;
  readonly masks: GivenMasks;
  readonly results: CheckedResults;
  readonly weights: GivenWeights;
  readonly positions: Numbers<Float64Array> | undefined;
  readonly keyMass: boolean;
  readonly capture: ReadonlySet<CaptureName> | undefined;
  readonly requiresGrad: boolean;
}

/** Reads all of the caller's objects. This may run the caller's code, so it must not depend on the layer's state. */
export function readForward(
  queries: unknown,
  keys: unknown,
  values: unknown,
  options: Partial<ForwardOptions>,
): ForwardInputs {
  const { headGate, cache } = options;
  const q = toFloats('queries', queries, inPlace);
  const fromCache = keys === null && values === null;
  if (fromCache && cache === undefined) {
    fail('invalid-cache', 'cache', 'one beside null keys and values', 'none');
  }
  const weights = readReturnWeights(options.returnWeights);
  return {
    q,
    keyValues: fromCache
      ? undefined
      : [toFloats('keys', keys, inPlace), toFloats('values', values, inPlace)],
    gate: ifGiven('headGate', headGate, toFloatList),
    cache,
    masks: readMasks(options),
    results: checkResultOptions(options, weights !== false),
    weights,
    positions: ifGiven('positions', options.positions, toWholeNumbers),
    keyMass: checkBoolean('keyMass', options.keyMass, false),
    capture: checkCapture(options.capture),
    requiresGrad: checkBoolean('requiresGrad', options.requiresGrad, false),
  };
}

/** Sizes of a pass, from the shapes of its inputs. */
interface InputShapes extends InputSizes {
  readonly batch: number;
  readonly numQueries: number;
  readonly numNewKeys: number;
}

function checkInferredSize(
  { projection, numHeads }: LayerSettings,
  argument: string,
  shape: readonly number[],
  name: string,
): void {
  const size = shape.at(-1) ?? 0;
  if (size === 0) {
    fail('invalid-shape', argument, `${name} of at least 1`, showShape(shape));
  }
  if (projection === 'convolution' && size % numHeads !== 0) {
    fail(
      'invalid-shape',
      argument,
      `${name} a multiple of numHeads (${numHeads})`,
      showShape(shape),
    );
  }
}

function checkInputs(
  { settings, sizes }: ForwardLayer,
  q: Floats,
  keyValues: readonly [Floats, Floats] | undefined,
): InputShapes {
  const batched = q.shape.length !== 2;
  // If the queries have no batch axis, the other inputs must have none.
  const first = batched ? 1 : 0;
  const check = (
    argument: string,
    input: Floats,
    batch: Axis,
    length: Axis,
    size: number | undefined,
    name: string,
  ): void => {
    checkAttached(argument, input);
    const { shape } = input;
    const fits =
      shape.length === first + 2 &&
      (first === 0 || shape[0] === batch || batch === 'batch') &&
      (shape[first] === length || typeof length === 'string') &&
      (shape[first + 1] === size || size === undefined);
    if (!fits) {
      checkShape(argument, shape, [batch, length, size ?? name].slice(1 - first));
    }
    if (size === undefined) {
      checkInferredSize(settings, argument, shape, name);
    }
  };
  check('queries', q, 'batch', 'queries', sizes.querySize, 'querySize');
  const batch = batched ? (q.shape[0] ?? 0) : 1;
  const [k, v] = keyValues ?? [];
  // No `at` and no object spread here and below: both slow down small calls measurably.
  const numNewKeys = k?.shape[first] ?? 0;
  if (k !== undefined && v !== undefined) {
    check('keys', k, batch, 'keys', sizes.keySize, 'keySize');
    check('values', v, batch, numNewKeys, sizes.valueSize, 'valueSize');
  }
  return {
    batch,
    numQueries: q.shape[first] ?? 0,
    numNewKeys,
    querySize: q.shape[first + 1],
    keySize: k === undefined ? sizes.keySize : k.shape[first + 1],
    valueSize: v === undefined ? sizes.valueSize : v.shape[first + 1],
  };
}

/** One forward pass: checks the inputs, writes them to working memory, calls the core and copies the results out. */
export function runForward(target: ForwardLayer, inputs: ForwardInputs): ForwardResult {
  const loaded = core();
  const { layer, settings } = target;
  const { q, keyValues, gate, cache, keyMass, requiresGrad, results } = inputs;
  const { numHeads } = settings;
  const shapes = checkInputs(target, q, keyValues);
  const { batch, numQueries, numNewKeys } = shapes;
  if (requiresGrad && cache !== undefined) {
    fail('invalid-option', 'requiresGrad', 'no cache beside it', 'both');
  }
  const held =
    cache === undefined ? undefined : KeyValueCache.heldBy(cache, target, batch, numNewKeys);
  const numCached = held?.length ?? 0;
  const numKeys = numNewKeys + numCached;
  const numExtraSlots = Number(settings.biasKv) + Number(settings.zeroAttention);
  const masks = checkMasks(inputs.masks, {
    batch,
    numHeads,
    numQueries,
    numKeys,
    numExtraSlots,
    queryOffset: numCached,
  });
  const gateStride = checkHeadGate(gate, batch, numHeads);
  const { returnWeights, stage } = results;
  const weightRows = checkWeights(inputs.weights, numHeads, numQueries);
  const positions = checkPositions(
    inputs.positions,
    settings,
    batch,
    numQueries,
    keyValues === undefined ? undefined : numNewKeys,
  );

  const batchAxis = q.shape.length === 2 ? [] : [batch];
  const outputShape = [...batchAxis, numQueries, settings.outputSize];
  const weightsShape = [
    ...batchAxis,
    weightRows.heads.count,
    weightRows.queries.count,
    numKeys + numExtraSlots,
  ];
  const extras = extrasOf(
    { positions, weights: weightRows, keyMass, capture: inputs.capture },
    { batchAxis, settings, numQueries, numKeys, numExtraSlots },
  );
  const data = [q, keyValues?.[0], keyValues?.[1], gate].map((input) =>
    input === undefined ? noFloats : counted(input),
  );
  const prepared = resultsIn(results, outputShape, weightsShape);
  const [outputAt, outputSize] = placeOf(prepared.output, data);
  const [weightsAt, weightsSize] = placeOf(prepared.weights, data);
  const [record, lens, mask, keyMask, keyRanges, ownOutput, ownWeights, workspace, ...at] = reserve(
    forwardRecord.words,
    ...maskDataSizes(masks),
    outputSize,
    weightsSize,
    loaded.workspaceSize(
      layer,
      batch,
      numQueries,
      numKeys,
      Number(keyMass),
      Number(held?.isQuantized ?? false),
    ),
    ...sizesDeduplicated(data),
    ...(extras === undefined ? [] : extras.sizes),
  );

  const output = outputAt ?? ownOutput;
  const weights = weightsAt ?? ownWeights;
  const [queries, keys, values, headGate] = writeDeduplicated(at, data);
  const extrasAt = extras === undefined ? noExtras : writeExtras(extras, at.slice(data.length));
  const { captured } = extrasAt;
  writeRecord(record, forwardRecord, {
    mask: writeMasks(masks, [lens, mask, keyMask, keyRanges]),
    queries,
    keys,
    values,
    numNewKeys,
    positions: extrasAt.positions,
    positionsSampleStride: positions.sampleStride,
    headGate: gate && headGate,
    gateStride,
    cache: held?.address,
    output,
    attentionWeights: returnWeights ? weights : undefined,
    weightHeads: extrasAt.weightHeads,
    weightQueries: extrasAt.weightQueries,
    numWeightHeads: weightRows.heads.count,
    numWeightQueries: weightRows.queries.count,
    weightsStage: stage,
    keyMass: extrasAt.keyMass,
    ...capturedFields(captured),
    workspace,
    requiresGrad,
    querySize: shapes.querySize ?? 0,
    keySize: shapes.keySize ?? 0,
    valueSize: shapes.valueSize ?? 0,
  });
  commit(() => {
    loaded.forward(layer, record);
    target.follow(shapes);
  });
  const result: ForwardResult = readResults(prepared, output, weights);
  return extras === undefined ? result : Object.assign(result, readExtras(extras, extrasAt));
}
