import { scoreRecord } from 'headwise-records';
import { modelsCore } from '../runtime/models-build.js';
import { writeRecord } from '../runtime/records.js';
import type { Numbers } from '../tensor/arrays.js';
import { giveTensors } from '../tensor/given-tensors.js';

/** How many numbers each kind of score has for each head. */
const numbersOf = { patterns: 4, induction: 1, keys: 1, confidence: 2, entropy: 2 };

export interface ScoreOptions {
  readonly causal?: boolean;
  /** Tokens or keys, (batch, queries). */
  readonly positions?: Numbers<Float64Array>;
  /** Number of extra slots, which follow the keys of the input. */
  readonly numExtraSlots?: number;
  /** (batch, keys) */
  readonly ignoredKeys?: Numbers<Uint8Array> | undefined;
}

/**
 * Computes the numbers of each head from weights (batch, heads, queries, keys) or (heads, queries, keys). `patterns`:
 * in the order of the C++ library's `PatternScores`. `induction` and `keys`: one score. `confidence` and `entropy`: a
 * sum over the queries that have a key, and the number of these queries.
 */
export function scoreHeads(
  kind: keyof typeof numbersOf,
  attentionWeights: Numbers<Float32Array>,
  options: ScoreOptions = {},
): Float64Array[] {
  const loaded = modelsCore();
  const { causal = false, numExtraSlots = 0 } = options;
  const each = numbersOf[kind];
  const numHeads = attentionWeights.shape.at(-3) ?? 0;
  const { record, given, rest } = giveTensors(
    scoreRecord.words,
    [
      ['attentionWeights', attentionWeights],
      ['positions', options.positions],
      ['ignoredKeys', options.ignoredKeys],
    ],
    2 * each * numHeads,
  );
  const [weights, positions, ignoredKeys] = given;
  writeRecord(record, scoreRecord, {
    score: Object.keys(numbersOf).indexOf(kind),
    ...{ weights, positions, numExtraSlots, causal, ignoredKeys },
    scores: rest,
  });
  loaded.scoreHeads(record);
  const numbers = new Float64Array(loaded.HEAPF32.buffer, rest, each * numHeads);
  return Array.from({ length: numHeads }, (_, head) =>
    Float64Array.from(numbers.subarray(each * head, each * (head + 1))),
  );
}
