// What measuring heads promises beside the numbers, which the calls.test.mjs of layer and models check.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AttentionOnlyTransformer,
  init,
  measureHeadImportance,
  MultiHeadAttention,
  Tensor,
} from 'headwise';
import { assertRejects, assertSameResult, maxDifference } from '../lib/compare.mjs';

await init();

const measures = ['gradient', 'ablation', 'confidence', 'entropy'];

const layerOptions = { numHiddens: 6, numHeads: 3, seed: 1 };
const inputsOf = (batch, seed = 1) => ({
  queries: Tensor.randn([batch, 5, 6], seed),
  keys: Tensor.randn([batch, 4, 6], seed + 1),
  values: Tensor.randn([batch, 4, 6], seed + 2),
});

const dot = (x, y) => x.reduce((total, value, i) => total + value * y[i], 0);
/** Σ output² */
const square = {
  value: ({ data }) => dot(data, data),
  gradient: ({ data, shape }) => ({ data: data.map((value) => 2 * value), shape }),
};

const withLayer = async (options, use) => {
  const layer = new MultiHeadAttention({ ...layerOptions, ...options });
  await use(layer);
  layer.dispose();
};

const modelOptions = {
  ...{ vocabularySize: 5, maxLength: 6, numHiddens: 6, numHeads: 3, numLayers: 2 },
  ...{ layerNorm: true, seed: 1 },
};
const tokens = [
  [0, 1, 2, 3],
  [4, 4, 0, 1],
  [2, 0, 2, 1],
];
// As many as there are differs from sample to sample.
const targets = [
  [1, 2, 3, 4],
  [-1, -1, -1, 2],
  [-1, 2, -1, 0],
];
const batchOf = (begin, end) => {
  return { tokens: tokens.slice(begin, end), targets: targets.slice(begin, end) };
};
/** Two layers, of three heads and of one. */
const withModel = async (options, use) => {
  const model = new AttentionOnlyTransformer({ ...modelOptions, ...options });
  model.pruneHeads({ 1: [0, 2] });
  await use(model);
  model.dispose();
};

test('importance does not depend on how samples are batched', async () => {
  const whole = inputsOf(3);
  const samples = (from, to) =>
    Object.fromEntries(
      Object.entries(whole).map(([name, tensor]) => [name, tensor.slice([from, to])]),
    );
  // One sample needs no batch axis.
  const alone = Object.fromEntries(
    Object.entries(samples(0, 1)).map(([name, { data, shape }]) => [
      name,
      new Tensor(data, shape.slice(1)),
    ]),
  );
  await withLayer({}, (layer) =>
    withModel({}, async (model) => {
      for (const measure of measures) {
        const measured = async (batches, tokenBatches) => [
          ...(await measureHeadImportance(layer, { measure, batches, loss: square })),
          ...(await measureHeadImportance(model, { measure, batches: tokenBatches })).flat(),
        ];
        const expected = await measured([whole], [batchOf(0, 3)]);
        assert.equal(expected.length, 7);
        assert.ok(expected.every((number) => number !== 0));
        const cut = await measured([alone, samples(1, 3)], [batchOf(0, 1), batchOf(1, 3)]);
        assert.ok(maxDifference(cut, expected) <= 1e-5, measure);
        const none = await measured([], []);
        assert.deepEqual(none, new Array(7).fill(0));
      }
    }),
  );
});

test('what is measured stays as it was, sizes that are not known included, without dropout', async () => {
  await withLayer({ dropout: 0.5 }, (layer) =>
    withLayer({ dropout: 0.5 }, async (twin) => {
      const batch = inputsOf(2);
      const { queries, keys, values } = batch;
      const measure = async () => {
        for (const measure of measures) {
          const given = { measure, batches: [batch], loss: square };
          const first = await measureHeadImportance(layer, given);
          assert.deepEqual(await measureHeadImportance(layer, given), first);
        }
      };
      await measure();
      assert.equal(layer.querySize, undefined);
      for (const each of [layer, twin]) {
        each.train().forward(queries, keys, values, { requiresGrad: true });
      }
      await measure();
      assert.equal(layer.training, true);
      assert.deepEqual(layer.gradients(), twin.gradients());
      const gradOutput = Tensor.randn([2, 5, 6], 7);
      assert.deepEqual(layer.backward(gradOutput), twin.backward(gradOutput));
      assertSameResult(layer.forward(queries, keys, values), twin.forward(queries, keys, values));
    }),
  );
  await withModel({ dropout: 0.5 }, (model) =>
    withModel({ dropout: 0.5 }, async (twin) => {
      for (const each of [model, twin]) each.train().lossAndGradients(tokens, targets);
      for (const measure of measures) {
        const given = { measure, batches: [batchOf(0, 3)] };
        const first = await measureHeadImportance(model, given);
        assert.deepEqual(await measureHeadImportance(model, given), first);
      }
      assert.equal(model.training, true);
      assert.deepEqual(model.gradients(), twin.gradients());
      assert.equal(model.trainStep(tokens, targets), twin.trainStep(tokens, targets));
    }),
  );
});

test('progress counts every pass, and an abort before any pass ends it', () =>
  withModel({}, async (model) => {
    const batches = [batchOf(0, 1), batchOf(1, 3)];
    for (const [measure, total] of [
      ['gradient', 2],
      ['ablation', 10],
      ['confidence', 2],
      ['entropy', 2],
    ]) {
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
        const rejected = measureHeadImportance(model, given);
        await assert.rejects(rejected, (error) => error === reason);
        assert.equal(passes, last + 1);
      }
    }
  }));

test('it is measured as things were at the call, while the event loop goes on', () =>
  withLayer({}, async (layer) => {
    const batches = Array.from({ length: 12 }, (_, i) => inputsOf(1, i));
    const slow = { ...square, value: busyFor(3) };
    const given = { measure: 'ablation', batches, loss: slow };
    const before = await measureHeadImportance(layer, { ...given, loss: square });
    const other = new MultiHeadAttention(layerOptions);
    let turns = 0;
    const timer = setInterval(() => {
      turns++;
      other.forward(inputsOf(9).queries, inputsOf(9).keys, inputsOf(9).values);
    }, 1);
    const measured = measureHeadImportance(layer, given);
    layer.dispose();
    assert.deepEqual(await measured, before);
    clearInterval(timer);
    other.dispose();
    assert.ok(turns >= 3, `${turns} turns`);
  }));

/** A loss that takes so many milliseconds. */
function busyFor(milliseconds) {
  return (output) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    return square.value(output);
  };
}

test('a promise is aborted from outside, with the signal’s reason', () =>
  withLayer({}, async (layer) => {
    const batches = Array.from({ length: 200 }, () => inputsOf(1));
    const loss = { value: busyFor(2) };
    const controller = new AbortController();
    const { signal } = controller;
    setTimeout(() => controller.abort(), 20);
    const measured = measureHeadImportance(layer, { measure: 'ablation', batches, loss, signal });
    await assert.rejects(measured, { name: 'AbortError' });
    const aborted = measureHeadImportance(layer, { batches, loss: square, signal });
    await assert.rejects(aborted, (error) => error === signal.reason);
  }));

test('what cannot be measured is an error, by rejection', () =>
  withLayer({}, (layer) =>
    withModel({}, async (model) => {
      const batches = [inputsOf(2)];
      const fails = (given, code, message, of = layer) =>
        assertRejects(() => measureHeadImportance(of, given), code, message);
      const option = 'invalid-option';
      const type = 'invalid-type';
      await fails(
        { batches },
        option,
        "loss: expected its gradient beside measure 'gradient', got none",
      );
      await fails(
        { batches, loss: { value: 3 }, measure: 'ablation' },
        option,
        "loss: expected its value beside measure 'ablation', got 3",
      );
      await fails(
        { batches, loss: { values: 3 } },
        'unknown-option',
        'loss: expected only value, gradient, got values; did you mean value?',
      );
      await fails({ batches, measure: 'weights' }, option, /^measure: expected 'gradient', /);
      await fails(
        { batches, normalize: true, measure: 'entropy' },
        option,
        "normalize: expected measure 'gradient' beside it, got 'entropy'",
      );
      await fails({ loss: square }, type, 'batches: expected an array, got undefined');
      await fails(
        { batches: [3], measure: 'entropy' },
        type,
        'batches[0]: expected an object, got 3',
      );
      await fails(
        { batches, onProgress: 3, loss: square },
        type,
        'onProgress: expected a function, got 3',
      );
      await fails(
        { batches, signal: {}, loss: square },
        type,
        'signal: expected an AbortSignal, got an object',
      );
      await fails(
        { batches, model },
        'unknown-option',
        /^options: expected only measure, normalize, onProgress, signal, batches, loss, got model$/,
      );
      await fails(
        { batches: [{ ...inputsOf(2), headGate: [1] }], measure: 'entropy' },
        'unknown-option',
        /^batches\[0\]: expected only queries, .* got headGate$/,
      );
      const ignoring = (ignoredKeys) => {
        return { measure: 'confidence', batches: [{ ...inputsOf(2), ignoredKeys }] };
      };
      await fails(
        ignoring([[true, false, false, false]]),
        'invalid-shape',
        'ignoredKeys: expected (2, 4), got (1, 4)',
      );
      await fails(ignoring([[1, 0, 0, 0]]), type, 'ignoredKeys: expected booleans, got numbers');
      await fails(
        { batches: [{ ...inputsOf(2), values: [[[1]]] }], measure: 'entropy' },
        'invalid-shape',
        /^values: expected \(2, 4, valueSize\)/,
      );
      await fails(
        { batches, losses: square },
        'unknown-option',
        /got losses; did you mean loss\?$/,
        model,
      );
      await fails({ batches: [{ tokens }] }, 'invalid-shape', /^targets: expected/, model);
      await fails(
        { batches },
        type,
        'layer: expected a MultiHeadAttention or a Transformer, got an object',
        {},
      );
      const gone = new AttentionOnlyTransformer(modelOptions);
      gone.dispose();
      await fails({ batches: [] }, 'disposed', /^model: /, gone);
      const reason = new Error('from the loss');
      const throws = {
        gradient: () => {
          throw reason;
        },
      };
      await assert.rejects(
        measureHeadImportance(layer, { batches, loss: throws }),
        (error) => error === reason,
      );
    }),
  ));
