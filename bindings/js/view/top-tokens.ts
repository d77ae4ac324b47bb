import { show } from '../runtime/errors.js';
import { type NumbersLike, outOfRange, readTensor, wrongType } from './read.js';

/** A token that may come next. */
export interface TokenProbability {
  readonly token: number;
  readonly probability: number;
}

/** The most likely tokens of each layer and position. */
export interface TopTokens {
  /** Rows of the logits: layers + 1. */
  readonly rows: number;
  readonly positions: number;
  /** Up to `mostTop` tokens, the most likely first. */
  readonly at: (row: number, position: number) => readonly TokenProbability[];
}

/** How many tokens of a cell are kept. */
export const mostTop = 10;

const shape3 = '(layers + 1, positions, vocabulary)';

/**
 * The most likely tokens of logits (layers + 1, positions, vocabulary), by a softmax in float64. Reads each logit twice
 * and keeps none, because they may be hundreds of megabytes.
 */
export function readLogits(given: NumbersLike): TopTokens {
  const { data, shape } = readTensor('logits', given, shape3, [3, 3]);
  const [rows = 0, positions = 0, vocabulary = 0] = shape;
  const kept = Math.min(mostTop, vocabulary);
  const tokens = new Int32Array(rows * positions * kept);
  const probabilities = new Float64Array(tokens.length);
  const logits = data as ArrayLike<number>;
  const best = new Float64Array(kept);
  for (let cell = 0; cell < rows * positions; cell++) {
    const [first, out] = [cell * vocabulary, cell * kept];
    best.fill(-Infinity);
    let least = -Infinity;
    for (let token = 0; token < vocabulary; token++) {
      const logit = logits[first + token];
      if (!Number.isFinite(logit)) refuse(data[first + token]);
      if (logit <= least) continue;
      // Insertion into the sorted list. Of equal logits, the lower token comes first.
      let at = kept - 1;
      for (; at > 0 && logit > (best[at - 1] ?? 0); at--) {
        best[at] = best[at - 1] ?? 0;
        tokens[out + at] = tokens[out + at - 1] ?? 0;
      }
      best[at] = logit;
      tokens[out + at] = token;
      least = best[kept - 1] ?? 0;
    }
    const largest = best[0];
    let sum = 0;
    for (let i = first; i < first + vocabulary; i++) sum += Math.exp(logits[i] - largest);
    best.forEach((logit, i) => {
      probabilities[out + i] = Math.exp(logit - largest) / sum;
    });
  }
  return {
    rows,
    positions,
    at: (row, position) => {
      const first = (row * positions + position) * kept;
      return Array.from(tokens.subarray(first, first + kept), (token, i) => ({
        token,
        probability: probabilities[first + i] ?? 0,
      }));
    },
  };
}

const refuse = (logit: unknown): never =>
  typeof logit === 'number'
    ? outOfRange('logits', 'finite numbers', String(logit))
    : wrongType('logits', 'numbers', show(logit));
