import { checkBoolean, checkOptions } from '../runtime/options.js';
import { toFloats, toWholeNumbers } from '../tensor/arrays.js';
import type { TensorInput, TokensInput } from '../tensor/inputs.js';
import { scoreHeads } from './head-scores.js';

/**
 * How much of a head's weight follows each pattern, from 0 to 1. Mean over all queries except each sample's first,
 * which with causal attention has only one key. 0 if there are no other queries.
 */
export interface PatternScores {
  /** Weight on the key before the query. */
  previousToken: number;
  /** Weight on key 0. */
  firstToken: number;
  /** Weight on the query's own key. */
  diagonal: number;
  /** Entropy of the weights, divided by the largest possible one for the same number of keys. */
  uniform: number;
}

export interface PatternScoresOptions {
  /** Whether the weights are causal. If so, only keys up to each query's position count. Default: no. */
  causal?: boolean | undefined;
}

const single = (scores: readonly Float64Array[]): number[] => scores.map(([score = NaN]) => score);

/**
 * The scores of each head of self-attention weights.
 *
 * @param attentionWeights (batch, heads, length, length), or (heads, length, length)
 * @throws HeadwiseError `invalid-shape` unless the last two axes are equal; `invalid-type`, `invalid-option`,
 *   `unknown-option`, `not-initialized`, `out-of-memory`
 */
export function patternScores(
  attentionWeights: TensorInput,
  options?: PatternScoresOptions,
): PatternScores[] {
  const weights = toFloats('attentionWeights', attentionWeights);
  const causal = checkBoolean('causal', checkOptions(options, ['causal']).causal, false);
  return scoreHeads('patterns', weights, { causal }).map(
    ([previousToken = NaN, firstToken = NaN, diagonal = NaN, uniform = NaN]) => {
      return { previousToken, firstToken, diagonal, uniform };
    },
  );
}

/**
 * For each head, the mean weight on the successors of earlier copies of the query's token, over the queries that have
 * any: prefix matching. Source: Olsson et al. 2022.
 *
 * @param attentionWeights (batch, heads, length, length), or (heads, length, length)
 * @param tokens (batch, length), or (length,)
 * @throws HeadwiseError `invalid-shape`, `invalid-type`, `invalid-value`, `not-initialized`, `out-of-memory`
 */
export function inductionScores(attentionWeights: TensorInput, tokens: TokensInput): number[] {
  const weights = toFloats('attentionWeights', attentionWeights);
  const positions = toWholeNumbers('tokens', tokens);
  return single(scoreHeads('induction', weights, { positions }));
}

/**
 * For each head, the mean weight on the correct key, over the queries that have one.
 *
 * @param attentionWeights (batch, heads, queries, keys), or (heads, queries, keys)
 * @param keys (batch, queries) as in `TaskBatch`, or (queries,); −1 for queries without a correct key
 * @throws HeadwiseError `invalid-shape`, `invalid-type`, `invalid-value`, `not-initialized`, `out-of-memory`
 */
export function keyScores(attentionWeights: TensorInput, keys: TokensInput): number[] {
  const weights = toFloats('attentionWeights', attentionWeights);
  const positions = toWholeNumbers('keys', keys);
  return single(scoreHeads('keys', weights, { positions }));
}
