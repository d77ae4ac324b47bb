// SGD and Adam step for step by PyTorch's rules, in float64.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Adam, clipGradientNorm, init, MultiHeadAttention, SGD, Tensor } from 'headwise';
import { assertFails, maxDifference } from '../lib/compare.mjs';

await init();

const steps = 50;
const makeLayer = (seed, more) =>
  new MultiHeadAttention({
    ...{ numHiddens: 6, numHeads: 3, querySize: 5, keySize: 5, valueSize: 5, bias: true, seed },
    ...more,
  });

/** Adds the gradients of a loss that differs from step to step. */
function addGradients(layer, step) {
  const X = Tensor.randn([2, 3, 5], 100 + step);
  const { output } = layer.forward(X, X, X, { causal: true, requiresGrad: true });
  layer.backward(output);
}

/** By layer and name: the parameters in float64, with `states` numbers beside each, zeros. */
const follow = (layers) =>
  layers.map((layer) =>
    Object.entries(layer.stateDict()).map(([name, { data }]) => ({
      name,
      values: Float64Array.from(data),
      states: [new Float64Array(data.length), new Float64Array(data.length)],
    })),
  );

/** Replays every step of the optimizer by `update(parameter, its gradient, number of the step)`. */
function replay(makeOptimizer, update, tolerance = 2e-6) {
  const layers = [makeLayer(1), makeLayer(2)];
  const optimizer = makeOptimizer(layers);
  const followed = follow(layers);
  for (let step = 1; step <= steps; step++) {
    optimizer.zeroGradients();
    layers.forEach((layer) => addGradients(layer, step));
    followed.forEach((parameters, i) => {
      const gradients = layers[i].gradients();
      for (const parameter of parameters) {
        update(parameter, gradients[parameter.name].data, step);
      }
    });
    optimizer.step();
    followed.forEach((parameters, i) => {
      const dict = layers[i].stateDict();
      for (const { name, values } of parameters) {
        const difference = maxDifference(dict[name].data, values);
        assert.ok(difference <= tolerance, `step ${step}, ${name}: ${difference}`);
      }
    });
  }
  [optimizer, ...layers].forEach((each) => each.dispose());
}

const sgd =
  ({ learningRate, momentum, weightDecay }) =>
  ({ values, states: [velocity] }, gradient) => {
    values.forEach((p, i) => {
      velocity[i] = momentum * velocity[i] + gradient[i] + weightDecay * p;
      values[i] = p - learningRate * velocity[i];
    });
  };

const adam =
  ({ learningRate, betas: [beta1, beta2], epsilon, weightDecay }) =>
  ({ values, states: [mean, square] }, gradient, step) => {
    values.forEach((p, i) => {
      mean[i] = beta1 * mean[i] + (1 - beta1) * gradient[i];
      square[i] = beta2 * square[i] + (1 - beta2) * gradient[i] ** 2;
      const root = Math.sqrt(square[i] / (1 - beta2 ** step)) + epsilon;
      values[i] =
        p * (1 - learningRate * weightDecay) -
        (learningRate * mean[i]) / (1 - beta1 ** step) / root;
    });
  };

for (const options of [
  { learningRate: 0.05, momentum: 0, weightDecay: 0 },
  { learningRate: 0.02, momentum: 0.9, weightDecay: 0.1 },
]) {
  test(`SGD replayed: ${JSON.stringify(options)}`, () => {
    replay((layers) => new SGD(layers, options), sgd(options));
  });
}

for (const options of [
  { learningRate: 0.01, betas: [0.9, 0.999], epsilon: 1e-8, weightDecay: 0 },
  { learningRate: 0.02, betas: [0.8, 0.95], epsilon: 1e-3, weightDecay: 0.1 },
]) {
  test(`Adam replayed: ${JSON.stringify(options)}`, () => {
    // Where a gradient is next to nothing, its sign is a matter of rounding and the step is not.
    replay((layers) => new Adam(layers, options), adam(options), 2e-5);
  });
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
  [optimizer, layer].forEach((each) => each.dispose());
});

test('gradients are clipped to the norm of all of them together', () => {
  const layers = [makeLayer(1), makeLayer(2)];
  layers.forEach((layer) => addGradients(layer, 1));
  const all = () => layers.flatMap((l) => Object.values(l.gradients()).flatMap((t) => [...t.data]));
  const before = all();
  const norm = Math.hypot(...before);
  assert.ok(Math.abs(clipGradientNorm(layers, 2 * norm) - norm) <= 1e-6 * norm);
  assert.deepEqual(all(), before);
  assert.ok(Math.abs(clipGradientNorm(layers, norm / 3) - norm) <= 1e-6 * norm);
  all().forEach((x, i) => assert.ok(Math.abs(x - before[i] / 3) <= 1e-6 * norm));
  layers.forEach((layer) => layer.dispose());
});

test('a layer without gradients is left alone', () => {
  const layers = [makeLayer(1), new MultiHeadAttention({ numHiddens: 4, numHeads: 2 })];
  const before = layers[0].stateDict();
  const optimizer = new Adam(layers, { learningRate: 1, weightDecay: 1 });
  optimizer.step();
  assert.deepEqual(layers[0].stateDict(), before);
  assert.equal(clipGradientNorm(layers, 1), 0);
  [optimizer, ...layers].forEach((each) => each.dispose());
});

test('momenta follow when heads are pruned', () => {
  // Gradients of the heads that stay are those of the whole layer if the others are gated away.
  const given = { causal: true, headGate: [0, 1, 0], requiresGrad: true };
  const train = (layer, optimizer, gate) => {
    const X = Tensor.randn([2, 3, 5], 9);
    optimizer.zeroGradients();
    layer.forward(X, X, X, { ...given, headGate: gate });
    layer.backward(Tensor.ones([2, 3, 6]));
    optimizer.step();
  };
  const layers = [makeLayer(1), makeLayer(1)];
  const optimizers = layers.map((layer) => new Adam(layer, { learningRate: 0.01 }));
  for (let step = 0; step < 4; step++) {
    layers.forEach((layer, i) => train(layer, optimizers[i], [0, 1, 0]));
  }
  layers.forEach((layer) => assert.equal(layer.numHeads, 3));
  layers[0].pruneHeads([0, 2]);
  for (let step = 0; step < 4; step++) {
    train(layers[0], optimizers[0], [1]);
    train(layers[1], optimizers[1], [0, 1, 0]);
  }
  layers[1].pruneHeads([2, 0]);
  const [pruned, gated] = layers.map((layer) => layer.stateDict());
  for (const [name, { data, shape }] of Object.entries(pruned)) {
    assert.deepEqual(shape, gated[name].shape);
    assert.ok(maxDifference(data, gated[name].data) <= 1e-6, name);
  }
  [...optimizers, ...layers].forEach((each) => each.dispose());
});

test('bad options and trainables are errors that name them', () => {
  const layer = makeLayer(1);
  const cases = [
    [
      () => new SGD([layer], { learningRate: -1 }),
      'learningRate: expected a finite number from 0 on, got -1',
    ],
    [
      () => new SGD([layer], { momentum: NaN }),
      'momentum: expected a finite number from 0 on, got NaN',
    ],
    [
      () => new SGD([layer], { weightDecay: '0' }),
      'weightDecay: expected a finite number from 0 on, got "0"',
    ],
    [
      () => new Adam([layer], { betas: [0.9, 1] }),
      'betas: expected two numbers from 0 to below 1, got 1',
    ],
    [
      () => new Adam([layer], { betas: [0.9] }),
      'betas: expected two numbers from 0 to below 1, got an array',
    ],
    [
      () => new Adam([layer], { betas: 0.9 }),
      'betas: expected two numbers from 0 to below 1, got 0.9',
    ],
    [
      () => new Adam([layer], { epsilon: Infinity }),
      'epsilon: expected a finite number from 0 on, got Infinity',
    ],
    [() => new Adam([]), 'trainables: expected at least one layer or model, got none'],
    [() => new Adam([layer, layer]), 'trainables: expected each of them once, got one twice'],
    [() => new Adam(layer.stateDict()), 'trainables: expected layers and models, got an object'],
    [() => new Adam(), 'trainables: expected layers and models, got undefined'],
    [() => clipGradientNorm([layer, 3], 1), 'trainables: expected layers and models, got 3'],
    [() => clipGradientNorm(layer, -1), 'maxNorm: expected a finite number from 0 on, got -1'],
  ];
  for (const [call, message] of cases) {
    assertFails(call, 'invalid-option', message);
  }
  assertFails(
    () => new Adam(layer, { lr: 1 }),
    'unknown-option',
    'options: expected only learningRate, betas, epsilon, weightDecay, got lr',
  );
  layer.dispose();
});

test('neither a disposed layer nor a disposed optimizer is used', () => {
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
  optimizer.dispose();
  optimizer.dispose();
  assert.ok(optimizer.disposed);
  const ofOptimizer = 'optimizer: expected one in use, got one that was disposed of';
  for (const call of ['step', 'zeroGradients']) {
    assertFails(() => optimizer[call](), 'disposed', ofOptimizer);
  }
  assertFails(() => (optimizer.learningRate = 1), 'disposed', ofOptimizer);
  layers[0].dispose();
});
