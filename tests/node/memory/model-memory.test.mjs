// What models leave behind in WebAssembly memory: nothing.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AttentionOnlyTransformer,
  inductionScores,
  InductionTask,
  keyScores,
  measureHeadImportance,
  MultiHeadAttention,
  patternScores,
  SGD,
  Transformer,
} from 'headwise';
import { checkpointNames, readCheckpoint } from '../lib/checkpoints.mjs';
import { assertFails, assertRejects } from '../lib/compare.mjs';
import {
  assertForgottenGivesBack,
  assertLeavesNothing,
  usedMemory,
  withoutGrowth,
} from '../lib/memory.mjs';
import * as observed from '../lib/observe.mjs';
import { kinds } from '../lib/transformer-kinds.mjs';

const task = new InductionTask({ numSymbols: 5, length: 8, minPeriod: 2, maxPeriod: 4 });
const batch = task.batch(1, 2);
const { tokens, targets, keys } = batch;
const options = {
  ...{ vocabularySize: 5, maxLength: 8, numHiddens: 8, numHeads: 2, numLayers: 2 },
  ...{ positions: 'learned', layerNorm: true, dropout: 0.5, seed: 1 },
};
const outOfMemory = ['out-of-memory', 'memory: not enough for tensors of these sizes'];

test('thousands of steps and passes leave the heap where it was', () => {
  const model = new AttentionOnlyTransformer(options);
  const sgd = new SGD(model, { momentum: 0.5 });
  const passes = [
    () => model.trainStep(tokens, targets),
    () => model.trainStep(tokens, targets, sgd),
    () => model.forward(tokens, { headGates: [[1, 0], undefined], returnWeights: true }),
    () => model.lossAndGradients(tokens, targets, { headGates: [undefined, [1, 0]] }),
    () => model.loss(tokens, targets),
    () => model.loadStateDict(model.stateDict()),
    () => model.gradients(),
  ];
  assertLeavesNothing((i) => passes[i % passes.length](), 3000);
  [sgd, model].forEach((each) => each.dispose());
});

test('thousands of models that come and go leave the heap where it was', () => {
  assertLeavesNothing((i) => {
    const model = new AttentionOnlyTransformer({ ...options, bias: i % 2 === 0 });
    model.trainStep(tokens, targets);
    model.pruneHeads({ [i % 2]: [1] });
    model.trainStep(tokens, targets);
    model.dispose();
  }, 1000);
});

test('thousands of batches and scores leave the heap where it was', () => {
  const model = new AttentionOnlyTransformer(options);
  const [weights] = model.forward(tokens, { returnWeights: true }).attentionWeights;
  assertLeavesNothing((i) => {
    task.batch(i, 3);
    patternScores(weights, { causal: true });
    inductionScores(weights, tokens);
    keyScores(weights, keys);
  }, 3000);
  model.dispose();
});

test('thousands of bad calls leave the heap where it was', () => {
  const model = new AttentionOnlyTransformer(options);
  const bad = [
    () => new AttentionOnlyTransformer({ ...options, optimizer: { betas: [1, 1] } }),
    () => model.forward([[9]]),
    () => model.trainStep(tokens, [[0]]),
    () => model.loadStateDict({}),
    () => model.pruneHeads({ 0: [0], 1: [7] }),
    () => keyScores([[[[1]]]], [[1]]),
  ];
  assertLeavesNothing((i) => assert.throws(bad[i % bad.length], { name: 'HeadwiseError' }), 3000);
  model.dispose();
});

test('measuring leaves nothing, when it is aborted neither', async () => {
  const model = new AttentionOnlyTransformer(options);
  const X = [[[1, 2, 3, 4, 5, 6, 7, 8]]];
  const layer = new MultiHeadAttention({ numHiddens: 8, numHeads: 2, seed: 1 });
  const inputs = { queries: X, keys: X, values: X };
  const measureAll = async () => {
    for (const measure of ['gradient', 'ablation', 'entropy']) {
      await measureHeadImportance(model, { measure, batches: [batch] });
      const signal = AbortSignal.abort();
      await assert.rejects(measureHeadImportance(model, { measure, batches: [batch], signal }));
    }
    await measureHeadImportance(layer, { measure: 'confidence', batches: [inputs] });
  };
  for (let i = 0; i < 20; i++) await measureAll();
  const used = usedMemory();
  for (let i = 0; i < 100; i++) await measureAll();
  assert.equal(usedMemory(), used);
  [model, layer].forEach((each) => each.dispose());
});

test('models that were forgotten give their memory back', () =>
  assertForgottenGivesBack(() => {
    for (let i = 0; i < 20; i++) {
      new AttentionOnlyTransformer({ ...options, numHiddens: 100 }).trainStep(tokens, targets);
    }
  }));

test('more than WebAssembly can address is an error', () => {
  for (const huge of [
    { vocabularySize: 2 ** 31 - 1 },
    { maxLength: 2 ** 31 - 1 },
    { numHiddens: 2 ** 30 },
    { numLayers: 2 ** 31 - 1 },
  ]) {
    assertFails(() => new AttentionOnlyTransformer({ ...options, ...huge }), ...outOfMemory);
  }
});

/** Layers of 200 hidden units until there is no room for another. */
function fillMemory() {
  const size = 200;
  const sizes = { querySize: size, keySize: size, valueSize: size };
  const layers = [];
  assertFails(
    () => {
      for (;;) layers.push(new MultiHeadAttention({ numHiddens: size, numHeads: 2, ...sizes }));
    },
    ...outOfMemory,
  );
  return layers;
}

test('what finds no room changes nothing, and works when there is some', async () => {
  const big = { ...options, numHiddens: 600 };
  const [model, twin] = [0, 1].map(() => new AttentionOnlyTransformer(big));
  const before = model.stateDict();
  const many = task.batch(1, 1000);
  const zeros = model.gradients();
  const checkUnchanged = () => {
    assert.deepEqual(model.stateDict(), before);
    assert.deepEqual(model.gradients(), zeros);
    assert.deepEqual(model.numHeads, [2, 2]);
    assert.equal(model.training, false);
  };
  // Working memory of a step there is, but none for what it keeps.
  twin.loss(tokens, targets);
  const unused = [];
  withoutGrowth(() => {
    unused.push(...fillMemory());
    for (const call of [
      () => model.lossAndGradients(tokens, targets),
      () => model.trainStep(tokens, targets),
      () => model.trainStep(many.tokens, many.targets),
      () => model.forward(many.tokens, { returnWeights: true }),
      () => model.pruneHeads({ 0: [1], 1: [0] }),
      () => new AttentionOnlyTransformer(big),
    ]) {
      assertFails(call, ...outOfMemory);
      checkUnchanged();
    }
  });
  unused.forEach((layer) => layer.dispose());
  // The dropout of the next step is what it would have been.
  assert.equal(model.trainStep(tokens, targets), twin.trainStep(tokens, targets));
  assert.deepEqual(model.stateDict(), twin.stateDict());
  model.pruneHeads({ 0: [1], 1: [0] });
  assert.deepEqual(model.numHeads, [1, 1]);
  [model, twin].forEach((each) => each.dispose());
});

test('a first step for whose optimizer there is no room changes nothing', () => {
  // Room for what the pass keeps, some 9 MB, but not for Adam's 18 MB besides.
  const wide = { ...options, numHiddens: 700, numLayers: 1 };
  const [model, twin] = [0, 1].map(() => new AttentionOnlyTransformer(wide));
  const before = model.stateDict();
  twin.lossAndGradients(tokens, targets);
  let room = [];
  withoutGrowth(() => {
    const layers = fillMemory();
    room = layers.splice(0, 10);
    room.forEach((layer) => layer.dispose());
    assertFails(() => model.trainStep(tokens, targets), ...outOfMemory);
    assert.deepEqual(model.stateDict(), before);
    assert.ok(model.gradients()['norm.bias'].data.every((number) => number === 0));
    layers.forEach((layer) => layer.dispose());
  });
  assert.equal(model.trainStep(tokens, targets), twin.trainStep(tokens, targets));
  [model, twin].forEach((each) => each.dispose());
});

test('with room to prune one layer but not the other, none is pruned', () => {
  const model = new AttentionOnlyTransformer({ ...options, numHiddens: 600, numHeads: 6 });
  model.pruneHeads({ 0: [1, 2, 3, 4] });
  const before = model.stateDict();
  withoutGrowth(() => {
    const layers = fillMemory();
    const prune = () => model.pruneHeads({ 0: [0], 1: [0] });
    let failures = 0;
    for (; model.numHeads[0] === 2 && layers.length > 0; layers.shift().dispose()) {
      try {
        prune();
      } catch ({ code }) {
        assert.equal(code, 'out-of-memory');
        assert.deepEqual(model.stateDict(), before);
        failures++;
      }
    }
    assert.ok(failures > 0);
    layers.forEach((layer) => layer.dispose());
  });
  if (model.numHeads[0] === 2) model.pruneHeads({ 0: [0], 1: [0] });
  assert.deepEqual(model.numHeads, [1, 5]);
  model.dispose();
});

test('measuring a model of which there is no room for a copy is an error', async () => {
  const model = new AttentionOnlyTransformer({ ...options, numHiddens: 600 });
  let layers = [];
  let rejected;
  withoutGrowth(() => {
    layers = fillMemory();
    rejected = assertRejects(
      () => measureHeadImportance(model, { batches: [batch] }),
      ...outOfMemory,
    );
  });
  await rejected;
  layers.forEach((layer) => layer.dispose());
  assert.equal((await measureHeadImportance(model, { batches: [batch] })).length, 2);
  model.dispose();
});

/** Every family's checkpoint and every kind by options: how to make one, and what its passes take. */
const transformers = [
  ...checkpointNames.map((name) => {
    const checkpoint = readCheckpoint(name);
    const { input, options: given, model, config } = checkpoint;
    return [model, { input, given, targets: config.patch_size ? undefined : checkpoint.targets() }];
  }),
  ...Object.values(kinds).map(({ options: ofKind, input, given }) => [
    () => new Transformer(ofKind),
    { input, given, targets: ofKind.vocabularySize ? observed.targets : undefined },
  ]),
];

/** All that a model can do in its life. */
function live(make, { input, given, targets: asked }) {
  const model = make();
  const { hidden } = model.forward(input, { ...given, returnWeights: true, requiresGrad: true });
  model.backward(hidden);
  if (asked && model.forward(input, given).logits) {
    model.trainStep(input, asked, undefined, given);
    const sgd = new SGD(model, { momentum: 0.5 });
    model.trainStep(input, asked, sgd, given);
    sgd.dispose();
  }
  const sides = model.numEncoderLayers > 0 ? ['self', 'cross', 'encoder'] : ['self'];
  for (const side of sides) model.pruneHeads({ 0: [] }, { side });
  const { numHeads, numKvHeads } = model.attention(0);
  const group = Array.from({ length: numHeads / numKvHeads }, (_, head) => head);
  if (numKvHeads > 1) model.pruneHeads({ 0: group });
  model.forward(input, given);
  model.dispose();
}

test('thousands of transformers of every kind that come and go leave the heap where it was', () => {
  assertLeavesNothing((i) => live(...transformers[i % transformers.length]), 1000);
});

test('generating leaves nothing, when it is aborted neither', async () => {
  const models = ['gpt2-a', 'bart-a'].map((name) => readCheckpoint(name).model());
  const generateAll = async () => {
    for (const model of models) {
      const source = model.numEncoderLayers > 0 ? [3, 4] : undefined;
      const given = { maxNewTokens: 4, temperature: 1, seed: 1, source };
      await model.generate([1, 2], given);
      const stop = new Error('enough');
      const onToken = () => {
        throw stop;
      };
      await assert.rejects(
        model.generate([1, 2], { ...given, onToken }),
        (error) => error === stop,
      );
      await assert.rejects(model.generate([1, 2], { ...given, signal: AbortSignal.abort() }));
    }
  };
  for (let i = 0; i < 20; i++) await generateAll();
  const used = usedMemory();
  for (let i = 0; i < 100; i++) await generateAll();
  assert.equal(usedMemory(), used);
  models.forEach((model) => model.dispose());
});

test('transformers that were forgotten give their memory back, with their caches', () =>
  assertForgottenGivesBack(() => {
    for (let i = 0; i < 20; i++) {
      const model = new Transformer({ ...kinds.decoder.options, numHiddens: 96 });
      model.forward([1, 2], { cache: model.createCache({ batchSize: 1, maxLength: 20 }) });
      model.attention(0).createCache({ batchSize: 1, maxLength: 20 });
    }
  }));

test('a layer that is held keeps its model', async () => {
  const wide = { vocabularySize: 5, maxLength: 4, numHiddens: 100, numHeads: 2, seed: 1 };
  const layers = Array.from({ length: 10 }, () => new Transformer(wide).attention(0));
  const expected = layers[0].stateDict();
  // What is given back is taken again, by models that are forgotten in turn.
  await assertForgottenGivesBack(() => {
    for (let i = 0; i < 20; i++) new Transformer({ ...wide, seed: 2 + i }).forward([1, 2]);
  });
  for (const layer of layers) {
    assert.deepEqual(layer.stateDict(), expected);
    layer.forward([Array(100).fill(1)], [Array(100).fill(1)], [Array(100).fill(1)]);
  }
});
