// What each measure tells of the heads of layers and models.
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

// A layer

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

test('a layer: gradient is the mean of every sample’s |∂loss/∂gate|', () =>
  withLayer({}, async (layer) => {
    const [first, second] = [inputsOf(2), inputsOf(3, 9)];
    const sums = [0, 0, 0];
    for (const { queries, keys, values } of [first, second]) {
      const { output } = layer.forward(queries, keys, values, { requiresGrad: true });
      const { headGate } = layer.backward(square.gradient(output));
      headGate.data.forEach((gradient, i) => (sums[i % 3] += Math.abs(gradient)));
    }
    const expected = sums.map((sum) => sum / 5);
    const given = { batches: [first, second], loss: square };
    assert.ok(maxDifference(await measureHeadImportance(layer, given), expected) <= 1e-5);
    const normalized = await measureHeadImportance(layer, { ...given, normalize: true });
    assert.ok(
      maxDifference(
        normalized,
        expected.map((x) => x / Math.hypot(...expected)),
      ) <= 1e-6,
    );
  }));

test('a layer: ablation is how much the loss grows without the head', () =>
  withLayer({}, async (layer) => {
    const batch = { ...inputsOf(2), validLens: [3, 2] };
    const loss = (headGate) =>
      square.value(
        layer.forward(batch.queries, batch.keys, batch.values, { validLens: [3, 2], headGate })
          .output,
      );
    const expected = [0, 1, 2].map((h) => {
      const gate = [1, 1, 1];
      gate[h] = 0;
      return (loss(gate) - loss([1, 1, 1])) / 2;
    });
    const measured = { measure: 'ablation', batches: [batch], loss: square };
    assert.ok(maxDifference(await measureHeadImportance(layer, measured), expected) <= 1e-5);
    assert.ok(expected.every((number) => number !== 0));
  }));

const entropyOf = (weights) => weights.reduce((sum, w) => sum - w * Math.log(w), 0);

test('a layer: confidence and entropy are means over the queries that see a key', async () => {
  // Head 0 scores ln 3, 0, 0 and is uniform for its second query; head 1 is uniform always.
  const layer = new MultiHeadAttention({
    numHiddens: 4,
    numHeads: 2,
    projection: 'none',
    scale: 1,
  });
  const queries = [
    [
      [1, 0, 0, 0],
      [0, 0, 0, 0],
      [9, 9, 9, 9],
    ],
  ];
  const keys = [
    [
      [Math.log(3), 0, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ],
  ];
  const batch = { queries, keys, values: keys, validLens: [[3, 3, 0]] };
  const measured = (measure, ...batches) => measureHeadImportance(layer, { measure, batches });
  const near = (actual, expected) => assert.ok(maxDifference(actual, expected) <= 1e-6);
  near(await measured('confidence', batch), [(3 / 5 + 1 / 3) / 2, 1 / 3]);
  near(await measured('entropy', batch), [
    (entropyOf([0.6, 0.2, 0.2]) + Math.log(3)) / 2,
    Math.log(3),
  ]);
  // Another batch of one query counts as one query, not as a batch; it needs no batch axis.
  const second = { queries: [[1, 0, 1, 0]], keys: keys[0], values: keys[0], validLens: [1] };
  near((await measured('confidence', batch, second)).slice(1), [((1 / 3) * 2 + 1) / 3]);
  near((await measured('entropy', batch, second)).slice(1), [(Math.log(3) * 2) / 3]);

  const ignoring = { ...batch, ignoredKeys: [[true, false, false]] };
  near((await measured('confidence', ignoring)).slice(0, 1), [(0.2 + 1 / 3) / 2]);
  assert.deepEqual(await measured('entropy', ignoring), await measured('entropy', batch));
  assert.deepEqual(await measured('confidence', { ...batch, validLens: [0] }), [0, 0]);
  assert.deepEqual(await measured('entropy'), [0, 0]);
  layer.dispose();
});

test('extra slots are no keys to be confident of, and belong to the entropy', () =>
  withLayer({ zeroAttention: true }, async (layer) => {
    const batch = inputsOf(1);
    const { attentionWeights } = layer.forward(batch.queries, batch.keys, batch.values, {
      returnWeights: true,
    });
    const rows = attentionWeights.toArray()[0];
    const means = (number) =>
      rows.map((head) => head.reduce((sum, row) => sum + number(row), 0) / 5);
    const measured = (measure) => measureHeadImportance(layer, { measure, batches: [batch] });
    const confidence = means((row) => Math.max(...row.slice(0, 4)));
    assert.ok(maxDifference(await measured('confidence'), confidence) <= 1e-6);
    assert.ok(maxDifference(await measured('entropy'), means(entropyOf)) <= 1e-6);

    // The slot, of score 0, outweighs keys of lower scores.
    const splitting = { numHiddens: 1, numHeads: 1, projection: 'none', zeroAttention: true };
    const alone = new MultiHeadAttention(splitting);
    const given = { queries: [[1]], keys: [[-Math.log(3)]], values: [[1]] };
    const low = await measureHeadImportance(alone, { measure: 'confidence', batches: [given] });
    assert.ok(maxDifference(low, [0.25]) <= 1e-6);
    alone.dispose();
  }));

test('a measured layer stays as it was, and is measured without dropout', () =>
  withLayer({ dropout: 0.5 }, (layer) =>
    withLayer({ dropout: 0.5 }, async (twin) => {
      const batch = inputsOf(2);
      const { queries, keys, values } = batch;
      for (const each of [layer, twin]) {
        each.train().forward(queries, keys, values, { requiresGrad: true });
      }
      for (const measure of measures) {
        const given = { measure, batches: [batch], loss: square };
        const first = await measureHeadImportance(layer, given);
        assert.deepEqual(await measureHeadImportance(layer, given), first);
      }
      assert.equal(layer.training, true);
      assert.deepEqual(layer.gradients(), twin.gradients());
      const gradOutput = Tensor.randn([2, 5, 6], 7);
      assert.deepEqual(layer.backward(gradOutput), twin.backward(gradOutput));
      assertSameResult(layer.forward(queries, keys, values), twin.forward(queries, keys, values));
    }),
  ));

test('every kind of layer is measured, pruned ones and those without sizes too', async () => {
  const kinds = [
    { bias: true, biasKv: true, softcap: 2, scale: 0.3, outputSize: 4 },
    { pooling: 'additive', attentionHiddens: 5 },
    { projection: 'convolution' },
    { projection: 'none', zeroAttention: true },
    { numKvHeads: 1 },
  ];
  for (const kind of kinds) {
    await withLayer(kind, async (layer) => {
      const given = { batches: [inputsOf(2)], loss: square };
      const before = await measureHeadImportance(layer, given);
      // Sizes that are not known yet are not learnt from measuring.
      assert.equal(layer.querySize, kind.projection === 'none' ? 6 : undefined);
      const { queries, keys, values } = inputsOf(2);
      layer.forward(queries, keys, values);
      assert.deepEqual(await measureHeadImportance(layer, given), before);
      assert.ok(before.every((number) => number > 0));
    });
  }
  await withLayer({}, async (layer) => {
    const given = { batches: [inputsOf(2)], measure: 'entropy' };
    const before = await measureHeadImportance(layer, given);
    const { queries, keys, values } = inputsOf(2);
    layer.forward(queries, keys, values);
    layer.pruneHeads([1]);
    assert.deepEqual(await measureHeadImportance(layer, given), [before[0], before[2]]);
  });
});

// A model

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
/** The same three samples, cut into batches in several ways. */
const allBatches = [
  [batchOf(0, 3)],
  [batchOf(0, 1), batchOf(1, 3)],
  [batchOf(0, 1), batchOf(1, 2), batchOf(2, 3)],
];

/** Two layers, of three heads and of one. */
const withModel = async (options, use) => {
  const model = new AttentionOnlyTransformer({ ...modelOptions, ...options });
  model.pruneHeads({ 1: [0, 2] });
  await use(model);
  model.dispose();
};

const assertSame = (actual, expected, tolerance) => {
  assert.deepEqual(
    actual.map(({ length }) => length),
    [3, 1],
  );
  assert.ok(maxDifference(actual.flat(), expected.flat()) <= tolerance);
};

test('a model: gradients are those of every sample alone, however samples are batched', () =>
  withModel({}, async (model) => {
    const expected = [[0, 0, 0], [0]];
    for (const [sample, asked] of [4, 1, 2].entries()) {
      const batch = batchOf(sample, sample + 1);
      model.lossAndGradients(batch.tokens, batch.targets).headGates.forEach(({ data }, layer) => {
        data.forEach((gradient, h) => (expected[layer][h] += (Math.abs(gradient) * asked) / 7));
      });
    }
    for (const batches of allBatches) {
      assertSame(await measureHeadImportance(model, { batches }), expected, 1e-6);
    }
    const norm = Math.hypot(...expected[0]);
    const normalized = [expected[0].map((number) => number / norm), [1]];
    const given = { batches: allBatches[1], normalize: true };
    assertSame(await measureHeadImportance(model, given), normalized, 1e-5);
  }));

test('a model: ablation is how much its loss grows, however samples are batched', () =>
  withModel({}, async (model) => {
    const loss = (...headGates) => model.loss(tokens, targets, { headGates });
    const all = loss([1, 1, 1], [1]);
    const expected = [
      [loss([0, 1, 1], [1]) - all, loss([1, 0, 1], [1]) - all, loss([1, 1, 0], [1]) - all],
      [loss([1, 1, 1], [0]) - all],
    ];
    for (const batches of allBatches) {
      assertSame(
        await measureHeadImportance(model, { measure: 'ablation', batches }),
        expected,
        2e-6,
      );
    }
  }));

test('a model: confidence and entropy are those of its weights, and need no targets', () =>
  withModel({}, async (model) => {
    const { attentionWeights } = model.forward(tokens, { returnWeights: true });
    const means = (number) =>
      attentionWeights.map((weights) => {
        const samples = weights.toArray();
        return samples[0].map((_, h) => {
          const rows = samples.flatMap((heads) => heads[h]);
          return rows.reduce((sum, row) => sum + number(row), 0) / rows.length;
        });
      });
    const visible = (row) => row.filter((weight) => weight > 0);
    const batches = [{ tokens: tokens.slice(0, 1) }, { tokens: tokens.slice(1), keys: [] }];
    const measured = (measure) => measureHeadImportance(model, { measure, batches });
    assertSame(
      await measured('confidence'),
      means((row) => Math.max(...row)),
      1e-6,
    );
    assertSame(
      await measured('entropy'),
      means((row) => entropyOf(visible(row))),
      1e-6,
    );
  }));

test('a measured model stays as it was, and is measured without dropout', () =>
  withModel({ dropout: 0.5 }, (model) =>
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
  ));

// Progress and cancellation

test('progress counts every pass, and an abort before any pass ends it', () =>
  withModel({}, async (model) => {
    const batches = allBatches[1];
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
    const batches = Array.from({ length: 40 }, (_, i) => inputsOf(1, i));
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
