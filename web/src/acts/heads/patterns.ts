import { range } from 'd3-array';
import { Tensor } from 'headwise';

import { type AttentionInput, numHiddens } from '../../attention/input.js';
import { patternShape } from './sizes.js';
import { words } from './words.js';

const { batch, length } = patternShape;
/** Numbers behind the position, which values are made of. */
const content = 8;
const size = length + content;

/** Score of the key that a pattern asks for; of the others about 0. */
const sharpness = 5;
/** How much a query's content disturbs its scores. */
const noise = 0.6;

export const copyOffset = 3;

/** Which key each pattern asks for; `even` asks for none. */
const targets = {
  previousToken: (query: number) => Math.max(query - 1, 0),
  firstToken: () => 0,
  diagonal: (query: number) => query,
  copy: (query: number) => Math.max(query - copyOffset, 0),
  even: () => undefined,
} as const;
const roles = ['previousToken', 'firstToken', 'diagonal', 'copy', 'even'] as const;

/**
 * Tokens that know where they stand, and parameters by which head after head follows a pattern.
 * A token is its position, one-hot, and random content. W_k passes the position on, W_q turns that
 * of a query into the position it looks for, so that their product is large at this key alone.
 */
export function patternInput(numHeads: number, seed: number): AttentionInput {
  const tokens = Tensor.randn([batch, length, size], 2 * seed);
  const shape = [numHeads * length, size];
  const queryWeights = Tensor.randn(shape, 2 * seed + 1);
  const keyWeights = Tensor.zeros(shape);
  for (const sample of range(batch)) {
    for (const position of range(length)) {
      const start = (sample * length + position) * size;
      tokens.data.fill(0, start, start + length);
      tokens.data[start + position] = 1;
    }
  }
  const rolesOfHeads = range(numHeads).map((head) => roles[head % roles.length] ?? 'even');
  rolesOfHeads.forEach((role, head) => {
    for (const row of range(length)) {
      const start = (head * length + row) * size;
      keyWeights.data[start + row] = 1;
      for (const column of range(size)) {
        const wanted = column < length && targets[role](column) === row;
        const disturbed = column < length || role === 'even' ? 0 : noise;
        queryWeights.data[start + column] = wanted
          ? sharpness * Math.sqrt(length)
          : disturbed * (queryWeights.data[start + column] ?? 0);
      }
    }
  });
  return {
    queries: tokens,
    keys: tokens,
    values: tokens,
    parameters: {
      'W_q.weight': queryWeights,
      'W_k.weight': keyWeights,
      'W_v.weight': scaled(Tensor.randn(shape, 3 * seed), 1 / Math.sqrt(size)),
      'W_o.weight': scaled(
        Tensor.randn([numHiddens, numHeads * length], 5 * seed),
        1 / Math.sqrt(numHeads * length),
      ),
    },
    roles: rolesOfHeads.map((role) => words.patterns[role]),
  };
}

function scaled(tensor: Tensor, factor: number): Tensor {
  return new Tensor(
    tensor.data.map((value) => factor * value),
    tensor.shape,
  );
}
