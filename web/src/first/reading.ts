import type { AttentionWeights } from 'headwise/view';

import sentence from '../reading/sentence.json';
import type { words } from './words.js';

interface ShownHead {
  readonly layer: number;
  readonly head: number;
  readonly role: keyof typeof words.roles;
}

/** A sentence under the four heads that the first screen shows. */
export interface Reading {
  readonly text: string;
  readonly tokens: readonly string[];
  /** (heads, tokens, tokens) */
  readonly weights: AttentionWeights;
  /** The word that is chosen at first. */
  readonly query: number;
}

/** What the page has of the model before the model is there. */
export const builtIn = sentence as Readonly<{ text: string; heads: readonly ShownHead[] }>;

/** The sentence that the page opens with. */
export const builtInReading: Reading = {
  text: sentence.text,
  tokens: sentence.words,
  weights: {
    data: sentence.heads.flatMap(({ weights }) => weights.flat()),
    shape: [sentence.heads.length, sentence.words.length, sentence.words.length],
  },
  query: sentence.query,
};
