import type { Core } from 'headwise-glue';
import { checkAttached, sizeOf, toFloats, type Numbers, type TensorInput } from './arrays.js';
import {
  checkResultOptions,
  resultOptionNames,
  resultIn,
  type AttentionResult,
  type CheckedResults,
  type ResultOptions,
  type WithoutWeights,
  type WithWeights,
} from './attention-weights.js';
import { core, read, reserve, sizesOnce, writeIntegers, writeOnce } from './core.js';
import { fail, show, showShape } from './errors.js';
import {
  checkMasks,
  checkQueryOffset,
  maskDataSizes,
  maskOptionNames,
  maskRecord,
  maskRecordSize,
  readMasks,
  writeMasks,
  type CheckedMasks,
  type GivenMasks,
  type MaskOptions,
} from './masks.js';
import { checkOptions, checkScale, checkSoftcap } from './options.js';
import { checkShape } from './shapes.js';

interface PoolingOptions extends MaskOptions, ResultOptions {
  /** Position of the first query among the keys, from 0, the default, on. Source: ONNX Attention, the past's length. */
  queryOffset?: number | undefined;
}

export type AdditiveAttentionOptions = PoolingOptions;

export interface ScaledDotProductAttentionOptions extends PoolingOptions {
  /** Factor of the dot products. Default: 1/√d. Source: PyTorch, `scaled_dot_product_attention`. */
  scale?: number | undefined;
  /** Cap of the scaled scores, c · tanh(s / c); 0, the default, is off. Source: ONNX Attention. */
  softcap?: number | undefined;
}

const poolingOptionNames = [...maskOptionNames, ...resultOptionNames, 'queryOffset'] as const;

/** Checked arguments of a pooling function. */
interface Pooling {
  readonly inputs: readonly [
    q: Numbers<Float32Array>,
    k: Numbers<Float32Array>,
    v: Numbers<Float32Array>,
  ];
  /** Further inputs, the parameters of additive scores. */
  readonly parameters: readonly Numbers<Float32Array>[];
  readonly numKvHeads: number;
  readonly masks: CheckedMasks;
  readonly results: CheckedResults;
  readonly outputShape: readonly number[];
  readonly weightsShape: readonly number[];
  readonly attentionHiddens: number;
}

/** Reads all of the caller's objects, which may run the caller's code. */
function readPooling(
  queries: unknown,
  keys: unknown,
  values: unknown,
  options: PoolingOptions,
): Pick<Pooling, 'inputs' | 'results'> & { readonly masks: GivenMasks } {
  return {
    results: checkResultOptions(options),
    inputs: [toFloats('queries', queries), toFloats('keys', keys), toFloats('values', values)],
    masks: readMasks(options),
  };
}

/** Lays everything out in working memory, calls `run` and copies the results out. */
function pool(
  loaded: Core,
  pooling: Pooling,
  run: (mask: number, pooling: number) => void,
): AttentionResult {
  const { masks, results, outputShape, weightsShape } = pooling;
  const data = [...pooling.inputs, ...pooling.parameters].map((input) => ({
    data: input.data,
    count: sizeOf(input.shape),
  }));
  const [querySize, keySize, valueSize] = pooling.inputs.map(({ shape }) => shape.at(-1) ?? 0) as [
    number,
    number,
    number,
  ];
  const weightsSize = results.returnWeights ? sizeOf(weightsShape) : 0;
  const [
    record = 0,
    poolingRecord = 0,
    lens = 0,
    mask = 0,
    output = 0,
    weights = 0,
    workspace = 0,
    ...at
  ] = reserve(
    loaded,
    maskRecordSize,
    poolingRecordSize,
    ...maskDataSizes(masks),
    sizeOf(outputShape),
    weightsSize,
    loaded.poolingWorkspaceSize(
      masks.sizes.numKeys,
      querySize,
      keySize,
      valueSize,
      pooling.attentionHiddens,
    ),
    ...sizesOnce(data),
  );
  const outputResult = resultIn('out.output', results.out.output, outputShape);
  const weightsResult = results.returnWeights
    ? resultIn('out.attentionWeights', results.out.attentionWeights, weightsShape)
    : undefined;
  const inputs = writeOnce(loaded, at, data);
  writeMasks(masks, lens, mask);
  writeIntegers(loaded, record, maskRecord(masks, lens, mask));
  // The numbers that `read_pooling` in function_calls.cpp reads, in its order.
  const numbers = [
    masks.sizes.numHeads,
    pooling.numKvHeads,
    querySize,
    keySize,
    valueSize,
    output,
    results.returnWeights ? weights : 0,
    results.stage,
    workspace,
    pooling.attentionHiddens,
    ...inputs,
  ];
  writeIntegers(loaded, poolingRecord, numbers);
  run(record, poolingRecord);
  read(loaded, output, outputResult.data, outputResult.count);
  const result: AttentionResult = { output: outputResult.tensor };
  if (weightsResult !== undefined) {
    read(loaded, weights, weightsResult.data, weightsResult.count);
    result.attentionWeights = weightsResult.tensor;
  }
  return result;
}

const poolingRecordSize = 16;

/**
 * softmax(Q Kᵀ / √d) V for heads side by side. Query head h reads key-value head h / (heads / kvHeads).
 * Source: Vaswani et al. 2017; d2l, Attention Scoring Functions, `DotProductAttention`; PyTorch,
 * `scaled_dot_product_attention`; ONNX Attention.
 *
 * @param queries (batch, heads, queries, d)
 * @param keys (batch, kvHeads, keys, d); kvHeads divides heads
 * @param values (batch, kvHeads, keys, v)
 * @returns `output` (batch, heads, queries, v) and, on request, `attentionWeights` (batch, heads, queries, keys)
 * @throws HeadwiseError `invalid-shape`, `invalid-type`, `invalid-value`, `invalid-option`, `unknown-option`,
 *   `out-of-memory`
 */
export function scaledDotProductAttention(
  queries: TensorInput,
  keys: TensorInput,
  values: TensorInput,
  options: WithWeights<ScaledDotProductAttentionOptions>,
): AttentionResult<true>;
/** The same without attention weights. */
export function scaledDotProductAttention(
  queries: TensorInput,
  keys: TensorInput,
  values: TensorInput,
  options?: WithoutWeights<ScaledDotProductAttentionOptions>,
): AttentionResult<false>;
/** The same with attention weights if `returnWeights` is true. */
export function scaledDotProductAttention(
  queries: TensorInput,
  keys: TensorInput,
  values: TensorInput,
  options?: ScaledDotProductAttentionOptions,
): AttentionResult;
export function scaledDotProductAttention(
  queries: TensorInput,
  keys: TensorInput,
  values: TensorInput,
  options?: ScaledDotProductAttentionOptions,
): AttentionResult {
  const loaded = core();
  const given = checkOptions(options, [...poolingOptionNames, 'scale', 'softcap']);
  const { results, masks: givenMasks, inputs } = readPooling(queries, keys, values, given);
  const [q, k, v] = inputs;
  for (const [name, input] of Object.entries({ queries: q, keys: k, values: v })) {
    checkAttached(name, input);
  }
  const [batch, numHeads, numQueries, headSize] = checkShape('queries', q.shape, [
    'batch',
    'heads',
    'queries',
    'headSize',
  ]);
  if (headSize === 0) {
    fail('invalid-shape', 'queries', 'a head size of at least 1', showShape(q.shape));
  }
  const [, numKvHeads, numKeys] = checkShape('keys', k.shape, [batch, 'kvHeads', 'keys', headSize]);
  const [, , , valueSize] = checkShape('values', v.shape, [
    batch,
    numKvHeads,
    numKeys,
    'valueSize',
  ]);
  if (numKvHeads === 0 ? numHeads !== 0 : numHeads % numKvHeads !== 0) {
    const expected = `a number of heads that divides that of the queries (${numHeads})`;
    fail('invalid-shape', 'keys', expected, showShape(k.shape));
  }
  const scale = checkScale(given.scale) ?? 1 / Math.sqrt(headSize);
  const softcap = checkSoftcap(given.softcap);
  const masks = checkMasks(givenMasks, {
    batch,
    numHeads,
    numQueries,
    numKeys,
    numExtraSlots: 0,
    queryOffset: checkQueryOffset(given.queryOffset, given.causal),
  });
  const pooling: Pooling = {
    inputs,
    parameters: [],
    numKvHeads,
    masks,
    results,
    outputShape: [batch, numHeads, numQueries, valueSize],
    weightsShape: [batch, numHeads, numQueries, numKeys],
    attentionHiddens: 0,
  };
  return pool(loaded, pooling, (mask, record) => {
    loaded.scaledDotProductAttention(mask, record, scale, softcap);
  });
}

/** Parameters of additive scores. */
export interface AdditiveAttentionParameters {
  /** (hiddens, query size) */
  W_q: TensorInput;
  /** (hiddens, key size) */
  W_k: TensorInput;
  /** (1, hiddens) */
  w_v: TensorInput;
}

/**
 * Bahdanau pooling: softmax over keys of w_v · tanh(W_q q + W_k k), then the weighted sum of values.
 * Source: Bahdanau et al. 2014; d2l, Attention Scoring Functions, `AdditiveAttention`.
 *
 * @param queries (batch, queries, q)
 * @param keys (batch, keys, k)
 * @param values (batch, keys, v)
 * @returns `output` (batch, queries, v) and, on request, `attentionWeights` (batch, queries, keys)
 * @throws HeadwiseError `invalid-shape`, `invalid-type`, `invalid-value`, `invalid-option`, `unknown-option`,
 *   `out-of-memory`
 */
export function additiveAttention(
  queries: TensorInput,
  keys: TensorInput,
  values: TensorInput,
  parameters: AdditiveAttentionParameters,
  options: WithWeights<AdditiveAttentionOptions>,
): AttentionResult<true>;
/** The same without attention weights. */
export function additiveAttention(
  queries: TensorInput,
  keys: TensorInput,
  values: TensorInput,
  parameters: AdditiveAttentionParameters,
  options?: WithoutWeights<AdditiveAttentionOptions>,
): AttentionResult<false>;
/** The same with attention weights if `returnWeights` is true. */
export function additiveAttention(
  queries: TensorInput,
  keys: TensorInput,
  values: TensorInput,
  parameters: AdditiveAttentionParameters,
  options?: AdditiveAttentionOptions,
): AttentionResult;
export function additiveAttention(
  queries: TensorInput,
  keys: TensorInput,
  values: TensorInput,
  parameters: AdditiveAttentionParameters,
  options?: AdditiveAttentionOptions,
): AttentionResult {
  const loaded = core();
  const given = checkOptions(options, poolingOptionNames);
  const { results, masks: givenMasks, inputs } = readPooling(queries, keys, values, given);
  const [q, k, v] = inputs;
  if (typeof parameters !== 'object' || (parameters as unknown) === null) {
    fail('invalid-type', 'parameters', '{ W_q, W_k, w_v }', show(parameters));
  }
  const W_q = toFloats('W_q', parameters.W_q);
  const W_k = toFloats('W_k', parameters.W_k);
  const w_v = toFloats('w_v', parameters.w_v);
  for (const [name, input] of Object.entries({ queries: q, keys: k, values: v, W_q, W_k, w_v })) {
    checkAttached(name, input);
  }
  const [batch, numQueries, querySize] = checkShape('queries', q.shape, [
    'batch',
    'queries',
    'querySize',
  ]);
  const [, numKeys, keySize] = checkShape('keys', k.shape, [batch, 'keys', 'keySize']);
  const [, , valueSize] = checkShape('values', v.shape, [batch, numKeys, 'valueSize']);
  const [hiddens] = checkShape('W_q', W_q.shape, ['hiddens', querySize]);
  checkShape('W_k', W_k.shape, [hiddens, keySize]);
  checkShape('w_v', w_v.shape, [1, hiddens]);
  const masks = checkMasks(
    givenMasks,
    {
      batch,
      numHeads: 1,
      numQueries,
      numKeys,
      numExtraSlots: 0,
      queryOffset: checkQueryOffset(given.queryOffset, given.causal),
    },
    false,
  );
  const pooling: Pooling = {
    inputs,
    parameters: [W_q, W_k, w_v],
    numKvHeads: 1,
    masks,
    results,
    outputShape: [batch, numQueries, valueSize],
    weightsShape: [batch, numQueries, numKeys],
    attentionHiddens: hiddens,
  };
  return pool(loaded, pooling, (mask, record) => {
    loaded.additiveAttention(mask, record);
  });
}
