// Models with weights, and caches, of less than 32 bits.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, Transformer } from 'headwise/models';
import { apart, assertFails, largestOf } from '../lib/compare.mjs';

await init();

const options = {
  ...{ vocabularySize: 13, maxLength: 12, numHiddens: 16, numLayers: 2, numHeads: 4, seed: 1 },
};
const tokens = [
  [1, 2, 3, 4, 5],
  [6, 7, 8, 9, 10],
];

/** Rounding inputs of products to 15 bits, in every layer. */
const of15Bits = 2e-3;

const models = {
  plain: options,
  gated: { ...options, gated: true, norm: 'rms', positions: 'rotary', numKvHeads: 2 },
  untied: { ...options, tiedEmbeddings: false, ffnHiddens: 0 },
};

for (const weights of ['float16', 'int8']) {
  test(`a model computes with its ${weights} weights`, () => {
    for (const [name, settings] of Object.entries(models)) {
      const model = new Transformer({ ...settings, weights });
      assert.equal(model.attention(0).weights, weights);
      const floats = new Transformer(settings);
      floats.loadStateDict(model.stateDict());
      for (const length of [1, 5]) {
        const given = tokens.map((row) => row.slice(0, length));
        const found = apart(model.forward(given).logits, floats.forward(given).logits);
        assert.ok(found <= of15Bits, `${name}, ${length}: ${found}`);
      }
      [model, floats].forEach((each) => each.dispose());
    }
  });

  test(`a model of ${weights} weights has gradients of gates, and is not trained`, () => {
    const model = new Transformer({ ...options, weights });
    const before = model.stateDict();
    assert.ok(largestOf(model.lossAndGradients(tokens, tokens).headGates[0]) > 0);
    assertFails(
      () => model.trainStep(tokens, tokens),
      'invalid-option',
      `weights: expected 'float32' in what is trained, got "${weights}"`,
    );
    assert.deepEqual(model.stateDict(), before);
    model.dispose();
  });
}

test("a model's cache of 16 bits gives what one of floats gives", async () => {
  for (const [name, settings] of Object.entries(models)) {
    const model = new Transformer(settings);
    const sizes = { batchSize: 2, maxLength: 8 };
    const floats = model.createCache(sizes);
    const halves = model.createCache({ ...sizes, precision: 'float16' });
    assert.deepEqual([floats.precision, halves.precision], ['float32', 'float16']);
    for (const length of [5, 1, 2]) {
      const given = tokens.map((row) => row.slice(0, length));
      const [expected, found] = [floats, halves].map((cache) => model.forward(given, { cache }));
      assert.ok(apart(found.logits, expected.logits) <= of15Bits, name);
    }
    const generated = await Promise.all(
      ['float32', 'float16'].map((cachePrecision) =>
        model.generate([1, 2, 3], { maxNewTokens: 6, cachePrecision }),
      ),
    );
    assert.deepEqual(generated[1], generated[0], name);
    [floats, halves, model].forEach((each) => each.dispose());
  }
});

test('other precisions are refused', async () => {
  assertFails(
    () => new Transformer({ ...options, weights: 'half' }),
    'invalid-option',
    `weights: expected 'float32', 'float16' or 'int8', got "half"`,
  );
  const model = new Transformer(options);
  await assert.rejects(model.generate([1], { maxNewTokens: 1, cachePrecision: 'int8' }), {
    code: 'invalid-option',
    message: `cachePrecision: expected 'float32' or 'float16', got "int8"`,
  });
  model.dispose();
});
