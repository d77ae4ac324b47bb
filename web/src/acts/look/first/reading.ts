import type { AttentionWeights } from 'headwise/view';
import { maxIndex } from 'd3-array';

import sentence from '../../../reading/sentence.json';
import type { Head } from '../../../worker/heads.js';
import type { HeadScores, TextRun } from '../../../worker/language-model.js';
import { visible } from '../../../reading/tokens.js';
import type { words } from './words.js';

type Role = keyof (typeof words)['roles'];

interface ShownHead extends Head {
  readonly role: Role;
}

/** A sentence under the four heads that the first screen shows. */
export interface Reading {
  readonly tokens: readonly string[];
  /** (heads, tokens, tokens) */
  readonly weights: AttentionWeights;
  /** The word that is selected at first. */
  readonly query: number;
  readonly names: readonly Role[];
}

/** What the page has of its model before the model is there. */
export const builtIn = sentence as Readonly<{ text: string; heads: readonly ShownHead[] }>;

/** The sentence that the page opens with. */
export const builtInReading: Reading = {
  tokens: sentence.words,
  weights: {
    data: sentence.heads.flatMap(({ weights }) => weights.flat()),
    shape: [sentence.heads.length, sentence.words.length, sentence.words.length],
  },
  query: sentence.query,
  names: builtIn.heads.map(({ role }) => role),
};

const largestOf = ({ previousToken, firstToken, diagonal, induction = 0 }: HeadScores): number =>
  Math.max(previousToken, firstToken, diagonal, induction);

/** The four heads of another model that do most of what the names of the first screen say, on its present text. */
function tellingHeads(scores: TextRun['scores']): ShownHead[] {
  const all = scores.flatMap((ofLayer, layer) =>
    ofLayer.map((score, head) => ({ layer, head, score })),
  );
  const best = (role: Role, measure: (score: HeadScores) => number): ShownHead => {
    const { layer, head } = all[maxIndex(all, ({ score }) => measure(score))];
    return { layer, head, role };
  };
  return [
    best('previous', ({ previousToken }) => previousToken),
    best('itself', ({ diagonal }) => diagonal),
    best('followed', ({ induction = 0 }) => induction),
    best('many', (score) => -largestOf(score)),
  ];
}

/** What a model gives for a text, of the heads that the first screen shows. */
export function readingOf({ tokens, weights, scores }: TextRun, isOwnModel: boolean): Reading {
  const heads = isOwnModel ? tellingHeads(scores) : builtIn.heads;
  const { length } = tokens;
  const area = length * length;
  const data = new Float32Array(heads.length * area);
  heads.forEach(({ layer, head }, i) => {
    const ofLayer = weights.at(layer);
    if (ofLayer !== undefined) data.set(ofLayer.subarray(head * area, (head + 1) * area), i * area);
  });
  return {
    tokens: tokens.map(visible),
    weights: { data, shape: [heads.length, length, length] },
    query: length - 1,
    names: heads.map(({ role }) => role),
  };
}
