// Options of any size, whose products exceed 2^32: an error, or a model and a layer that give what they should.
import assert from 'node:assert/strict';
import test from 'node:test';
import { HeadwiseError, MultiHeadAttention, Tensor, Transformer } from 'headwise';
import '../lib/ballast.mjs';
import { checkBystanders } from '../lib/bystanders.mjs';
import { Random } from '../lib/random.mjs';

const large = [2 ** 15, 2 ** 16, 2 ** 16 + 1, 2 ** 20, 2 ** 29, 2 ** 30, 2 ** 30 + 2, 2 ** 31 - 1];

/** Whether the call succeeded; else its options were refused, or memory was too small. */
function succeeds(call) {
  try {
    call();
    return true;
  } catch (error) {
    if (!(error instanceof HeadwiseError)) throw error;
    assert.ok(['invalid-option', 'out-of-memory'].includes(error.code), error.stack);
    return false;
  }
}

/** The rows of two samples that were given the same: equal, and numbers. */
function checkAlike({ data }) {
  const [first, second] = [data.slice(0, data.length / 2), data.slice(data.length / 2)];
  assert.ok(first.every(Number.isFinite));
  assert.deepEqual(first, second);
}

/** Tries options in which one or two sizes, of all that the names list, are large. */
function tryAll(names, { draw, use }) {
  const random = new Random(1);
  let successes = 0;
  for (let round = 0; round < 4000; round++) {
    const options = draw(random);
    for (let i = 0; i < random.below(3); i++) {
      const [name, of] = random
        .pick(...names)
        .split('.')
        .reverse();
      const owner = of ? options[of] : options;
      if (owner) owner[name] = random.pick(...large);
    }
    successes += succeeds(() => use(options));
    if (round % 500 === 0) checkBystanders();
  }
  checkBystanders();
  assert.ok(successes > 400, `${successes} succeeded`);
}

const small = (random) => random.pick(1, 2, 3, 4);
const even = (random) => 2 * small(random);

test('models of sizes beyond memory', () => {
  const ofAll = 'vocabularySize maxLength numHiddens numHeads numKvHeads headSize numLayers';
  const names = `${ofAll} ffnHiddens segments positionOffset encoder.numHeads encoder.numLayers`;
  tryAll([...names.split(' '), 'encoder.ffnHiddens', 'rotary.size'], {
    draw: (random) => ({
      ...{ vocabularySize: small(random), maxLength: small(random), numHiddens: even(random) },
      ...{ numHeads: small(random), numKvHeads: random.pick(1, undefined), seed: 1 },
      ...{ headSize: random.pick(even(random), undefined), ffnHiddens: random.pick(undefined, 3) },
      ...(random.chance(0.5)
        ? { positions: 'rotary', rotary: random.pick({}, { size: even(random) }) }
        : { positions: random.pick('learned', 'sinusoidal', 'none') }),
      ...(random.chance(0.6) && {
        encoder: { numHeads: random.pick(undefined, small(random), even(random)) },
      }),
    }),
    use(options) {
      const model = new Transformer(options);
      try {
        const length = Math.min(options.maxLength, 4);
        const tokens = Array(2).fill(Array.from({ length }, (_, i) => i % options.vocabularySize));
        const source = options.encoder && tokens;
        const given = { source, returnWeights: true };
        const { hidden, logits, encoderHidden = hidden } = model.forward(tokens, given);
        [hidden, logits, encoderHidden].forEach(checkAlike);
        model.createCache({ batchSize: options.maxLength, maxLength: options.maxLength }).dispose();
      } finally {
        model.dispose();
      }
    },
  });
});

test('layers and caches of sizes beyond memory', () => {
  const X = Tensor.full([2, 3, 2], 0.5);
  tryAll(
    'numHiddens numHeads numKvHeads outputSize attentionHiddens cache.batchSize cache.maxLength'.split(
      ' ',
    ),
    {
      draw: (random) => ({
        ...{ numHiddens: even(random), numHeads: small(random), seed: 1 },
        ...random.pick({}, { pooling: 'additive' }, { weights: 'int8' }, { rotary: {} }),
        cache: { batchSize: 2, maxLength: 4, precision: random.pick('float32', 'float16') },
      }),
      use({ cache: sizes, ...options }) {
        const layer = new MultiHeadAttention(options);
        try {
          checkAlike(layer.forward(X, X, X).output);
          const cache = layer.createCache(sizes);
          if (sizes.batchSize === 2) checkAlike(layer.forward(X, X, X, { cache }).output);
          cache.dispose();
        } finally {
          layer.dispose();
        }
      },
    },
  );
});
