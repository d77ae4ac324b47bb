import { checkAttached, sizeOf, toFloatList, toFloats, type Numbers } from './arrays.js';
import {
  checkResultOptions,
  resultIn,
  type AttentionResult,
  type CheckedResults,
} from './attention-weights.js';
import { core, read, reserve, sizesOnce, writeIntegers, writeOnce } from './core.js';
import { fail, showShape } from './errors.js';
import { KeyValueCache } from './key-value-cache.js';
import type { InputSizes, LayerSettings } from './layer-options.js';
import {
  checkMasks,
  maskDataSizes,
  maskRecord,
  maskRecordSize,
  readMasks,
  writeMasks,
  type GivenMasks,
} from './masks.js';
import type { ForwardOptions } from './multi-head-attention.js';
import { checkBoolean } from './options.js';
import { checkShape, type Axis } from './shapes.js';

type Floats = Numbers<Float32Array>;

/** What a forward pass needs of its layer. */
export interface ForwardLayer {
  /** Its address in WebAssembly memory. */
  readonly layer: number;
  /** Whom caches belong to. */
  readonly owner: object;
  readonly settings: LayerSettings;
  readonly sizes: InputSizes;
}

/** The arguments of a pass, read from the caller's objects, and not yet held against the layer. */
export interface ForwardInputs {
  readonly q: Floats;
  /** Absent to attend to what the cache holds. */
  readonly keyValues: readonly [Floats, Floats] | undefined;
  readonly gate: Floats | undefined;
  readonly cache: unknown;
  readonly masks: GivenMasks;
  readonly results: CheckedResults;
  readonly requiresGrad: boolean;
}

/** What a pass gives: its result, and the sizes that it has inferred. */
export interface ForwardOutcome {
  readonly result: AttentionResult;
  readonly sizes: InputSizes;
}

/** Reads all of the caller's objects, which may run the caller's code: nothing of the layer is looked at before. */
export function readForward(
  queries: unknown,
  keys: unknown,
  values: unknown,
  options: Partial<ForwardOptions>,
): ForwardInputs {
  const { headGate, cache } = options;
  const q = toFloats('queries', queries);
  const fromCache = keys === null && values === null;
  if (fromCache && cache === undefined) {
    fail('invalid-cache', 'cache', 'one beside null keys and values', 'none');
  }
  return {
    q,
    keyValues: fromCache ? undefined : [toFloats('keys', keys), toFloats('values', values)],
    gate: headGate === undefined ? undefined : toFloatList('headGate', headGate),
    cache,
    masks: readMasks(options),
    results: checkResultOptions(options),
    requiresGrad: checkBoolean('requiresGrad', options.requiresGrad, false),
  };
}

/** The sizes of a pass, read off its inputs. */
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
  // Shapes are expected without a batch axis if the queries have none.
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
  // Neither `at` nor object spread here and below: both are slow enough to show in a small call.
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

/** Checks the gate's shape and returns the numbers between its samples. */
export function checkHeadGate(
  gate: Floats | undefined,
  batch: number,
  numHeads: number,
  argument = 'headGate',
): number {
  if (gate === undefined) {
    return 0;
  }
  checkAttached(argument, gate);
  const { shape } = gate;
  const expected = shape.length === 1 ? [numHeads] : [batch, numHeads];
  if (shape.length !== expected.length || !shape.every((size, i) => size === expected[i])) {
    const either = `${showShape([numHeads])} or ${showShape([batch, numHeads])}`;
    fail('invalid-shape', argument, either, showShape(shape));
  }
  return shape.length === 1 ? 0 : numHeads;
}

const none = { data: new Float32Array(), count: 0 };

const counted = (
  input: Floats | undefined,
): { readonly data: Float32Array; readonly count: number } =>
  input === undefined ? none : { data: input.data, count: sizeOf(input.shape) };

/** Numbers behind those of the mask, see `forward` in layer_calls.cpp. */
const forwardRecordSize = 15;

/** One forward pass: checks, lays everything out in working memory, calls the core and copies the results out. */
export function runForward(target: ForwardLayer, inputs: ForwardInputs): ForwardOutcome {
  const loaded = core();
  const { layer, settings } = target;
  const { q, keyValues, gate, cache, requiresGrad, results } = inputs;
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
  const { returnWeights, stage, out } = results;

  const batchAxis = q.shape.length === 2 ? [] : [batch];
  const outputShape = [...batchAxis, numQueries, settings.outputSize];
  const weightsShape = [...batchAxis, numHeads, numQueries, numKeys + numExtraSlots];
  const data = [q, keyValues?.[0], keyValues?.[1], gate].map(counted);
  const [lensSize, maskSize] = maskDataSizes(masks);
  const [record = 0, lens = 0, mask = 0, output = 0, weights = 0, workspace = 0, ...at] = reserve(
    loaded,
    maskRecordSize + forwardRecordSize,
    lensSize,
    maskSize,
    sizeOf(outputShape),
    returnWeights ? sizeOf(weightsShape) : 0,
    loaded.workspaceSize(layer, batch, numQueries, numKeys),
    ...sizesOnce(data),
  );
  const outputResult = resultIn('out.output', out.output, outputShape);
  const weightsResult = returnWeights
    ? resultIn('out.attentionWeights', out.attentionWeights, weightsShape)
    : undefined;

  const [queries = 0, keys = 0, values = 0, headGate = 0] = writeOnce(loaded, at, data);
  writeMasks(masks, lens, mask);
  writeIntegers(loaded, record, [
    ...maskRecord(masks, lens, mask),
    queries,
    keys,
    values,
    numNewKeys,
    gate === undefined ? 0 : headGate,
    gateStride,
    held?.address ?? 0,
    output,
    returnWeights ? weights : 0,
    stage,
    workspace,
    Number(requiresGrad),
    shapes.querySize ?? 0,
    shapes.keySize ?? 0,
    shapes.valueSize ?? 0,
  ]);
  loaded.forward(layer, record);
  held?.append(numNewKeys);
  read(loaded, output, outputResult.data, outputResult.count);
  const result: AttentionResult = { output: outputResult.tensor };
  if (weightsResult !== undefined) {
    read(loaded, weights, weightsResult.data, weightsResult.count);
    result.attentionWeights = weightsResult.tensor;
  }
  return { result, sizes: shapes };
}
