// Measuring heads. The calls.test.mjs of layer and models check the numbers.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AttentionOnlyTransformer,
  init,
  leastImportantHeads,
  measureHeadImportance,
  MultiHeadAttention,
  Tensor,
} from 'headwise';
import { assertFails, assertRejects, assertSameResult, maxDifference } from '../lib/compare.mjs';
import { square } from '../lib/replay.mjs';

await init();

const measures = ['gradient', 'ablation', 'confidence', 'entropy'];

const layerOptions = { numHiddens: 6, numHeads: 3, seed: 1 };
const inputs = {
  queries: Tensor.randn([3, 5, 6], 1),
  keys: Tensor.randn([3, 4, 6], 2),
  values: Tensor.randn([3, 4, 6], 3),
};

const makeLayer = (options) => new MultiHeadAttention({ ...layerOptions, ...options });

const modelOptions = {
  ...{ vocabularySize: 5, maxLength: 6, numHiddens: 6, numHeads: 3, numLayers: 2 },
  ...{ layerNorm: true, seed: 1 },
};
const tokens = [
  [0, 1, 2, 3],
  [4, 4, 0, 1],
  [2, 0, 2, 1],
];
// Their number differs from sample to sample.
const targets = [
  [1, 2, 3, 4],
  [-1, -1, -1, 2],
  [-1, 2, -1, 0],
];
const batchOf = (begin, end) => ({
  tokens: tokens.slice(begin, end),
  targets: targets.slice(begin, end),
});

/** Two layers, of three heads and of one. */
function makeModel(options) {
  const model = new AttentionOnlyTransformer({ ...modelOptions, ...options });
  model.pruneHeads({ 1: [0, 2] });
  return model;
}

test('importance does not depend on how samples are batched', async () => {
  const [layer, model] = [makeLayer(), makeModel()];
  const samples = (...range) =>
    Object.fromEntries(
      Object.entries(inputs).map(([name, tensor]) => [name, tensor.slice(...range)]),
    );
  for (const measure of measures) {
    const measured = async (batches, tokenBatches) => [
      ...(await measureHeadImportance(layer, { measure, batches, loss: square })),
      ...(await measureHeadImportance(model, { measure, batches: tokenBatches })).flat(),
    ];
    const expected = await measured([inputs], [batchOf(0, 3)]);
    assert.equal(expected.length, 7);
    assert.ok(expected.every((number) => number !== 0));
    // One sample needs no batch axis.
    const cut = await measured([samples(0), samples([1, 3])], [batchOf(0, 1), batchOf(1, 3)]);
    assert.ok(maxDifference(cut, expected) <= 1e-5, measure);
  }
});

/** Measures by everything, twice with the same results. */
async function measureAll(measured, given) {
  for (const measure of measures) {
    const first = await measureHeadImportance(measured, { measure, ...given });
    assert.deepEqual(await measureHeadImportance(measured, { measure, ...given }), first);
  }
}

test('measuring leaves a layer unchanged, also one of unknown sizes, and ignores dropout', async () => {
  const [layer, twin] = [0, 1].map(() => makeLayer({ dropout: 0.5 }));
  const given = { batches: [inputs], loss: square };
  await measureAll(layer, given);
  assert.equal(layer.querySize, undefined);
  const forward = (each, options) => each.forward(...Object.values(inputs), options);
  for (const each of [layer, twin]) forward(each.train(), { requiresGrad: true });
  await measureAll(layer, given);
  assert.equal(layer.training, true);
  assert.deepEqual(layer.gradients(), twin.gradients());
  const gradOutput = Tensor.randn([3, 5, 6], 7);
  assert.deepEqual(layer.backward(gradOutput), twin.backward(gradOutput));
  assertSameResult(forward(layer), forward(twin));
});

test('measuring leaves a model unchanged, and ignores dropout', async () => {
  const [model, twin] = [0, 1].map(() => makeModel({ dropout: 0.5 }));
  for (const each of [model, twin]) each.train().lossAndGradients(tokens, targets);
  await measureAll(model, { batches: [batchOf(0, 3)] });
  assert.equal(model.training, true);
  assert.deepEqual(model.gradients(), twin.gradients());
  assert.equal(model.trainStep(tokens, targets), twin.trainStep(tokens, targets));
});

test('progress counts every pass, and an abort before any pass ends it', async () => {
  const model = makeModel();
  const batches = [batchOf(0, 1), batchOf(1, 3)];
  for (const measure of measures) {
    const total = measure === 'ablation' ? 10 : 2;
    const seen = [];
    const onProgress = (progress) => seen.push(progress);
    await measureHeadImportance(model, { measure, batches, onProgress });
    assert.deepEqual(
      seen,
      Array.from({ length: total }, (_, i) => ({ done: i + 1, total })),
    );
    for (let last = 0; last < total; last++) {
      const controller = new AbortController();
      const reason = new Error('enough');
      let passes = 0;
      const abortAt = () => passes++ === last && controller.abort(reason);
      abortAt();
      const given = { measure, batches, signal: controller.signal, onProgress: abortAt };
      await assert.rejects(measureHeadImportance(model, given), (error) => error === reason);
      assert.equal(passes, last + 1);
    }
  }
});

test('measuring uses the state at the call, and lets timers run, which may abort it', async () => {
  const layer = makeLayer();
  const given = { measure: 'ablation', batches: new Array(50).fill(inputs), loss: square };
  const before = await measureHeadImportance(layer, given);
  const controller = new AbortController();
  /** Slow enough for the timer to be due. */
  const value = (output) => {
    const end = performance.now() + 3;
    while (performance.now() < end);
    return square.value(output);
  };
  setTimeout(() => controller.abort(), 10);
  const { signal } = controller;
  const slow = measureHeadImportance(layer, { ...given, loss: { value }, signal });
  const aborted = assert.rejects(slow, { name: 'AbortError' });
  const measured = measureHeadImportance(layer, given);
  layer.dispose();
  assert.deepEqual(await measured, before);
  await aborted;
});

test('the least important heads, by numbers of any precision or by a measurement', async () => {
  const least = (of, given) => leastImportantHeads(of, { fraction: 0.4, ...given });
  const numbers = [[1, 1 + 2 ** -40, 1, 4], [9]];
  assert.deepEqual(least(numbers, { measure: 'gradient' }), { 0: [0, 2] });
  assert.deepEqual(least([3], { fraction: 1, measure: 'entropy' }), []);
  const fails = (given, ...error) => assertFails(() => least(...given), ...error);
  const divisor = "groupSize: expected a divisor of the layer's heads (4), got 4294967296";
  fails([numbers, { measure: 'gradient', groupSize: 2 ** 32 }], 'invalid-option', divisor);
  fails([numbers], 'invalid-option', 'measure: expected the measure of the importance, got none');
  const noPromise = /^importance: expected an array of numbers, .*, got a Promise; await it/;
  fails([Promise.resolve(numbers)], 'invalid-type', noPromise);
  fails([['1'], { measure: 'gradient' }], 'invalid-value', /: expected finite numbers, got "1"$/);
  const sizes = { numHiddens: 8, numHeads: 4, numKvHeads: 2 };
  const layer = makeLayer({ ...sizes, querySize: 6, keySize: 6, valueSize: 6 });
  const importance = await measureHeadImportance(layer, { batches: [inputs], measure: 'entropy' });
  const [a, b, c, d] = importance;
  const heads = least(importance, { fraction: 0.5 });
  assert.deepEqual(heads, a + b > c + d ? [0, 1] : [2, 3]);
  layer.pruneHeads(heads);
});

const batches = [inputs];
const ignoring = (ignoredKeys) => ({ measure: 'entropy', batches: [{ ...inputs, ignoredKeys }] });
const none = { ...inputs, keys: Tensor.zeros([2, 0, 6]), values: Tensor.zeros([2, 0, 6]) };
const needed = "loss: expected its gradient beside measure 'gradient', got none";
const given = 'loss.value: expected a function, got 3';
const normalized = "normalize: expected measure 'gradient' beside it, got 'entropy'";
const keys = 'ignoredKeys: expected';
const [option, type] = ['invalid-option', 'invalid-type'];
/** Options that a layer cannot be measured with, and the error. */
const errors = [
  [{ batches }, option, needed],
  [{ batches, loss: { value: 3 }, measure: 'ablation' }, type, given],
  ...[undefined, '1', Promise.resolve(1), 1n].map((value) => [
    { batches, loss: { value: () => value }, measure: 'ablation' },
    type,
    /^loss\.value: expected a function that returns a number, got /,
  ]),
  [{ batches, loss: { gradient() {} } }, type, /^loss\.gradient: expected .*, got undefined$/],
  [{ batches, normalize: true, measure: 'entropy' }, option, normalized],
  [{ batches: [], loss: square }, option, 'batches: expected at least one, got none'],
  [
    { batches, loss: { values: 3 } },
    'unknown-option',
    /^loss: .*, got values; did you mean value\?$/,
  ],
  [{ loss: square }, type, 'batches: expected an array, got undefined'],
  [{ batches: [3], measure: 'entropy' }, type, 'batches[0]: expected an object, got 3'],
  [{ batches, onProgress: 3, loss: square }, type, 'onProgress: expected a function, got 3'],
  [{ batches, signal: {}, loss: square }, type, 'signal: expected an AbortSignal, got an object'],
  [ignoring([[1, 0, 0, 0]]), type, `${keys} booleans, got numbers`],
  [ignoring([[true, false, false, false]]), 'invalid-shape', `${keys} (3, 4), got (1, 4)`],
  [
    // Its lowest 32 bits are a shape that fits.
    {
      measure: 'entropy',
      batches: [{ ...none, ignoredKeys: { data: new Uint8Array(), shape: [2 ** 32 + 2, 0] } }],
    },
    'invalid-shape',
    `${keys} (2, 0), got (4294967295, 0)`,
  ],
  [
    ignoring({ data: new Uint8Array(), shape: Array(200_000).fill(0) }),
    'invalid-shape',
    /^ignored/,
  ],
];

test('bad arguments reject the promise', async () => {
  const [layer, model] = [makeLayer(), makeModel()];
  const fails = (of, given, ...error) =>
    assertRejects(() => measureHeadImportance(of, given), ...error);
  for (const [options, ...error] of errors) await fails(layer, options, ...error);
  await fails(model, { batches, losses: 3 }, 'unknown-option', /did you mean loss\?$/);
  const noTargets = 'targets: expected a target for each token, got none';
  await fails(model, { batches: [{ tokens }] }, 'invalid-type', noTargets);
  const kinds = 'layer: expected a MultiHeadAttention or a Transformer, got an object';
  await fails({}, { batches }, 'invalid-type', kinds);
  const gone = new AttentionOnlyTransformer(modelOptions);
  gone.dispose();
  await fails(gone, { batches: [] }, 'disposed', /^model: /);
  const reason = new Error('from the loss');
  const loss = {
    gradient: () => {
      throw reason;
    },
  };
  const measured = measureHeadImportance(layer, { batches: [inputs], loss });
  await assert.rejects(measured, (error) => error === reason);
});
