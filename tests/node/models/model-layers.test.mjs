// Layers of a model, and the pending backward of both.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  Adam,
  clipGradientNorm,
  init,
  measureHeadImportance,
  MultiHeadAttention,
  SGD,
  Transformer,
} from 'headwise';
import { assertFails, maxDifference } from '../lib/compare.mjs';

await init();

const small = {
  ...{ vocabularySize: 11, maxLength: 8, numHiddens: 12, numLayers: 2, numHeads: 3, seed: 5 },
};
const tokens = [
  [1, 2, 3, 4, 5],
  [5, 4, 3, 2, 1],
];

const scaling = { type: 'yarn', factor: 2, originalLength: 4 };
for (const given of [
  { positions: 'none' },
  { positions: 'rotary', rotary: { scaling }, qkNorm: true },
])
  test(`a layer is a view of the model, ${JSON.stringify(given)}`, async () => {
    const model = new Transformer({ ...small, ...given, norm: 'none', ffnHiddens: 0 });
    const layer = model.attention(0);
    assert.ok(layer instanceof MultiHeadAttention);
    assert.equal(model.attention(0), layer);
    assert.equal(layer.numHeads, 3);
    const { 'embedding.weight': embedding } = model.stateDict();
    const rows = tokens.map((row) =>
      row.map((token) => Array.from(embedding.data.subarray(12 * token, 12 * token + 12))),
    );
    const { attentionWeights } = layer.forward(rows, rows, rows, {
      ...{ causal: true, returnWeights: true },
    });
    assert.deepEqual(
      model.forward(tokens, { returnWeights: true }).attentionWeights[0],
      attentionWeights,
    );
    // Measuring makes a copy of the layer.
    const measured = { measure: 'entropy', normalize: false };
    const inputs = { queries: rows, keys: rows, values: rows, causal: true };
    const ofLayer = await measureHeadImportance(layer, { ...measured, batches: [inputs] });
    const [ofModel] = await measureHeadImportance(model, { ...measured, batches: [{ tokens }] });
    assert.ok(maxDifference(ofLayer, ofModel) < 1e-6);
    // What is written to it is written to the model, and the other way round.
    const zeros = Object.fromEntries(
      Object.entries(layer.stateDict()).map(([name, { data, shape }]) => [
        name,
        { data: new Float32Array(data.length), shape },
      ]),
    );
    layer.loadStateDict(zeros);
    assert.ok(model.stateDict()['layers.0.attention.W_q.weight'].data.every((x) => x === 0));
    model.train();
    assert.ok(layer.training && model.training);
    model.pruneHeads({ 0: [1] });
    assert.equal(layer.numHeads, 2);
    layer.pruneHeads([0]);
    assert.deepEqual(model.numHeads, [1, 3]);
    assert.equal(model.forward(tokens, { returnWeights: true }).attentionWeights[0].shape[1], 1);
    layer.dispose();
    assert.equal(layer.disposed, false);
    model.dispose();
    assert.ok(layer.disposed);
    assertFails(
      () => layer.forward(rows, rows, rows),
      'disposed',
      'layer: expected one in use, got one that was disposed of',
    );
  });

test('a number without a layer is an error', () => {
  const model = new Transformer(small);
  for (const number of [2, -1, 0.5, NaN, '0', undefined]) {
    assert.throws(() => model.attention(number), { code: 'invalid-option' });
  }
  assertFails(() => model.crossAttention(0), 'invalid-option', 'number: expected no layer, got 0');
});

test("a layer's backward of the model's pass has the model's shapes", () => {
  const model = new Transformer(small);
  const { hidden } = model.forward(tokens, { requiresGrad: true });
  const layer = model.attention(1);
  const gradients = layer.backward(hidden);
  assert.deepEqual(gradients.queries.shape, [2, 5, 12]);
  assert.deepEqual(gradients.headGate.shape, [2, 3]);
  // It was a part of the model's backward.
  assert.throws(() => model.backward(hidden), { code: 'no-pending-backward' });
});

test('passes without gradients keep the pending backward', async () => {
  const model = new Transformer(small);
  const { hidden } = model.forward(tokens, { requiresGrad: true });
  model.backward(hidden);
  const expected = model.gradients();
  const cache = model.createCache({ batchSize: 2, maxLength: 8 });
  const passes = [
    () => model.forward([1]),
    () => model.forward([...tokens, ...tokens], { returnWeights: true }),
    () => model.forward(tokens, { cache }),
    () => model.forward([[1], [2]], { cache }),
    () => model.loss([1, 2], [2, 3]),
    () => model.generate([1, 2], { maxNewTokens: 5 }),
  ];
  for (const pass of passes) {
    model.zeroGradients();
    model.forward(tokens, { requiresGrad: true });
    await pass();
    model.backward(hidden);
    assert.deepEqual(model.gradients(), expected, pass.toString());
    // They do not create one.
    await assert.rejects(async () => {
      cache.reset();
      await pass();
      model.backward(hidden);
    }, /^HeadwiseError: backward: expected a forward with requiresGrad/);
    cache.truncate(0);
    if (pass === passes[2]) model.forward(tokens, { cache });
  }
});

test('an optimizer takes a model or layers of it, not both', () => {
  const [model, other] = [0, 1].map(() => new Transformer(small));
  const both = 'trainables: expected each of them once, got one twice';
  const layer = model.attention(0);
  for (const make of [
    (given) => new Adam(given),
    (given) => new SGD(given),
    (given) => clipGradientNorm(given, 1),
  ]) {
    assertFails(() => make([model, layer]), 'invalid-option', both);
    assertFails(() => make([layer, other, model]), 'invalid-option', both);
    make([layer, other])?.dispose?.();
    make([layer, model.attention(1)])?.dispose?.();
  }
  const adam = new Adam(layer);
  model.dispose();
  assertFails(
    () => adam.step(),
    'disposed',
    'layer: expected one in use, got one that was disposed of',
  );
});

test('changing the options object later has no effect', async () => {
  const options = {
    ...small,
    ...{ positions: 'rotary', rotary: { base: 100, interleaved: true }, window: [1, 0] },
    ...{ encoder: { numLayers: 2 }, optimizer: { learningRate: 0.1 } },
  };
  const model = new Transformer(options);
  const batches = [{ tokens, targets: tokens, source: tokens }];
  // Measuring makes a copy of the model from its options.
  const before = await measureHeadImportance(model, { batches, side: 'encoder' });
  Object.assign(options.rotary, { base: 3, size: 2 });
  Object.assign(options.encoder, { numLayers: 1, numHeads: 1 });
  options.window[0] = 3;
  options.optimizer.learningRate = -1;
  assert.deepEqual(await measureHeadImportance(model, { batches, side: 'encoder' }), before);
});

test('an optimizer of one layer trains that layer alone', () => {
  const model = new Transformer(small);
  const adam = new Adam(model.attention(1), { learningRate: 0.1 });
  const before = model.stateDict();
  model.lossAndGradients(tokens, tokens);
  adam.step();
  for (const [name, { data }] of Object.entries(model.stateDict())) {
    const changed = maxDifference(data, before[name].data) > 0;
    // Biases of keys have gradient 0 but for rounding, which Adam enlarges.
    assert.equal(changed, name.startsWith('layers.1.attention.'), name);
  }
});
