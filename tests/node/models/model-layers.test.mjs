// A model's layers seen one by one, and what passes return beside logits.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  Adam,
  clipGradientNorm,
  init,
  measureHeadImportance,
  MultiHeadAttention,
  SGD,
  Tensor,
  Transformer,
} from 'headwise';
import { readCheckpoint } from '../lib/checkpoints.mjs';
import { assertFails, maxDifference } from '../lib/compare.mjs';

await init();

const small = {
  ...{ vocabularySize: 11, maxLength: 8, numHiddens: 12, numLayers: 2, numHeads: 3, seed: 5 },
};
const tokens = [
  [1, 2, 3, 4, 5],
  [5, 4, 3, 2, 1],
];

test('a layer is a view of the model', () => {
  const model = new Transformer({ ...small, positions: 'none', norm: 'none', ffnHiddens: 0 });
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

test('a layer that there is not is told', () => {
  const model = new Transformer(small);
  for (const number of [2, -1, 0.5, NaN, '0', undefined]) {
    assert.throws(() => model.attention(number), { code: 'invalid-option' });
  }
  assertFails(() => model.crossAttention(0), 'invalid-option', 'number: expected no layer, got 0');
  model.dispose();
});

test("a layer's backward inside of the model's pass has the model's shapes", () => {
  const model = new Transformer(small);
  const { hidden } = model.forward(tokens, { requiresGrad: true });
  const layer = model.attention(1);
  const gradients = layer.backward(hidden);
  assert.deepEqual(gradients.queries.shape, [2, 5, 12]);
  assert.deepEqual(gradients.headGate.shape, [2, 3]);
  // That was the layer's part of the model's.
  assert.throws(() => model.backward(hidden), { code: 'no-pending-backward' });
  model.dispose();
});

test("a layer's own forward with gradients takes the place of the model's", () => {
  const model = new Transformer(small);
  const { hidden } = model.forward(tokens, { requiresGrad: true });
  // One of the pass's shape, and one that keeps more than the model's pass has room for.
  for (const [batch, length] of [
    [2, 5],
    [4, 50],
  ]) {
    const X = Tensor.randn([batch, length, 12], 1);
    model.forward(tokens, { requiresGrad: true });
    model.attention(1).forward(X, X, X, { requiresGrad: true });
    assert.throws(() => model.backward(hidden), { code: 'no-pending-backward' });
    assert.deepEqual(model.attention(1).backward(X).queries.shape, [batch, length, 12]);
  }
  // One without leaves it.
  model.forward(tokens, { requiresGrad: true });
  model.attention(1).forward(hidden, hidden, hidden);
  model.backward(hidden);
  model.dispose();
});

test('passes without gradients leave the pending one', async () => {
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
    // Nor do they make one.
    await assert.rejects(async () => {
      cache.reset();
      await pass();
      model.backward(hidden);
    }, /^HeadwiseError: backward: expected a forward with requiresGrad/);
    cache.truncate(0);
    if (pass === passes[2]) model.forward(tokens, { cache });
  }
  [cache, model].forEach((each) => each.dispose());
});

test('an optimizer takes a model or layers of it, not both', () => {
  const [model, other] = [0, 1].map(() => new Transformer(small));
  const both = 'trainables: expected each of them once, got a model and a layer of it';
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
  [adam, other].forEach((each) => each.dispose());
});

test('what a caller changes in the options later changes nothing', async () => {
  const measure = (model, batch) =>
    measureHeadImportance(model, { batches: [{ tokens, targets: tokens, ...batch }] });
  for (const [options, change, batch] of [
    [
      { positions: 'rotary', rotary: { base: 100, interleaved: true }, window: [1, 0] },
      ({ rotary, window }) => {
        Object.assign(rotary, { base: 3, size: 2 });
        window[0] = 3;
      },
    ],
    [
      { encoder: { numLayers: 2 } },
      ({ encoder }) => Object.assign(encoder, { numLayers: 1, numHeads: 1 }),
      { source: tokens },
    ],
    [
      { optimizer: { learningRate: 0.1 } },
      ({ optimizer }) => Object.assign(optimizer, { learningRate: -1 }),
    ],
  ]) {
    const model = new Transformer({ ...small, ...options });
    const before = await measure(model, batch);
    change(options);
    assert.deepEqual(await measure(model, batch), before);
    model.dispose();
  }
});

test('chosen weights are rows of all, and what is captured is what made them', () => {
  const model = new Transformer({ ...small, positions: 'rotary', numKvHeads: 1 });
  const all = model.forward(tokens, { returnWeights: true });
  const some = model.forward(tokens, {
    returnWeights: { heads: [2, 0], queries: 'last' },
    capture: ['scores', 'pooled', 'keys'],
  });
  assert.ok(maxDifference(some.logits.data, all.logits.data) < 1e-6);
  for (const [layer, { data, shape }] of some.attentionWeights.entries()) {
    assert.deepEqual(shape, [2, 2, 1, 5]);
    const whole = all.attentionWeights[layer].data;
    for (const [place, head] of [2, 0].entries()) {
      for (let sample = 0; sample < 2; sample++) {
        const row = whole.subarray(
          ((sample * 3 + head) * 5 + 4) * 5,
          ((sample * 3 + head) * 5 + 5) * 5,
        );
        const chosen = data.subarray((sample * 2 + place) * 5, (sample * 2 + place + 1) * 5);
        assert.ok(maxDifference(chosen, row) < 1e-6);
      }
    }
    const { scores, pooled, keys } = some.captured[layer];
    assert.deepEqual(scores.shape, [2, 3, 5, 5]);
    assert.deepEqual(pooled.shape, [2, 3, 5, 4]);
    assert.deepEqual(keys.shape, [2, 1, 5, 4]);
    for (let row = 0; row < 2 * 3 * 5; row++) {
      const exps = Array.from(scores.data.subarray(5 * row, 5 * row + 5), Math.exp);
      const sum = exps.reduce((a, b) => a + b, 0);
      const expected = exps.map((number) => number / sum);
      assert.ok(maxDifference(whole.subarray(5 * row, 5 * row + 5), expected) < 1e-6);
    }
  }
  assertFails(
    () => model.forward(tokens, { returnWeights: { heads: [3] } }),
    'invalid-option',
    'returnWeights.heads: expected integers from 0 to 2, got 3',
  );
  model.dispose();
});

test('gradients of hidden states and of logits add up', () => {
  const checkpoint = readCheckpoint('llama-a');
  const model = checkpoint.model();
  const targets = checkpoint.targets();
  model.lossAndGradients(checkpoint.input, targets, checkpoint.options);
  const whole = model.gradients();
  const { logits } = model.forward(checkpoint.input, { ...checkpoint.options, requiresGrad: true });
  // Of the mean of −log softmax(logits)[target].
  const [rows, vocabulary] = [targets.data.length, model.vocabularySize];
  const asked = targets.data.filter((target) => target >= 0).length;
  const gradient = new Float32Array(logits.data.length);
  for (let row = 0; row < rows; row++) {
    if (targets.data[row] < 0) continue;
    const at = row * vocabulary;
    const exps = Array.from(logits.data.subarray(at, at + vocabulary), Math.exp);
    const sum = exps.reduce((a, b) => a + b, 0);
    exps.forEach((number, token) => {
      gradient[at + token] = (number / sum - Number(token === targets.data[row])) / asked;
    });
  }
  model.zeroGradients();
  const { headGates } = model.backward({ logits: { data: gradient, shape: logits.shape } });
  assert.deepEqual(
    headGates.map(({ shape }) => shape),
    model.numHeads.map((heads) => [2, heads]),
  );
  const byHand = model.gradients();
  for (const [name, { data }] of Object.entries(whole)) {
    assert.ok(maxDifference(byHand[name].data, data) < 1e-6, name);
  }
  assert.throws(() => model.backward(logits), { code: 'no-pending-backward' });
  model.dispose();
});

test('a translation model learns, and its heads on every side have an importance', async () => {
  const options = {
    ...small,
    encoder: { numLayers: 1, numHeads: 2 },
    optimizer: { learningRate: 0.02 },
  };
  const model = new Transformer(options);
  // Copies its source.
  const source = tokens;
  const input = source.map((row) => [0, ...row.slice(0, -1)]);
  const batch = { tokens: input, targets: source, source };
  const before = model.loss(input, source, { source });
  for (let step = 0; step < 30; step++) {
    model.trainStep(input, source, undefined, { source });
    model.trainStep(input, source, { source });
  }
  const after = model.loss(input, source, { source });
  assert.ok(after < 0.3 * before, `${before} to ${after}`);
  const sgd = new SGD(model, { learningRate: 0 });
  assert.equal(model.trainStep(input, source, sgd, { source }), after);

  const counts = { self: [3, 3], cross: [3, 3], encoder: [2] };
  const gates = { self: 'headGates', cross: 'crossHeadGates', encoder: 'encoderHeadGates' };
  for (const [side, heads] of Object.entries(counts)) {
    for (const measure of ['gradient', 'ablation', 'confidence', 'entropy']) {
      const importance = await measureHeadImportance(model, { batches: [batch], side, measure });
      assert.deepEqual(
        importance.map((layer) => layer.length),
        heads,
      );
      assert.ok(importance.flat().every(Number.isFinite));
    }
    const [first] = await measureHeadImportance(model, {
      ...{ batches: [batch], side, measure: 'ablation' },
    });
    const gate = heads.map((count) => Array.from({ length: count }, () => 1));
    gate[0][0] = 0;
    const without = model.loss(input, source, { source, [gates[side]]: gate });
    assert.ok(Math.abs(first[0] - (without - after)) < 1e-5);
  }
  sgd.dispose();
  model.dispose();
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
  adam.dispose();
  model.dispose();
});

test('heads of models without logits are measured by a loss of their hidden states', async () => {
  for (const name of ['bert-a', 'vit-a']) {
    const { expected, model: make, input, options } = readCheckpoint(name);
    const model = make();
    const cotangent = expected['in.cotangent'];
    const lossOf = ({ data }) => data.reduce((sum, x, i) => sum + x * cotangent.data[i], 0);
    const loss = { value: lossOf, gradient: () => cotangent };
    const batch = { [name === 'vit-a' ? 'pixels' : 'tokens']: input, ...options };
    const measured = (measure) => measureHeadImportance(model, { batches: [batch], loss, measure });
    const [first] = await measured('ablation');
    const whole = lossOf(model.forward(input, options).hidden);
    const [{ numHeads }] = [model.attention(0)];
    const headGates = model.numHeads.map((count) => new Float32Array(count).fill(1));
    headGates[0][numHeads - 1] = 0;
    const without = lossOf(model.forward(input, { ...options, headGates }).hidden);
    assert.ok(Math.abs(first[numHeads - 1] - (without - whole) / 2) < 1e-4, name);
    const gradients = await measured('gradient');
    assert.ok(gradients.flat().every((number) => number > 0));
    await assert.rejects(measureHeadImportance(model, { batches: [batch] }), {
      message: "loss: expected its gradient beside measure 'gradient', got none",
    });
    await assert.rejects(measureHeadImportance(model, { batches: [batch], loss, side: 'cross' }), {
      message: "side: expected 'self' for a model without an encoder, got 'cross'",
    });
    model.dispose();
  }
});

test('padding counts in no mean over queries', async () => {
  const { model: make, input, options } = readCheckpoint('bert-a');
  const model = make();
  const loss = { value: () => 0 };
  const of = (batch, measure) => measureHeadImportance(model, { batches: [batch], loss, measure });
  const { data, shape } = input;
  const [, length] = shape;
  // Row by row, without the padding.
  for (const measure of ['confidence', 'entropy']) {
    const together = await of({ tokens: input, ...options }, measure);
    const sums = together.map((layer) => layer.map(() => 0));
    let count = 0;
    for (const [row, used] of options.validLens.entries()) {
      const begin = row * length;
      const part = {
        tokens: [Array.from(data.subarray(begin, begin + used), Number)],
        segments: [Array.from(options.segments.data.subarray(begin, begin + used), Number)],
      };
      const alone = await of(part, measure);
      alone.forEach((layer, i) =>
        layer.forEach((number, head) => {
          sums[i][head] += used * number;
        }),
      );
      count += used;
    }
    together.forEach((layer, i) =>
      layer.forEach((number, head) => {
        assert.ok(Math.abs(number - sums[i][head] / count) < 1e-6, measure);
      }),
    );
  }
  model.dispose();
});
