import { scoreRecord } from 'headwise-records';
import { reserve, write, writeBytes, writeIntegers } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { writeRecord } from '../runtime/records.js';
import { checkAttached, toFloats, type Numbers } from '../tensor/arrays.js';
import { checkShape, sizeOf } from '../tensor/shapes.js';

/** Attention weights (batch, heads, queries, keys + extra slots). */
export interface HeadWeights {
  readonly data: Float32Array;
  /** Whether the given weights had a batch axis. */
  readonly batched: boolean;
  readonly batch: number;
  readonly numHeads: number;
  readonly numQueries: number;
  readonly numKeys: number;
}

/**
 * Reads weights (batch, heads, queries, keys) or (heads, queries, keys). The last two axes of self-attention are equal.
 */
export function toHeadWeights(value: unknown, isSelfAttention = false): HeadWeights {
  const weights: Numbers<Float32Array> = toFloats('attentionWeights', value);
  const { data, shape } = weights;
  const batched = shape.length !== 3;
  const first = batched ? [] : [1];
  const numQueries = shape.at(-2) ?? 0;
  const sides = isSelfAttention ? [numQueries, numQueries] : ['queries', 'keys'];
  checkShape('attentionWeights', shape, [...(batched ? ['batch'] : []), 'heads', ...sides]);
  const [batch = 0, numHeads = 0, , numKeys = 0] = [...first, ...shape];
  return { data, batched, batch, numHeads, numQueries, numKeys };
}

/** How many numbers each kind of score has for each head. */
const numbersOf = { patterns: 4, induction: 1, keys: 1, confidence: 2, entropy: 2 };

export interface ScoreOptions {
  readonly causal?: boolean;
  /** Tokens or keys, (batch, queries). */
  readonly positions?: Float64Array;
  /** Number of extra slots, which follow the keys of the input. */
  readonly numExtraSlots?: number;
  /** (batch, keys) */
  readonly ignoredKeys?: Uint8Array | undefined;
}

/**
 * Computes the numbers of each head. `patterns`: in the order of the C++ library's `PatternScores`. `induction` and
 * `keys`: one score. `confidence` and `entropy`: a sum over the queries that have a key, and the number of these
 * queries.
 */
export function scoreHeads(
  kind: keyof typeof numbersOf,
  weights: HeadWeights,
  options: ScoreOptions = {},
): Float64Array[] {
  const loaded = modelsCore();
  const { causal = false, positions = [], numExtraSlots = 0, ignoredKeys } = options;
  const { data, batch, numHeads, numQueries, numKeys } = weights;
  const each = numbersOf[kind];
  // Reading tokens and keys may have detached the weights' buffer.
  const shape = [batch, numHeads, numQueries, numKeys];
  checkAttached('attentionWeights', { data, shape });
  const count = sizeOf(shape);
  const [record, weightsAt, positionsAt, ignoredAt, scores] = reserve(
    scoreRecord.words,
    count,
    positions.length,
    (ignoredKeys?.length ?? 0) / 4,
    2 * each * numHeads,
  );
  write(weightsAt, { data, count });
  writeIntegers(positionsAt, positions);
  if (ignoredKeys !== undefined) {
    writeBytes(ignoredAt, ignoredKeys);
  }
  writeRecord(record, scoreRecord, {
    score: Object.keys(numbersOf).indexOf(kind),
    weights: weightsAt,
    ...{ batch, numHeads, numQueries, numKeys, numExtraSlots, causal },
    positions: positionsAt,
    ignoredKeys: ignoredKeys && ignoredAt,
    scores,
  });
  loaded.scoreHeads(record);
  const numbers = new Float64Array(loaded.HEAPF32.buffer, scores, each * numHeads);
  return Array.from({ length: numHeads }, (_, head) =>
    Float64Array.from(numbers.subarray(each * head, each * (head + 1))),
  );
}
