import { deviation, maxIndex, range, sum } from 'd3-array';
import { MultiHeadAttention, scaledDotProductAttention, Tensor } from 'headwise';

import { numTokens, numWhyHeads, type WhyState } from './state.js';

const embeddingSize = 64;

/** Queries, keys and scores of an untrained layer. */
export interface Projected {
  readonly d: number;
  /** (1, heads, tokens, d) */
  readonly queries: Tensor;
  /** (1, heads, tokens, d) */
  readonly keys: Tensor;
  /** q · k, (1, heads, tokens, tokens) */
  readonly scores: Tensor;
  /** Of all scores, in every head. */
  readonly deviation: number;
}

/** Embeddings of variance 1, and W_q and W_k by which each component of q and k has variance 1, too. */
export function project({ d, seed }: Pick<WhyState, 'd' | 'seed'>): Projected {
  const X = Tensor.randn([1, numTokens, embeddingSize], 3 * seed);
  const numHiddens = numWhyHeads * d;
  const shape = [numHiddens, embeddingSize];
  const drawn = (from: number): Tensor =>
    new Tensor(
      Tensor.randn(shape, from).data.map((value) => value / Math.sqrt(embeddingSize)),
      shape,
    );
  const layer = new MultiHeadAttention({
    ...{ numHiddens, numHeads: numWhyHeads, scale: 1, outputProjection: false },
    ...{ querySize: embeddingSize, keySize: embeddingSize, valueSize: embeddingSize },
  });
  try {
    layer.loadStateDict({
      'W_q.weight': drawn(3 * seed + 1),
      'W_k.weight': drawn(3 * seed + 2),
      'W_v.weight': Tensor.zeros(shape),
    });
    const { captured } = layer.forward(X, X, X, { capture: ['queries', 'keys', 'scores'] });
    return { d, ...captured, deviation: deviation(captured.scores.data) ?? NaN };
  } finally {
    layer.dispose();
  }
}

/** How one query of a head weighs its keys. */
export interface Weighed {
  readonly d: number;
  readonly head: number;
  readonly query: number;
  readonly divisor: number;
  readonly q: readonly number[];
  /** One for each key. */
  readonly k: readonly (readonly number[])[];
  /** q · k of each key, not divided. */
  readonly scores: readonly number[];
  readonly weights: readonly number[];
  readonly entropy: number;
  /** Of the scores of all queries and heads, divided. */
  readonly deviation: number;
}

/** @param head counted from 0, as `query` is */
export function weigh(
  { d, queries, keys, scores, deviation: undivided }: Projected,
  head: number,
  query: number,
  divisor: number,
): Weighed {
  const rows = (tensor: Tensor, from: number, count: number, size: number): number[][] =>
    range(count).map((row) => {
      const start = (head * numTokens + from + row) * size;
      return Array.from(tensor.data.subarray(start, start + size));
    });
  const [q = []] = rows(queries, query, 1, d);
  const k = rows(keys, 0, numTokens, d);
  const [own = []] = rows(scores, query, 1, numTokens);
  const ofKeys = new Tensor(Float32Array.from(k.flat()), [1, 1, numTokens, d]);
  const { attentionWeights } = scaledDotProductAttention(
    new Tensor(Float32Array.from(q), [1, 1, 1, d]),
    ofKeys,
    ofKeys,
    { scale: 1 / divisor, returnWeights: true },
  );
  const weights = Array.from(attentionWeights.data);
  return {
    ...{ d, head, query, divisor, q, k, weights },
    scores: own,
    entropy: entropyOf(weights),
    deviation: undivided / divisor,
  };
}

/** In nats; a weight of 0 adds nothing. */
export const entropyOf = (weights: Iterable<number>): number =>
  sum(weights, (weight) => (weight > 0 ? -weight * Math.log(weight) : 0));

export const largestOf = ({ scores }: Weighed): number => maxIndex(scores);

/** A component of the query times that of a key. */
export interface Product {
  /** From 0. */
  readonly unit: number;
  readonly q: number;
  readonly k: number;
  readonly product: number;
  /** The sum of the products up to here, in the order they are in, and of those before. */
  readonly before: number;
  readonly after: number;
}

/** The products that a score is the sum of, unit by unit or the largest first. */
export function productsOf(
  { q, k }: Weighed,
  key: number,
  order: WhyState['order'],
): readonly Product[] {
  const all = q.map((component, unit) => {
    const other = k[key]?.[unit] ?? NaN;
    return { unit, q: component, k: other, product: component * other };
  });
  if (order === 'product') all.sort((a, b) => b.product - a.product);
  let running = 0;
  return all.map((each) => {
    const before = running;
    running += each.product;
    return { ...each, before, after: running };
  });
}
