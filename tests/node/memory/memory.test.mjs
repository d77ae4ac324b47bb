// What the package leaves behind in WebAssembly memory: nothing.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  additiveAttention,
  maskedSoftmax,
  MultiHeadAttention,
  positionalEncoding,
  scaledDotProductAttention,
  splitHeads,
  Tensor,
} from 'headwise';
import { assertFails, assertFailsAndChangesNothing, assertSameResult } from '../lib/compare.mjs';
import { assertForgottenGivesBack, assertLeavesNothing, withoutGrowth } from '../lib/memory.mjs';

const options = { numHiddens: 8, numHeads: 2, seed: 1 };

const X = Tensor.randn([2, 3, 4], 1);
const given = { validLens: [2, 3], returnWeights: true };

test('a leak would be seen', () => {
  const layers = [];
  const leak = () => layers.push(new MultiHeadAttention(options));
  assert.throws(() => assertLeavesNothing(leak, 100), assert.AssertionError);
  layers.forEach((layer) => layer.dispose());
});

test('10,000 forwards leave the heap where it was', () => {
  const layer = new MultiHeadAttention({ ...options, dropout: 0.5 }).train();
  assertLeavesNothing((i) => layer.forward(X, X, X, i % 2 === 0 ? given : {}));
  layer.dispose();
});

test('10,000 forwards with masks, gates and a cache leave the heap where it was', () => {
  const layer = new MultiHeadAttention({ ...options, numKvHeads: 1, biasKv: true });
  const out = { output: new Float32Array(48), attentionWeights: Tensor.zeros([2, 2, 3, 7]) };
  const masks = [
    { mask: [[[[true, false, true, true, true, false]]]], causal: true, headGate: [1, 0] },
    { mask: Tensor.randn([3, 6], 1), window: [2, 0], weightsStage: 'masked' },
    {
      validLens: [
        [4, 0, 5],
        [6, 6, 6],
      ],
      emptyRows: 'uniform',
      out,
    },
  ];
  layer.forward(X, X, X);
  const cache = layer.createCache({ batchSize: 2, maxLength: 6 });
  assertLeavesNothing((i) => {
    if (i % 2 === 0) cache.reset();
    const given = cache.length === 3 ? masks[i % masks.length] : { validLens: [3, 2] };
    layer.forward(X, X, X, { ...given, cache, returnWeights: true });
    if (i % 2 === 1) layer.forward(X, null, null, { cache, causal: 'bottom-right' });
  });
  cache.dispose();
  layer.dispose();
});

test('10,000 caches that come and go leave the heap where it was', () => {
  const layer = new MultiHeadAttention(options);
  layer.forward(X, X, X);
  assertLeavesNothing(() => {
    const cache = layer.createCache({ batchSize: 2, maxLength: 5 });
    layer.forward(X, X, X, { cache });
    cache.dispose();
  });
  layer.dispose();
});

test('10,000 calls of the functions leave the heap where it was', () => {
  const heads = Tensor.randn([2, 2, 3, 4], 1);
  const [W, w_v] = [Tensor.randn([5, 4], 1), Tensor.randn([1, 5], 1)];
  const parameters = { W_q: W, W_k: W, w_v };
  assertLeavesNothing(() => {
    maskedSoftmax(X, [1, 2]);
    scaledDotProductAttention(heads, heads, heads, { ...given, mask: [[true], [false], [true]] });
    additiveAttention(X, X, X, parameters, { ...given, window: [1, 1] });
    splitHeads(X, 2);
    Tensor.randn([3, 5], 1);
  });
});

test('10,000 layers that come and go leave the heap where it was', () => {
  const kinds = [
    { bias: true },
    { projection: 'convolution', pooling: 'additive', biasKv: true },
    { numHiddens: 4, projection: 'none', zeroAttention: true },
  ];
  assertLeavesNothing((i) => {
    const layer = new MultiHeadAttention({ ...options, ...kinds[i % kinds.length] });
    layer.forward(X, X, X, given);
    layer.loadStateDict(layer.stateDict());
    layer.dispose();
  });
});

test('10,000 bad calls leave the heap where it was', () => {
  const layer = new MultiHeadAttention(options);
  const sized = new MultiHeadAttention({ ...options, querySize: 4, keySize: 4, valueSize: 4 });
  const cache = sized.createCache({ batchSize: 2, maxLength: 2 });
  const bad = [
    () => new MultiHeadAttention({ ...options, numHeads: 3 }),
    () => layer.forward(X, X, [[1]]),
    () => layer.forward(X, X, X, { validLens: [9, 9] }),
    () => layer.stateDict(),
    () => layer.loadStateDict({}),
    () => layer.forward(X, X, X, { mask: [[[true]], [[1]]] }),
    () => layer.forward(X, X, X, { returnWeights: true, out: { attentionWeights: [] } }),
    () => layer.createCache({ batchSize: 2, maxLength: 2 }),
    () => sized.createCache({ batchSize: 2, maxLength: 2 ** 31 - 1 }),
    () => sized.forward(X, X, X, { cache }),
  ];
  assertLeavesNothing((i) => assert.throws(bad[i % bad.length], { name: 'HeadwiseError' }));
  cache.dispose();
  [layer, sized].forEach((each) => each.dispose());
});

test('layers and caches that were forgotten give their memory back', () =>
  assertForgottenGivesBack(() => {
    for (let i = 0; i < 50; i++) {
      const size = 200;
      const sizes = { querySize: size, keySize: size, valueSize: size };
      const layer = new MultiHeadAttention({ ...options, ...sizes });
      layer.createCache({ batchSize: 1, maxLength: size });
    }
  }));

const outOfMemory = ['out-of-memory', 'memory: not enough for tensors of these sizes'];

test('more than WebAssembly can address is an error that changes nothing', () => {
  const many = Tensor.ones([1, 40_000, 1]);
  // Weights of 13 GB.
  const call = (layer) => layer.forward(many, many, many, { returnWeights: true });
  assertFailsAndChangesNothing(options, call, ...outOfMemory);
  const heads = Tensor.ones([1, 1, 40_000, 1]);
  assertFails(
    () => scaledDotProductAttention(heads, heads, heads, { returnWeights: true }),
    ...outOfMemory,
  );
  for (const huge of [
    { numHiddens: 2_000_000, numHeads: 1, querySize: 1, keySize: 1, valueSize: 1 },
    { numHiddens: 8, numHeads: 1, querySize: 2_000_000_000, keySize: 1, valueSize: 1 },
    { numHiddens: 8, numHeads: 1, outputSize: 2 ** 31 - 1, querySize: 1, keySize: 1, valueSize: 1 },
    {
      ...{ numHiddens: 8, numHeads: 1, pooling: 'additive', attentionHiddens: 2 ** 29 },
      ...{ querySize: 1, keySize: 1, valueSize: 1 },
    },
  ]) {
    assertFails(() => new MultiHeadAttention(huge), ...outOfMemory);
  }
  const longest = 2 ** 31 - 1;
  assertFails(() => positionalEncoding(longest, longest), ...outOfMemory);
});

test('memory that cannot grow is an error, and the next call works', () => {
  const big = Tensor.ones([1, 5000, 5000]); // 100 MB
  const wide = Tensor.ones([1, 1, 1_000_000]); // 4 MB, but 200 MB of parameters
  withoutGrowth(() => {
    for (const inputs of [big, wide]) {
      const call = (layer) => layer.forward(inputs, inputs, inputs);
      assertFailsAndChangesNothing(options, call, ...outOfMemory);
    }
    const sized = { ...options, querySize: 4, keySize: 4, valueSize: 4 };
    const createCache = (layer) => layer.createCache({ batchSize: 100, maxLength: 50_000 });
    assertFailsAndChangesNothing(sized, createCache, ...outOfMemory);
    const size = 5000;
    const huge = { ...options, numHiddens: size, querySize: size, keySize: size, valueSize: size };
    assertFails(() => new MultiHeadAttention(huge), ...outOfMemory);
    assertFails(() => maskedSoftmax(big), ...outOfMemory);
    assertFails(() => Tensor.randn(big.shape, 1), ...outOfMemory);
    assert.deepEqual(maskedSoftmax([[[1, 1]]]).toArray(), [[[0.5, 0.5]]]);
  });
  assert.deepEqual(maskedSoftmax(big).shape, big.shape);
});

test('when layers fill all memory, the one too many is an error and the others work', () => {
  withoutGrowth(() => {
    const size = 100;
    const make = () =>
      new MultiHeadAttention({ ...options, querySize: size, keySize: size, valueSize: size });
    const Y = Tensor.randn([1, 2, size], 1);
    const layers = [make()];
    const expected = layers[0].forward(Y, Y, Y);
    assertFails(
      () => {
        for (;;) layers.push(make());
      },
      ...outOfMemory,
    );
    for (const layer of layers) assertSameResult(layer.forward(Y, Y, Y), expected);
    layers.pop().dispose();
    layers.push(make());
    layers.forEach((layer) => layer.dispose());
  });
});
