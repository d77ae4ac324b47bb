import { measuredImportance, type IgnoredKeys } from 'headwise-records';
import { readWindow, type MaskOptions } from '../layer/masks.js';
import { MultiHeadAttention } from '../layer/multi-head-attention.js';
import {
  gateNames,
  readContext,
  type Context,
  type TransformerPassOptions,
} from '../model/model-inputs.js';
import type { TransformerResult } from '../model/transformer-result.js';
import { sides, type Side } from '../model/sides.js';
import { Transformer } from '../model/transformer.js';
import { fail, show } from '../runtime/errors.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkOptions, checkWord, ifGiven, returnedNumber } from '../runtime/options.js';
import { send } from '../runtime/records.js';
import { copyOf } from '../runtime/typed-arrays.js';
import { toFloats, toKeyMask, toWholeNumbers, toMask, type Numbers } from '../tensor/arrays.js';
import type { MaskInput, TensorInput, TokensInput } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import { ignoredTarget } from '../tensor/tokens.js';
import {
  headMeasures,
  importanceOptionNames,
  measureHeads,
  readImportance,
  type HeadImportanceOptions,
  type MeasuredHeads,
  type ReadImportance,
} from './head-measures.js';
import { scoreHeads } from './head-scores.js';
import { withOrigin } from './least-important-heads.js';

/**
 * A batch to measure a layer's heads on. Means over queries skip padding: queries that `validLens` or `mask` leave
 * without a key.
 */
export interface LayerMeasureBatch extends Pick<
  MaskOptions,
  'validLens' | 'mask' | 'keyMask' | 'causal' | 'window'
> {
  /** (batch, queries, querySize), and so on, as for `MultiHeadAttention.forward`. */
  queries: TensorInput;
  keys: TensorInput;
  values: TensorInput;
  /** (batch, keys): true for keys that confidence ignores, such as the end of a sentence. Default: none. */
  ignoredKeys?: MaskInput | undefined;
}

/**
 * A loss of a layer's output or of a model's `hidden`, summed over the samples of the batch. With their mean instead,
 * importance is smaller by a factor of the batch's size. `batch` is the batch's index.
 */
export interface OutputLoss {
  /** The loss, for the measure `'ablation'`. */
  value?: ((output: Tensor, batch: number) => number) | undefined;
  /** The gradient of the loss, of the output's shape, for the measure `'gradient'`. */
  gradient?: ((output: Tensor, batch: number) => TensorInput) | undefined;
}

export interface LayerImportanceOptions extends HeadImportanceOptions {
  batches: readonly LayerMeasureBatch[];
  loss?: OutputLoss | undefined;
}

/**
 * A batch to measure a model's heads on, such as a batch of a task. Means over queries skip padding: queries beyond a
 * sample's length, or masked by `keyMask`.
 */
export interface ModelMeasureBatch extends Omit<
  TransformerPassOptions,
  'headGates' | 'crossHeadGates' | 'encoderHeadGates'
> {
  /** (batch, length) */
  tokens?: TokensInput | undefined;
  /** (batch, channels, height, width), in place of tokens for models that read images. */
  pixels?: TensorInput | undefined;
  /** (batch, length), as for `Transformer.loss`. Not needed for confidence, entropy, or a loss of the hidden states. */
  targets?: TokensInput | undefined;
}

export interface ModelImportanceOptions extends HeadImportanceOptions {
  batches: readonly ModelMeasureBatch[];
  /** Which attention layers to measure. Default: `'self'`. */
  side?: Side | undefined;
  /** A loss of `hidden` after the final norm. Required for models without logits. Default: the loss of the targets. */
  loss?: OutputLoss | undefined;
}

function readBatches<Batch>(batches: readonly Batch[] | undefined): readonly Batch[] {
  if (!Array.isArray(batches)) {
    fail('invalid-type', 'batches', 'an array', show(batches));
  }
  return batches as readonly Batch[];
}

/** Reads a loss, whose results are then checked, too. */
function readLoss(loss: OutputLoss | undefined): OutputLoss {
  const { value, gradient } = checkOptions(loss, ['value', 'gradient'], 'loss');
  for (const [name, given] of Object.entries({ value, gradient })) {
    if (given !== undefined && typeof given !== 'function') {
      fail('invalid-type', `loss.${name}`, 'a function', show(given));
    }
  }
  return {
    value: value && ((...args) => returnedNumber('loss.value', value(...args))),
    gradient: gradient && ((...args) => toFloats('loss.gradient', gradient(...args))),
  };
}

/** Has C++ check the options. `loss` is undefined for a model's own. */
function checkImportance(
  { measure, normalize }: ReadImportance,
  { length: numBatches }: readonly unknown[],
  loss: OutputLoss | undefined,
  rest: { side: Side; hasLayers: boolean; ignoredKeys: readonly IgnoredKeys[] },
): void {
  const { side, hasLayers, ignoredKeys } = rest;
  const inputs = {
    ...{ measure: headMeasures.indexOf(measure), normalize, numBatches },
    needsLoss: loss !== undefined,
    hasValue: loss?.value !== undefined,
    hasGradient: loss?.gradient !== undefined,
    ...{ side: sides.indexOf(side), hasLayers },
  };
  modelsCore().checkImportance(send(measuredImportance, { inputs, ignoredKeys }));
}

function readIgnoredKeys(argument: string, value: unknown): Numbers<Uint8Array> {
  const { data, shape } = toMask(argument, value);
  return data instanceof Uint8Array
    ? { data, shape }
    : fail('invalid-type', argument, 'booleans', 'numbers');
}

/** Copies an input, because batches are used long after the call. */
function held(argument: string, value: unknown): Numbers<Float32Array> {
  const { data, shape } = toFloats(argument, value);
  return { data: copyOf(data), shape };
}

function heldMask(argument: string, mask: unknown): Numbers<Float32Array | Uint8Array> {
  const { data, shape } = toMask(argument, mask);
  // Reading has already copied booleans.
  return { data: data instanceof Float32Array ? copyOf(data) : data, shape };
}

const batchNames = [
  ...(['queries', 'keys', 'values', 'validLens', 'mask', 'keyMask', 'causal', 'window'] as const),
  'ignoredKeys',
] as const;

/** `layer` must be a copy: measuring changes its state. */
function measuredLayer(
  layer: MultiHeadAttention,
  batches: readonly LayerMeasureBatch[],
  loss: OutputLoss,
  read: ReadImportance,
): MeasuredHeads {
  const checked = batches.map((batch, i) => {
    const { queries, keys, values, ignoredKeys, validLens, mask, keyMask, window, ...rest } =
      checkOptions(batch, batchNames, `batches[${i}]`);
    return {
      inputs: [held('queries', queries), held('keys', keys), held('values', values)] as const,
      masks: {
        ...rest,
        validLens: ifGiven('validLens', validLens, toWholeNumbers),
        window: ifGiven('window', window, readWindow),
        mask: ifGiven('mask', mask, heldMask),
        keyMask: ifGiven('keyMask', keyMask, toKeyMask),
      },
      ignoredKeys: ifGiven('ignoredKeys', ignoredKeys, readIgnoredKeys),
    };
  });
  checkImportance(read, batches, loss, {
    ...{ side: 'self', hasLayers: true },
    ignoredKeys: checked.flatMap(({ inputs: [, { shape: keys }], ignoredKeys: ignored }) =>
      ignored === undefined ? [] : [{ keys, ignored: ignored.shape }],
    ),
  });
  const at = (batch: number): (typeof checked)[number] => checked[batch];
  return {
    numHeads: [layer.numHeads],
    counts: checked.map(({ inputs: [{ shape }] }) => (shape.length === 2 ? 1 : (shape[0] ?? 0))),
    loss(batch, [headGate = new Float32Array()]) {
      const { inputs, masks } = at(batch);
      const { output } = layer.forward(...inputs, { ...masks, headGate });
      return loss.value?.(output, batch) ?? NaN;
    },
    gateGradients(batch) {
      const { inputs, masks } = at(batch);
      const { output } = layer.forward(...inputs, { ...masks, requiresGrad: true });
      return [layer.backward(loss.gradient?.(output, batch) ?? []).headGate.data];
    },
    sums(batch, measure) {
      const { inputs, masks, ignoredKeys } = at(batch);
      const { attentionWeights } = layer.forward(...inputs, { ...masks, returnWeights: true });
      const numExtraSlots = (attentionWeights.shape.at(-1) ?? 0) - (inputs[1].shape.at(-2) ?? 0);
      return [scoreHeads(measure, attentionWeights, { numExtraSlots, ignoredKeys })];
    },
  };
}

const modelBatchNames = [
  ...(['tokens', 'pixels', 'targets', 'keys', 'validLens', 'keyMask', 'segments'] as const),
  ...(['source', 'sourceValidLens', 'sourceKeyMask'] as const),
] as const;

/** A copy of a model's batch, independent of the caller's objects. */
interface ReadBatch {
  readonly input: Numbers<Float64Array> | Numbers<Float32Array>;
  readonly targets: Numbers<Float64Array> | undefined;
  readonly options: Context;
}

function readModelBatch(
  given: ModelMeasureBatch,
  argument: string,
  hasPatches: boolean,
): ReadBatch {
  // `keys` of a task's batch are accepted and ignored.
  const { tokens, pixels, targets, ...rest } = checkOptions<ModelMeasureBatch & { keys?: unknown }>(
    given,
    modelBatchNames,
    argument,
  );
  return {
    input: hasPatches ? held('pixels', pixels) : toWholeNumbers('tokens', tokens),
    targets: ifGiven('targets', targets, toWholeNumbers),
    options: readContext(rest),
  };
}

const countTargets = ({ targets }: ReadBatch): number =>
  targets?.data.filter((target) => target !== ignoredTarget).length ?? 0;

const weightsOfSide = {
  self: 'attentionWeights',
  cross: 'crossAttentionWeights',
  encoder: 'encoderAttentionWeights',
} as const;

/**
 * Sets rows of padding to 0: queries beyond a sample's length, or that its mask masks. If each query has a length, such
 * rows are 0 already.
 */
function clearPadding(
  lens: Numbers<Float64Array> | undefined,
  keyMask: Numbers<Uint8Array> | undefined,
  { data, shape }: Tensor,
): void {
  const [numHeads = 0, numQueries = 0, numKeys = 0] = shape.slice(-3);
  const lengths = lens?.shape.length === 1 ? lens.data : [];
  for (let row = 0; row * numKeys < data.length; row++) {
    const query = row % numQueries;
    const sample = Math.floor(row / numQueries / numHeads);
    const { [sample]: length = Infinity } = lengths;
    if (query >= length || keyMask?.data[sample * numQueries + query] === 0) {
      data.fill(0, row * numKeys, (row + 1) * numKeys);
    }
  }
}

/** `model` must be a copy: measuring changes its state. */
function measuredModel(
  model: Transformer,
  side: Side,
  batches: readonly ModelMeasureBatch[],
  ofHidden: OutputLoss | undefined,
): MeasuredHeads {
  const hasPatches = model.vocabularySize === 0;
  const checked = batches.map((batch, i) => readModelBatch(batch, `batches[${i}]`, hasPatches));
  const at = (batch: number): ReadBatch => checked[batch];
  const gateName = gateNames[side];
  const targetsOf = (batch: number): Numbers<Float64Array> =>
    at(batch).targets ?? fail('invalid-type', 'targets', 'a target for each token', 'none');
  const samplesOf = ({ shape }: ReadBatch['input']): number =>
    shape.length === (hasPatches ? 3 : 1) ? 1 : (shape[0] ?? 0);
  return {
    numHeads: Transformer.layersOf(model, side).map((layer) => layer.numHeads),
    counts: checked.map((batch) =>
      ofHidden === undefined ? countTargets(batch) : samplesOf(batch.input),
    ),
    loss(batch, gates) {
      const { input, options } = at(batch);
      const given = { ...options, [gateName]: gates };
      return ofHidden === undefined
        ? countTargets(at(batch)) * model.loss(input, targetsOf(batch), given)
        : (ofHidden.value?.(model.forward(input, given).hidden, batch) ?? NaN);
    },
    gateGradients(batch) {
      const { input, options } = at(batch);
      if (ofHidden !== undefined) {
        const { hidden } = model.forward(input, { ...options, requiresGrad: true });
        const { [gateName]: gates = [] } = model.backward(ofHidden.gradient?.(hidden, batch) ?? []);
        return gates.map(({ data }) => data);
      }
      const { [gateName]: gates = [] } = model.lossAndGradients(input, targetsOf(batch), options);
      const asked = countTargets(at(batch));
      return gates.map(({ data }) => data.map((gradient) => asked * gradient));
    },
    sums(batch, measure) {
      const { input, options } = at(batch);
      const result: TransformerResult = model.forward(input, { ...options, returnWeights: true });
      const { [weightsOfSide[side]]: weights = [] } = result;
      return weights.map((layer) => {
        // In the encoder, the queries are the source's positions.
        const ofSource = side === 'encoder';
        const lens = ofSource ? options.sourceValidLens : options.validLens;
        clearPadding(lens, ofSource ? options.sourceKeyMask : options.keyMask, layer);
        return scoreHeads(measure, layer);
      });
    },
  };
}

/** Number of heads that share a key-value head. Pruning does not change it. */
const groupSizeOf = ({ numHeads, numKvHeads }: MultiHeadAttention): number => numHeads / numKvHeads;

async function importance(
  measured: MultiHeadAttention | Transformer,
  options: LayerImportanceOptions | ModelImportanceOptions,
): Promise<number[] | number[][]> {
  if (measured instanceof Transformer) {
    const given = checkOptions(options as ModelImportanceOptions, [
      ...importanceOptionNames,
      ...(['batches', 'side', 'loss'] as const),
    ]);
    const read = readImportance(given);
    const batches = readBatches(given.batches);
    const side = checkWord('side', given.side, sides);
    const loss =
      given.loss === undefined && Transformer.hasLogits(measured)
        ? undefined
        : readLoss(given.loss);
    const copy = Transformer.copyOf(measured);
    try {
      const layers = Transformer.layersOf(copy, side);
      const hasLayers = layers.length > 0;
      checkImportance(read, batches, loss, { side, hasLayers, ignoredKeys: [] });
      const groupSize = groupSizeOf(layers[0]);
      const numbers = await measureHeads(measuredModel(copy, side, batches, loss), read);
      return withOrigin(numbers, { measure: read.measure, groupSize });
    } finally {
      copy.dispose();
    }
  }
  if (!(measured instanceof MultiHeadAttention)) {
    fail('invalid-type', 'layer', 'a MultiHeadAttention or a Transformer', show(measured));
  }
  const given = checkOptions(options as LayerImportanceOptions, [
    ...importanceOptionNames,
    ...(['batches', 'loss'] as const),
  ]);
  const read = readImportance(given);
  const batches = readBatches(given.batches);
  const loss = readLoss(given.loss);
  const copy = MultiHeadAttention.copyOf(measured);
  try {
    const [numbers = []] = await measureHeads(measuredLayer(copy, batches, loss, read), read);
    return withOrigin(numbers, { measure: read.measure, groupSize: groupSizeOf(measured) });
  } finally {
    copy.dispose();
  }
}

/**
 * Measures the importance of every head, in evaluation mode. Returns a list for a layer, and a list for each layer of a
 * model. Heads without samples get 0. It works on a copy made at the call, and yields to the event loop every few
 * milliseconds.
 *
 * For a model, gradients and ablation average over targets, so importance is on the scale of `loss` and does not depend
 * on how samples are batched. With a `loss` of hidden states, they average over samples.
 *
 * ```js
 * const importance = await measureHeadImportance(model, { batches: [task.batch(2, 64)] });
 * ```
 *
 * @throws (as a rejection) HeadwiseError `invalid-option` without batches, for a `loss` without the function that the
 *   measure needs, and for `normalize` with a measure other than gradient; what `forward`, `backward` and `loss` throw;
 *   the signal's reason
 */
export function measureHeadImportance(
  model: Transformer,
  options: ModelImportanceOptions,
): Promise<number[][]>;
export function measureHeadImportance(
  layer: MultiHeadAttention,
  options: LayerImportanceOptions,
): Promise<number[]>;
export function measureHeadImportance(
  measured: MultiHeadAttention | Transformer,
  options: LayerImportanceOptions | ModelImportanceOptions,
): Promise<number[] | number[][]> {
  return importance(measured, options);
}
