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

/** What heads can be made to look at. */
const plantedPatterns = ['copy', 'previousToken', 'firstToken', 'diagonal', 'even'] as const;
export type PlantedPattern = (typeof plantedPatterns)[number];

const copyOffset = 3;
const back = (query: number, by: number): number | undefined =>
  query < by ? undefined : query - by;

/** The key that a pattern asks for, if there is one; `even` asks for none. */
const targets: Readonly<Record<PlantedPattern, (query: number) => number | undefined>> = {
  previousToken: (query) => back(query, 1),
  firstToken: () => 0,
  diagonal: (query) => query,
  copy: (query) => back(query, copyOffset),
  even: () => undefined,
};

export const targetOf = (pattern: PlantedPattern, query: number): number | undefined =>
  targets[pattern](query);

/**
 * Which head follows which pattern: in an order of the seed's, so that a pattern has no head of its own. However few
 * heads there are, one looks three back.
 */
export function plantedIn(numHeads: number, seed: number): readonly PlantedPattern[] {
  const drawn = Tensor.randn([numHeads], 13 * seed).data;
  const order = range(numHeads).sort((one, other) => (drawn[one] ?? 0) - (drawn[other] ?? 0));
  return range(numHeads).map(
    (head) => plantedPatterns[order.indexOf(head) % plantedPatterns.length] ?? 'even',
  );
}

/**
 * Tokens that know where they stand, and parameters by which each head follows a pattern.
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
  const planted = plantedIn(numHeads, seed);
  planted.forEach((pattern, head) => {
    for (const row of range(length)) {
      const start = (head * length + row) * size;
      keyWeights.data[start + row] = 1;
      for (const column of range(size)) {
        // A query that has no such key looks for the first one.
        const target = pattern === 'even' ? undefined : (targetOf(pattern, column) ?? 0);
        const wanted = column < length && target === row;
        const disturbed = column < length || pattern === 'even' ? 0 : noise;
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
    roles: planted.map((pattern) => words.patterns[pattern]),
  };
}

function scaled(tensor: Tensor, factor: number): Tensor {
  return new Tensor(
    tensor.data.map((value) => factor * value),
    tensor.shape,
  );
}
