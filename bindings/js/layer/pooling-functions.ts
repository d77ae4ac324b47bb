import type { Core } from 'headwise-glue';
import { poolingRecord } from 'headwise-records';
import { fail, show, showShape } from '../runtime/errors.js';
import { reserve, sizesDeduplicated, writeDeduplicated, type Address } from '../runtime/memory.js';
import { checkBoolean, checkOptions, isObject } from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import { newestCore } from '../runtime/wasm.js';
import { checkAttached, counted, toFloats, inPlace, type Numbers } from '../tensor/arrays.js';
import type { TensorInput } from '../tensor/inputs.js';
import { checkShape } from '../tensor/shapes.js';
import { checkScale, checkSoftcap } from './layer-options.js';
import { maskDataSizes, writeMasks } from './mask-record.js';
import {
  checkMasks,
  checkQueryOffset,
  maskOptionNames,
  readMasks,
  type CheckedMasks,
  type GivenMasks,
  type MaskOptions,
} from './masks.js';
import {
  checkResultOptions,
  readResults,
  resultOptionNames,
  placeOf,
  resultsIn,
  type AttentionResult,
  type CheckedResults,
  type ResultOptions,
  type WithoutWeights,
  type WithWeights,
} from './results.js';

interface PoolingOptions extends MaskOptions, ResultOptions {
  /** Position of the first query among the keys; at least 0. Default: 0. Source: ONNX Attention, the past's length. */
  queryOffset?: number | undefined;
}

export type AdditiveAttentionOptions = PoolingOptions;

export interface ScaledDotProductAttentionOptions extends PoolingOptions {
  /** Factor of the dot products. Default: 1/√d. Source: PyTorch, `scaled_dot_product_attention`. */
  scale?: number | undefined;
  /** Cap of the scaled scores: c · tanh(s / c); 0 is off. Default: 0. Source: ONNX Attention. */
  softcap?: number | undefined;
}

/** Names of the options of both functions, and of one function's own options. */
const optionNames = <Name extends string>(...own: readonly Name[]) =>
  [...maskOptionNames, ...resultOptionNames, 'queryOffset', ...own] as const;

/** Checked arguments of a pooling function. */
interface Pooling {
  readonly inputs: readonly [
    q: Numbers<Float32Array>,
    k: Numbers<Float32Array>,
    v: Numbers<Float32Array>,
  ];
  /** Further inputs: the parameters of additive scores. */
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
    results: checkResultOptions(
      options,
      checkBoolean('returnWeights', options.returnWeights, false),
    ),
    inputs: [
      toFloats('queries', queries, inPlace),
      toFloats('keys', keys, inPlace),
      toFloats('values', values, inPlace),
    ],
    masks: readMasks(options),
  };
}

/** Writes the inputs to working memory, calls `run` and copies the results out. */
function pool(loaded: Core, pooling: Pooling, run: (record: Address) => void): AttentionResult {
  const { masks, results, outputShape, weightsShape } = pooling;
  const data = [...pooling.inputs, ...pooling.parameters].map(counted);
  const [querySize, keySize, valueSize] = pooling.inputs.map(({ shape }) => shape.at(-1) ?? 0) as [
    number,
    number,
    number,
  ];
  const prepared = resultsIn(results, outputShape, weightsShape);
  const [outputAt, outputSize] = placeOf(prepared.output, data);
  const [weightsAt, weightsSize] = placeOf(prepared.weights, data);
  const [record, lens, mask, keyMask, keyRanges, ownOutput, ownWeights, workspace, ...at] = reserve(
    poolingRecord.words,
    ...maskDataSizes(masks),
    outputSize,
    weightsSize,
    loaded.poolingWorkspaceSize(
      masks.sizes.numKeys,
      querySize,
      keySize,
      valueSize,
      pooling.attentionHiddens,
    ),
    ...sizesDeduplicated(data),
  );
  const output = outputAt ?? ownOutput;
  const weights = weightsAt ?? ownWeights;
  const [queries, keys, values, ...parameters] = writeDeduplicated(at, data);
  const [W_q, W_k, w_v] = parameters;
  writeRecord(record, poolingRecord, {
    mask: writeMasks(masks, [lens, mask, keyMask, keyRanges]),
    numHeads: masks.sizes.numHeads,
    numKvHeads: pooling.numKvHeads,
    querySize,
    keySize,
    valueSize,
    attentionHiddens: pooling.attentionHiddens,
    queries,
    keys,
    values,
    W_q,
    W_k,
    w_v,
    output,
    attentionWeights: results.returnWeights ? weights : undefined,
    weightsStage: results.stage,
    workspace,
  });
  run(record);
  return readResults(prepared, output, weights);
}

/**
 * softmax(Q Kᵀ / √d) V for each sample and head. Query head h reads key-value head h / (heads / kvHeads).
 * Source: Vaswani et al. 2017; d2l, Attention Scoring Functions, `DotProductAttention`; PyTorch,
 * `scaled_dot_product_attention`; ONNX Attention.
 *
 * @param queries (batch, heads, queries, d)
 * @param keys (batch, kvHeads, keys, d); kvHeads divides heads
 * @param values (batch, kvHeads, keys, v)
 * @returns `output` (batch, heads, queries, v) and, if requested, `attentionWeights` (batch, heads, queries, keys)
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
  const loaded = newestCore();
  const given = checkOptions(options, optionNames('scale', 'softcap'));
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
  return pool(loaded, pooling, (record) => {
    loaded.scaledDotProductAttention(record, scale, softcap);
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
 * @returns `output` (batch, queries, v) and, if requested, `attentionWeights` (batch, queries, keys)
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
  const loaded = newestCore();
  const given = checkOptions(options, optionNames());
  const { results, masks: givenMasks, inputs } = readPooling(queries, keys, values, given);
  const [q, k, v] = inputs;
  if (!isObject(parameters)) {
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
  return pool(loaded, pooling, (record) => {
    loaded.additiveAttention(record);
  });
}
