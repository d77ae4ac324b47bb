// Small transformers of every kind, and what their passes take.
import { readCheckpoint } from './checkpoints.mjs';
import { batchSize, numbers, targets, tokens } from './observe.mjs';

const sizes = { numHiddens: 8, numHeads: 4, numLayers: 2, dropout: 0.5, seed: 4 };
const ofTokens = { vocabularySize: 6, maxLength: 24, ...sizes };
const length = tokens[0].length;

/** Options, what passes read, its length, and what else they take. */
export const kinds = {
  decoder: {
    options: {
      ...{ ...ofTokens, numKvHeads: 2, segments: 2, logitsBias: true, window: [9, 0] },
      ...{ positions: 'rotary', rotary: { base: 100, size: 2 }, norm: 'rms', gated: true },
    },
    input: tokens,
    given: { segments: tokens.map((row) => row.map((token) => token % 2)) },
  },
  encoder: {
    options: { ...ofTokens, causal: false, normFirst: false, embeddingNorm: true },
    input: tokens,
    given: { validLens: [length, 3] },
  },
  'encoder and decoder': {
    options: { ...ofTokens, numLayers: 1, encoder: { numLayers: 1, numHeads: 2, ffnHiddens: 5 } },
    input: tokens,
    given: { source: targets.map((row) => row.map(Math.abs)), sourceValidLens: [5, length] },
  },
  patches: {
    options: { ...sizes, patches: { imageSize: 4, patchSize: 2, channels: 1, classToken: true } },
    input: numbers([batchSize, 1, 4, 4], 7),
    length: 5,
  },
};

/** A checkpoint's config and tensors, as objects of the caller's own. */
export function looseCheckpoint(name) {
  const { config, tensors } = readCheckpoint(name);
  return {
    config: structuredClone(config),
    tensors: Object.fromEntries(
      Object.entries(tensors).map(([tensor, { data, shape }]) => [
        tensor,
        { data: data.slice(), shape: [...shape] },
      ]),
    ),
  };
}
