// The problems that are measured.
import { inNode, onTheWeb } from './engines/names.mjs';
import { sizes as languageModel } from './language-model.mjs';

/** Numbers of valid keys, evenly from one to the other. */
const spread = (count, from, to) =>
  Array.from({ length: count }, (_, i) => from + Math.round(((to - from) * i) / (count - 1)));

const selfAttention = (batch, length, numHiddens, numHeads, validLens) => ({
  kind: 'self',
  batch,
  queries: length,
  keys: length,
  numHiddens,
  numHeads,
  validLens,
});

export const shapes = {
  toy: {
    about: "the chapter's example: B2 Lq4 Lk6 D100 h5, valid lengths 3, 2",
    kind: 'cross',
    batch: 2,
    queries: 4,
    keys: 6,
    numHiddens: 100,
    numHeads: 5,
    validLens: [3, 2],
  },
  'l128-d384': { about: 'B1 L128 D384 h12', ...selfAttention(1, 128, 384, 12) },
  'l128-d768': { about: 'B1 L128 D768 h12', ...selfAttention(1, 128, 768, 12) },
  'l512-d768': { about: 'B1 L512 D768 h12', ...selfAttention(1, 512, 768, 12) },
  'l2048-d512': { about: 'B1 L2048 D512 h8', ...selfAttention(1, 2048, 512, 8) },
  'b8-l64-d512': {
    about: 'B8 L64 D512 h8, valid lengths 8 to 64',
    ...selfAttention(8, 64, 512, 8, spread(8, 8, 64)),
  },
  cached: {
    about: 'one query, 1024 cached keys, D768 h12',
    kind: 'cached',
    batch: 1,
    queries: 1,
    keys: 1024,
    numHiddens: 768,
    numHeads: 12,
  },
  softmax: {
    about: 'masked softmax (96, 128, 128), valid lengths 64 to 128',
    kind: 'softmax',
    batch: 96,
    queries: 128,
    keys: 128,
    validLens: spread(96, 64, 128),
  },
};

/** A step of stochastic gradient descent on the mean over positions of the squared distance to a target. */
const training = (shape) => ({ ...shape, kind: 'training', learningRate: 1e-3 });

Object.assign(shapes, {
  'train-b32-l32-d32': {
    about: 'a training step: B32 L32 D32 h2',
    ...training(selfAttention(32, 32, 32, 2)),
  },
  'train-l128-d384': {
    about: 'a training step: B1 L128 D384 h12',
    ...training(selfAttention(1, 128, 384, 12)),
  },
});

const aboutModel = '4 layers, 4 heads, D128, feed-forward 344, vocabulary 1024';

Object.assign(shapes, {
  generation: {
    about: `128 tokens behind a prompt of 128, greedily: ${aboutModel}`,
    kind: 'generation',
    ...languageModel,
    promptLength: 128,
    newTokens: 128,
  },
  'train-language-model': {
    about: `a step of Adam, B8 L128: ${aboutModel}`,
    kind: 'model-training',
    ...languageModel,
    batch: 8,
    length: 128,
    learningRate: 1e-3,
    checkedSteps: 5,
  },
});

/** As GPT-2, but with gated feed-forward layers: 124 million weights. */
const largeModel = {
  vocabularySize: 50257,
  maxLength: 1024,
  numHiddens: 768,
  numLayers: 12,
  numHeads: 12,
  ffnHiddens: 2048,
};

for (const [bits, weightType] of [
  [8, 'Q8_0'],
  [4, 'Q4_0'],
]) {
  const about = `124 M weights of ${bits} bits`;
  const common = { kind: 'generation', weightType, ...largeModel };
  for (const promptLength of [128, 512]) {
    shapes[`prompt-${promptLength}-q${bits}`] = {
      about: `a prompt of ${promptLength} tokens, ${about}`,
      ...{ ...common, promptLength, newTokens: 1 },
    };
  }
  shapes[`tokens-q${bits}`] = {
    about: `32 tokens behind a prompt of 16, ${about}`,
    ...{ ...common, promptLength: 16, newTokens: 32 },
  };
}

/** What is measured besides the problems, and in which engines; some on so many threads. */
export const otherMeasures = {
  'cold-start': {
    about: 'a fresh process up to its first toy result',
    engines: inNode,
    hasThreads: true,
  },
  size: { about: 'JavaScript and WebAssembly loaded on one thread, brotli', engines: onTheWeb },
  memory: {
    about: 'WebAssembly memory of headwise by length, B1 D512 h8, no weights returned',
    engines: inNode,
    hasThreads: true,
  },
  learning: {
    about:
      'headwise learning induction (2 layers, 2 heads, D32 L32 B32) up to a score of 0.9, and to sort 6 symbols up to 99 % exact',
    engines: onTheWeb,
    hasThreads: true,
  },
  kernels: { about: 'kernels and layer by Google Benchmark, one thread', engines: ['native'] },
};

/** Tokens that one call of a language model reads, generates or learns from; undefined of other problems. */
export function tokensPerCall({ kind, batch, length, promptLength, newTokens }) {
  if (kind === 'generation') return newTokens > 1 ? newTokens : promptLength;
  return kind === 'model-training' ? batch * length : undefined;
}

/**
 * Floating-point operations of one call: the projections that it makes, scores and pooling.
 * Masked keys count as if they were computed, for everyone.
 */
export function flops({ kind, batch, queries, keys, numHiddens }) {
  if (!['self', 'cross', 'cached'].includes(kind)) return undefined;
  const projected = 2 * queries + (kind === 'cached' ? 0 : 2 * keys);
  return batch * (2 * projected * numHiddens ** 2 + 4 * queries * keys * numHiddens);
}
