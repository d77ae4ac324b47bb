import { poolingInputs } from 'headwise-records';
import { fail, show } from '../runtime/errors.js';
import {
  checkBoolean,
  checkOptions,
  isObject,
  number,
  optional,
  whole,
} from '../runtime/options.js';
import { toWords, writeRecord } from '../runtime/records.js';
import { commit, core, newestCore } from '../runtime/wasm.js';
import { inPlace, toFloats, type Numbers } from '../tensor/arrays.js';
import { giveTensors } from '../tensor/given-tensors.js';
import type { TensorInput } from '../tensor/inputs.js';
import { CallResults } from './call-results.js';
import { maskOptionNames, packMasks, readMasks, type MaskOptions } from './masks.js';
import {
  checkResultOptions,
  resultOptionNames,
  type AttentionResult,
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

type GivenParameters = Readonly<Record<'W_q' | 'W_k' | 'w_v', Numbers<Float32Array>>>;

/** Reads the arguments of a pooling function, which runs the caller's code, and calls it. */
function pool(
  tensors: Readonly<Record<'queries' | 'keys' | 'values', unknown>>,
  options: PoolingOptions,
  scale: number | undefined,
  softcap: number,
  readParameters?: () => GivenParameters,
): AttentionResult {
  const returnWeights = checkBoolean('returnWeights', options.returnWeights, false);
  const { stage, out } = checkResultOptions(options, returnWeights);
  const queries = toFloats('queries', tensors.queries, inPlace);
  const keys = toFloats('keys', tensors.keys, inPlace);
  const values = toFloats('values', tensors.values, inPlace);
  const masks = readMasks(options);
  const parameters = readParameters?.();
  const queryOffset = readQueryOffset('queryOffset', options.queryOffset);
  const { record, given, placed } = giveTensors(poolingInputs.words, [
    ['queries', queries],
    ['keys', keys],
    ['values', values],
    ['validLens', masks.validLens],
    ['mask', masks.mask],
    ['keyMask', masks.keyMask],
    ['W_q', parameters?.W_q],
    ['W_k', parameters?.W_k],
    ['w_v', parameters?.w_v],
  ]);
  writeRecord(record, poolingInputs, {
    queryOffset: toWords(queryOffset),
    scale: toWords(scale ?? 0),
    softcap: toWords(softcap),
    hasScale: scale !== undefined,
    ...{ queries: given[0], keys: given[1], values: given[2] },
    masks: packMasks(masks, given[3], given[4], given[5]),
    returnWeights,
    weightsStage: stage,
    isAdditive: parameters !== undefined,
    ...{ W_q: given[6], W_k: given[7], w_v: given[8] },
  });
  const results = new CallResults(out, placed);
  commit(() => {
    core().pool(record);
  }, results);
  return results.attention();
}

const readQueryOffset = optional(whole('an integer from 0 to 2147483647'), 0);
const readScale = optional(number('a finite number'));
const readSoftcap = optional(number('a finite number from 0 on'), 0);

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
  newestCore();
  const given = checkOptions(options, optionNames('scale', 'softcap'));
  const scale = readScale('scale', given.scale);
  const softcap = readSoftcap('softcap', given.softcap);
  return pool({ queries, keys, values }, given, scale, softcap);
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
  newestCore();
  const given = checkOptions(options, optionNames());
  const readParameters = (): GivenParameters => {
    if (!isObject(parameters)) {
      fail('invalid-type', 'parameters', '{ W_q, W_k, w_v }', show(parameters));
    }
    const { W_q, W_k, w_v } = parameters;
    return { W_q: toFloats('W_q', W_q), W_k: toFloats('W_k', W_k), w_v: toFloats('w_v', w_v) };
  };
  return pool({ queries, keys, values }, given, undefined, 0, readParameters);
}
