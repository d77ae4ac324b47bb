// What training leaves behind in WebAssembly memory: nothing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Adam, clipGradientNorm, MultiHeadAttention, SGD, Tensor } from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from '../lib/compare.mjs';
import { assertLeavesNothing, withoutGrowth } from '../lib/memory.mjs';

const options = { numHiddens: 8, numHeads: 2, seed: 1 };
const X = Tensor.randn([2, 3, 4], 1);
const gradOutput = Tensor.ones([2, 3, 8]);
const outOfMemory = ['out-of-memory', 'memory: not enough for tensors of these sizes'];

test('10,000 steps of training leave the heap where it was', () => {
  const layer = new MultiHeadAttention({ ...options, dropout: 0.5, biasKv: true }).train();
  const optimizer = new Adam(layer);
  const masks = [
    { validLens: [2, 3], headGate: [1, 0] },
    { mask: [[[[true, false, true]]]], emptyRows: 'uniform' },
    { mask: Tensor.randn([3, 3], 1), causal: true, headGate: Tensor.ones([2, 2]) },
  ];
  assertLeavesNothing((i) => {
    optimizer.zeroGradients();
    layer.forward(X, X, X, { ...masks[i % masks.length], requiresGrad: true });
    layer.backward(gradOutput);
    clipGradientNorm(layer, 1);
    optimizer.step();
  });
  [optimizer, layer].forEach((each) => each.dispose());
});

test('10,000 optimizers and pruned layers that come and go leave the heap where it was', () => {
  assertLeavesNothing((i) => {
    const layer = new MultiHeadAttention({ ...options, bias: i % 2 === 0 });
    const optimizer = i % 3 === 0 ? new Adam(layer) : new SGD([layer], { momentum: 0.5 });
    for (const heads of [[1], []]) {
      layer.forward(X, X, X, { requiresGrad: true });
      layer.backward(gradOutput);
      optimizer.step();
      layer.pruneHeads(heads);
    }
    [optimizer, layer].forEach((each) => each.dispose());
  });
});

test('10,000 bad calls leave the heap where it was', () => {
  const layer = new MultiHeadAttention(options);
  layer.forward(X, X, X, { requiresGrad: true });
  const bad = [
    () => layer.backward(X),
    () => layer.pruneHeads([2]),
    () => new Adam([layer, layer]),
    () => new SGD(layer, { momentum: -1 }),
    () => clipGradientNorm(layer, NaN),
  ];
  assertLeavesNothing((i) => assert.throws(bad[i % bad.length], { name: 'HeadwiseError' }));
  layer.dispose();
});

test('a forward whose record finds no room changes nothing, and smaller ones work', () => {
  const sized = { ...options, querySize: 4, keySize: 4, valueSize: 4 };
  const long = Tensor.ones([1, 200_000, 4]);
  withoutGrowth(() => {
    const call = (layer) => layer.forward(long, X, X, { requiresGrad: true });
    assert.throws(() => call(new MultiHeadAttention(sized)), { code: 'invalid-shape' });
    for (const layerOptions of [options, sized]) {
      assertFailsAndChangesNothing(
        layerOptions,
        (layer) => layer.forward(long, long, long, { requiresGrad: true, window: [1, 0] }),
        ...outOfMemory,
      );
    }
    const layer = new MultiHeadAttention(options);
    layer.forward(X, X, X, { requiresGrad: true });
    assertFails(
      () => layer.forward(long, long, long, { requiresGrad: true, window: [1, 0] }),
      ...outOfMemory,
    );
    // What was pending before is pending still.
    assert.deepEqual(layer.backward(gradOutput).queries.shape, X.shape);
    layer.dispose();
  });
});

/** Layers until there is no room for another, each less than what is tried then. */
function fillMemory() {
  const small = { ...options, querySize: 200, keySize: 200, valueSize: 200 };
  const layers = [];
  assertFails(
    () => {
      for (;;) layers.push(new MultiHeadAttention(small));
    },
    ...outOfMemory,
  );
  return layers;
}

test('a forward that works without gradients is an error where its record finds no room', () => {
  const layer = new MultiHeadAttention(options);
  const long = Tensor.randn([1, 20_000, 4], 1);
  const given = { window: [1, 0] };
  // Working memory is there from now on.
  const { output } = layer.forward(long, long, long, given);
  layer.forward(X, X, X, { requiresGrad: true });
  withoutGrowth(() => {
    const others = fillMemory();
    const call = () => layer.forward(long, long, long, { ...given, requiresGrad: true });
    assertFails(call, ...outOfMemory);
    assert.deepEqual(layer.forward(long, long, long, given).output, output);
    // What was pending before is pending still.
    assert.deepEqual(layer.backward(gradOutput).queries.shape, X.shape);
    others.forEach((other) => other.dispose());
  });
  assert.deepEqual(
    layer.forward(long, long, long, { ...given, requiresGrad: true }).output,
    output,
  );
  assert.deepEqual(layer.backward(output).keys.shape, long.shape);
  layer.dispose();
});

test('optimizers and pruning that find no room change nothing', () => {
  const size = 700; // 2 MB a weight
  const layer = new MultiHeadAttention({ ...options, numHiddens: size });
  const Y = Tensor.randn([1, 2, size], 1);
  layer.forward(Y, Y, Y, { requiresGrad: true });
  layer.backward(Tensor.ones([1, 2, size]));
  const optimizer = new SGD(layer, { momentum: 0.9 });
  const { output } = layer.forward(Y, Y, Y);
  withoutGrowth(() => {
    const others = fillMemory();
    assertFails(() => optimizer.step(), ...outOfMemory);
    assertFails(() => layer.pruneHeads([0]), ...outOfMemory);
    assert.equal(layer.numHeads, 2);
    assert.deepEqual(layer.forward(Y, Y, Y).output, output);
    others.forEach((other) => other.dispose());
  });
  optimizer.step();
  layer.pruneHeads([0]);
  assert.equal(layer.numHeads, 1);
  assert.notDeepEqual(layer.forward(Y, Y, Y).output, output);
  [optimizer, layer].forEach((each) => each.dispose());
});
