// Forms, state and training steps of models. calls.test.mjs checks the numbers.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Adam, AttentionOnlyTransformer, init, MultiHeadAttention, SGD, Tensor } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

await init();

const options = {
  ...{ vocabularySize: 5, maxLength: 7, numHiddens: 6, numHeads: 3, numLayers: 2 },
  ...{ positions: 'learned', causal: false, layerNorm: true, bias: true, seed: 1 },
};
const tokens = [
  [0, 2, 4, 1, 3],
  [3, 3, 0, 4, 2],
];
/** −1 is ignored. */
const targets = [
  [0, -1, 3, 2, 4],
  [-1, 1, 2, -1, 0],
];

const make = (given) => new AttentionOnlyTransformer({ ...options, ...given });
test('no sequences, or empty ones, give empty results', () => {
  const model = make();
  for (const [batch, length] of [
    [0, 3],
    [2, 0],
  ]) {
    const none = { data: new Int32Array(), shape: [batch, length] };
    const { logits, attentionWeights } = model.forward(none, { returnWeights: true });
    assert.deepEqual(logits.shape, [batch, length, 5]);
    assert.deepEqual(attentionWeights[1].shape, [batch, 3, length, length]);
    assert.equal(model.lossAndGradients(none, none).loss, 0);
  }
});

test('a sequence without a batch axis gives results without one', () => {
  const model = make();
  const [[sequence], [asked]] = [tokens, targets];
  const gates = [[0.5, 1, 2], [[1, 2, 3]]];
  const given = { headGates: gates, returnWeights: true };
  const alone = model.forward(sequence, given);
  const batched = model.forward([sequence], given);
  assert.deepEqual(alone.logits.shape, [5, 5]);
  assert.deepEqual(alone.logits.data, batched.logits.data);
  alone.attentionWeights.forEach((weights, layer) => {
    assert.deepEqual(weights.shape, [3, 5, 5]);
    assert.deepEqual(weights.data, batched.attentionWeights[layer].data);
  });
  assert.equal(model.loss(sequence, asked), model.loss([sequence], [asked]));
  const { headGates } = model.lossAndGradients(sequence, asked);
  assert.deepEqual(headGates, model.lossAndGradients([sequence], [asked]).headGates);
  assert.deepEqual(headGates[0].shape, [1, 3]);
});

test('a model has its options as properties', () => {
  const model = make({ dropout: 0.5 });
  const told = { ...options, numHeads: [3, 3], training: false, disposed: false };
  for (const name of ['positions', 'layerNorm', 'bias']) delete told[name];
  for (const [name, value] of Object.entries(told)) assert.deepEqual(model[name], value, name);
  assert.equal(model.learningRate, 0.001);
  assert.equal(model.train(), model);
  assert.equal(model.training, true);
  assert.equal(model.eval().training, false);
  // A list of heads is the caller's own.
  model.numHeads[0] = 7;
  assert.deepEqual(model.numHeads, [3, 3]);
  const other = make({ seed: undefined, causal: undefined, optimizer: { learningRate: 0.5 } });
  assert.ok(Number.isSafeInteger(other.seed));
  assert.equal(other.causal, true);
  assert.equal(other.learningRate, 0.5);
  assert.deepEqual(make({ seed: other.seed }).stateDict(), other.stateDict());
});

test('a model and a layer share an optimizer', () => {
  const model = make();
  const size = 6;
  const layer = new MultiHeadAttention({
    ...{ numHiddens: size, numHeads: 2, seed: 1 },
    ...{ querySize: size, keySize: size, valueSize: size },
  });
  const both = [model, layer];
  const sgd = new SGD(both, { learningRate: 0.5 });
  const X = Tensor.randn([1, 3, size], 1);
  layer.backward(layer.forward(X, X, X, { requiresGrad: true }).output);
  model.lossAndGradients(tokens, targets);
  const [before, gradients] = ['stateDict', 'gradients'].map((get) =>
    Object.assign({}, ...both.map((each) => each[get]())),
  );
  sgd.step();
  for (const [name, { data }] of both.flatMap((each) => Object.entries(each.stateDict()))) {
    const expected = before[name].data.map((number, i) => number - 0.5 * gradients[name].data[i]);
    assert.ok(maxDifference(data, expected) <= 1e-6, name);
  }
  model.zeroGradients();
  assert.ok(model.gradients()['embedding.weight'].data.every((number) => number === 0));
});

test('trainStep with a given optimizer equals one with the model’s own', () => {
  const optimizer = { learningRate: 0.1, betas: [0.8, 0.9], epsilon: 1e-6, weightDecay: 0.1 };
  const [own, other] = [0, 1].map(() => make({ dropout: 0.5, optimizer }));
  const adam = new Adam(other, optimizer);
  for (const pass of [undefined, { headGates: [[1, 2, 3], undefined] }]) {
    const loss = own.trainStep(tokens, targets, pass);
    assert.equal(other.trainStep(tokens, targets, adam, pass), loss);
    assert.deepEqual(other.stateDict(), own.stateDict());
    assert.equal(own.training || other.training, false);
  }
});

test('the next step uses the learning rate that was set', () => {
  const model = make();
  const before = model.stateDict();
  model.learningRate = 0;
  model.trainStep(tokens, targets);
  assert.deepEqual(model.stateDict(), before);
  model.learningRate = 0.01;
  assert.equal(model.learningRate, 0.01);
  model.trainStep(tokens, targets);
  assert.notDeepEqual(model.stateDict(), before);
});

test('a weight is held once, and twice from the first gradients on', () => {
  for (const [weights, once, most, others = {}] of [
    ['int8', 1.15, 1.15],
    ['int8', 1.15, 1.15, { vocabularySize: 800 }],
    ['float32', 4.01, 8],
  ]) {
    const model = make({ vocabularySize: 8, numHiddens: 128, numHeads: 4, weights, ...others });
    const numbers = Object.values(model.stateDict()).flatMap(({ data }) => [...data]).length;
    assert.ok(model.memory().parameterBytes < once * numbers);
    model.lossAndGradients(tokens, targets);
    const { numParameters, parameterBytes, gradientBytes } = model.memory();
    assert.deepEqual([numParameters, gradientBytes], [numbers, 4 * numbers]);
    assert.ok(parameterBytes < most * numbers);
  }
});
