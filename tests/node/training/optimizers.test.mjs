// Arguments of optimizers. layer/calls.test.mjs checks their steps, and tests/native/training those of several layers.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Adam, clipGradientNorm, init, MultiHeadAttention, SGD, Tensor } from 'headwise';
import { assertFails } from '../lib/compare.mjs';

await init();

const makeLayer = (seed) =>
  new MultiHeadAttention({
    ...{ numHiddens: 6, numHeads: 3, querySize: 5, keySize: 5, valueSize: 5, bias: true, seed },
  });

/** Adds the gradients of a loss that differs from step to step. */
function addGradients(layer, step) {
  const X = Tensor.randn([2, 3, 5], 100 + step);
  const { output } = layer.forward(X, X, X, { causal: true, requiresGrad: true });
  layer.backward(output);
}

test('defaults are those of PyTorch, and one layer may be given without a list', () => {
  const named = {
    sgd: [SGD, { learningRate: 0.001, momentum: 0, weightDecay: 0 }],
    adam: [Adam, { learningRate: 0.001, betas: [0.9, 0.999], epsilon: 1e-8, weightDecay: 0 }],
  };
  for (const [Optimizer, options] of Object.values(named)) {
    const results = [undefined, options].map((given) => {
      const layer = makeLayer(1);
      const optimizer = new Optimizer(layer, given);
      assert.equal(optimizer.learningRate, 0.001);
      addGradients(layer, 1);
      optimizer.step();
      const result = layer.stateDict();
      [optimizer, layer].forEach((each) => each.dispose());
      return result;
    });
    assert.deepEqual(results[0], results[1]);
  }
});

test('the learning rate can be changed between steps', () => {
  const layer = makeLayer(1);
  const optimizer = new SGD(layer, { learningRate: 1 });
  addGradients(layer, 1);
  const before = layer.stateDict()['W_v.bias'].data;
  const gradient = layer.gradients()['W_v.bias'].data;
  optimizer.learningRate = 0.25;
  assert.equal(optimizer.learningRate, 0.25);
  optimizer.step();
  layer.stateDict()['W_v.bias'].data.forEach((x, i) => {
    assert.ok(Math.abs(x - (before[i] - 0.25 * gradient[i])) <= 1e-6);
  });
  for (const bad of [-1, NaN, Infinity, '1', undefined]) {
    assert.throws(() => (optimizer.learningRate = bad), { code: 'invalid-option' });
  }
  assert.equal(optimizer.learningRate, 0.25);
});

test('bad options and trainables are errors that name them', () => {
  const layer = makeLayer(1);
  const adam = (options) => () => new Adam([layer], options);
  const number = 'expected a finite number from 0 on';
  const betas = 'betas: expected two numbers from 0 to below 1';
  const trainables = 'trainables: expected layers and models';
  for (const [call, message] of [
    [adam({ betas: [0.9, 1] }), `${betas}, got 1`],
    [adam({ betas: [0.9] }), `${betas}, got an array`],
    [adam({ betas: 0.9 }), `${betas}, got 0.9`],
    [adam({ epsilon: Infinity }), `epsilon: ${number}, got Infinity`],
    [() => new Adam([]), 'trainables: expected at least one layer or model, got none'],
    [() => new Adam([layer, layer]), 'trainables: expected each of them once, got one twice'],
    [() => new Adam(layer.stateDict()), `${trainables}, got an object`],
    [() => new Adam(), `${trainables}, got undefined`],
    [() => clipGradientNorm([layer, 3], 1), `${trainables}, got 3`],
    [() => clipGradientNorm(layer, -1), `maxNorm: ${number}, got -1`],
  ]) {
    assertFails(call, 'invalid-option', message);
  }
});

test('a layer that was disposed of is not used', () => {
  const layers = [makeLayer(1), makeLayer(2)];
  const optimizer = new SGD(layers, { learningRate: 1 });
  layers.forEach((layer) => addGradients(layer, 1));
  layers[1].dispose();
  const before = layers[0].stateDict();
  const ofLayer = 'layer: expected one in use, got one that was disposed of';
  for (const call of ['step', 'zeroGradients']) {
    assertFails(() => optimizer[call](), 'disposed', ofLayer);
  }
  assertFails(() => clipGradientNorm(layers, 1), 'disposed', ofLayer);
  assertFails(() => new Adam(layers), 'disposed', ofLayer);
  assert.deepEqual(layers[0].stateDict(), before);
});
