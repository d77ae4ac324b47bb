import { sizeOf, type Numbers } from './arrays.js';
import { checkResultOptions, resultTensor, type AttentionResult } from './attention-weights.js';
import { core, read, reserve, sizesOnce, writeBytes, writeIntegers, writeOnce } from './core.js';
import { fail, failOutOfMemory, showShape } from './errors.js';
import { KeyValueCache } from './key-value-cache.js';
import type { InputSizes, LayerSettings } from './layer-options.js';
import { checkMasks, maskDataSizes, maskRecord, maskRecordSize } from './masks.js';
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
  /** Fixes input sizes at the first pass. */
  readonly initialize: (sizes: InputSizes) => void;
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
    { shape }: Floats,
    batch: Axis,
    length: Axis,
    size: number | undefined,
    name: string,
  ): void => {
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
  const { shape } = gate;
  const expected = shape.length === 1 ? [numHeads] : [batch, numHeads];
  if (shape.length !== expected.length || !shape.every((size, i) => size === expected[i])) {
    const either = `${showShape([numHeads])} or ${showShape([batch, numHeads])}`;
    fail('invalid-shape', argument, either, showShape(shape));
  }
  return shape.length === 1 ? 0 : numHeads;
}

const none = new Float32Array();

/** Numbers behind those of the mask, see `forward` in layer_calls.cpp. */
const forwardRecordSize = 12;

/** Fails if there is no room for what a backward needs of this pass. */
function checkRoom(
  layer: number,
  record: number,
  { batch, numQueries, querySize = 0, keySize = 0, valueSize = 0 }: InputShapes,
  numKeys: number,
  maskFloats: number,
): void {
  writeIntegers(core(), record, [batch, numQueries, numKeys, querySize, keySize, valueSize]);
  if (!core().canRecord(layer, record, maskFloats)) {
    failOutOfMemory();
  }
}

/** One forward pass: checks, lays everything out in working memory, calls the core and copies the results out. */
export function runForward(
  target: ForwardLayer,
  q: Floats,
  keyValues: readonly [Floats, Floats] | undefined,
  gate: Floats | undefined,
  options: ForwardOptions,
): AttentionResult {
  const loaded = core();
  const { layer, settings } = target;
  const { cache } = options;
  const { numHeads } = settings;
  const shapes = checkInputs(target, q, keyValues);
  const { batch, numQueries, numNewKeys } = shapes;
  const requiresGrad = checkBoolean('requiresGrad', options.requiresGrad, false);
  if (requiresGrad && cache !== undefined) {
    fail('invalid-option', 'requiresGrad', 'no cache beside it', 'both');
  }
  const cacheAddress =
    cache === undefined ? 0 : KeyValueCache.addressFor(cache, target, batch, numNewKeys);
  const numKeys = numNewKeys + (cache?.length ?? 0);
  const numExtraSlots = Number(settings.biasKv) + Number(settings.zeroAttention);
  const masks = checkMasks(options, {
    batch,
    numHeads,
    numQueries,
    numKeys,
    numExtraSlots,
    queryOffset: cache?.length ?? 0,
  });
  const gateStride = checkHeadGate(gate, batch, numHeads);
  const { returnWeights, stage, out } = checkResultOptions(options);

  const batchAxis = q.shape.length === 2 ? [] : [batch];
  const outputShape = [...batchAxis, numQueries, settings.outputSize];
  const weightsShape = [...batchAxis, numHeads, numQueries, numKeys + numExtraSlots];
  const inputs = [
    q.data,
    keyValues?.[0].data ?? none,
    keyValues?.[1].data ?? none,
    gate?.data ?? none,
  ];
  const [lensSize, maskSize] = maskDataSizes(masks);
  const [record = 0, lens = 0, mask = 0, output = 0, weights = 0, workspace = 0, ...at] = reserve(
    loaded,
    maskRecordSize + forwardRecordSize,
    lensSize,
    maskSize,
    sizeOf(outputShape),
    returnWeights ? sizeOf(weightsShape) : 0,
    loaded.workspaceSize(layer, batch, numQueries, numKeys),
    ...sizesOnce(inputs),
  );
  const result: AttentionResult = { output: resultTensor('out.output', out.output, outputShape) };
  if (returnWeights) {
    result.attentionWeights = resultTensor(
      'out.attentionWeights',
      out.attentionWeights,
      weightsShape,
    );
  }
  if (requiresGrad) {
    const maskFloats = [lensSize, maskSize, gate?.data.length ?? 0].reduce((a, b) => a + b);
    checkRoom(layer, record, shapes, numKeys, maskFloats);
  }
  target.initialize(shapes);

  const [queries = 0, keys = 0, values = 0, headGate = 0] = writeOnce(loaded, at, inputs);
  writeIntegers(loaded, lens, masks.validLens.lengths);
  writeBytes(loaded, mask, masks.mask);
  writeIntegers(loaded, record, [
    ...maskRecord(masks, lens, mask),
    queries,
    keys,
    values,
    numNewKeys,
    gate === undefined ? 0 : headGate,
    gateStride,
    cacheAddress,
    output,
    returnWeights ? weights : 0,
    stage,
    workspace,
    Number(requiresGrad),
  ]);
  loaded.forward(layer, record);
  if (cache !== undefined) {
    KeyValueCache.append(cache, numNewKeys);
  }
  read(loaded, output, result.output.data);
  if (result.attentionWeights) {
    read(loaded, weights, result.attentionWeights.data);
  }
  return result;
}
