// Passes of models against the formula in float64.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AttentionOnlyTransformer, init } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';
import { startingWith } from '../lib/safetensors.mjs';
import { nested } from '../lib/tensors.mjs';
import { options, targets, tokens } from '../lib/transformers.mjs';
import { readVectors } from '../lib/vectors.mjs';

await init();

const assertNear = (name, got, expected, tolerance) => {
  assert.deepEqual(got.shape, expected.shape, name);
  assert.ok(maxDifference(got.data, expected.data) <= tolerance, name);
};

for (const problem of readVectors('transformers')) {
  const { name, tensors, loss } = problem;
  const { tokens, targets } = startingWith(tensors, 'in.');
  const makeModel = () => {
    const model = new AttentionOnlyTransformer(problem.options);
    model.pruneHeads(problem.pruned);
    model.loadStateDict(startingWith(tensors, 'param.'));
    return model;
  };
  /** One tensor a layer. */
  const byLayer = (tensor) =>
    Array.from({ length: problem.options.numLayers }, (_, l) => tensors[`layer.${l}.${tensor}`]);
  const given = { headGates: byLayer('headGate').map((gates) => gates && nested(gates)) };

  test(`${name}: logits, weights and loss are those of float64`, () => {
    const model = makeModel();
    const expected = tensors['out.logits'];
    const { logits, attentionWeights } = model.forward(tokens, { ...given, returnWeights: true });
    assertNear('logits', logits, expected, 1e-5);
    assert.equal(attentionWeights.length, model.numLayers);
    for (const [layer, weights] of byLayer('attentionWeights').entries()) {
      assertNear(`weights of layer ${layer}`, attentionWeights[layer], weights, 2e-6);
    }
    const without = model.forward(tokens, given);
    assert.equal('attentionWeights' in without, false);
    assertNear('logits without weights', without.logits, expected, 1e-5);
    assert.ok(Math.abs(model.loss(tokens, targets, given) - loss) <= 3e-6);
    model.dispose();
  });

  test(`${name}: gradients are the slopes of the loss in float64`, () => {
    const model = makeModel();
    const result = model.lossAndGradients(tokens, targets, given);
    assert.ok(Math.abs(result.loss - loss) <= 3e-6);
    const gradients = model.gradients();
    assert.deepEqual(Object.keys(gradients), Object.keys(model.stateDict()));
    for (const [parameter, slopes] of Object.entries(startingWith(tensors, 'grad.'))) {
      assertNear(parameter, gradients[parameter], slopes, 1e-5);
    }
    assert.equal(result.headGates.length, model.numLayers);
    for (const [layer, slopes] of byLayer('gateGradient').entries()) {
      assertNear(`gates of layer ${layer}`, result.headGates[layer], slopes, 1e-5);
    }
    model.dispose();
  });
}

test('gradients of a second batch are added, until they are made zero', () => {
  const model = new AttentionOnlyTransformer(options);
  const zeros = model.gradients();
  assert.ok(Object.values(zeros).every(({ data }) => data.every((number) => number === 0)));
  model.lossAndGradients(tokens, targets);
  const once = model.gradients();
  model.lossAndGradients(tokens, targets);
  for (const [name, { data }] of Object.entries(model.gradients())) {
    const twice = once[name].data.map((number) => 2 * number);
    assert.ok(maxDifference(data, twice) <= 1e-6, name);
  }
  model.zeroGradients();
  assert.deepEqual(model.gradients(), zeros);
  model.dispose();
});

test('a batch without any target has loss 0 and gradients 0', () => {
  const model = new AttentionOnlyTransformer(options);
  const nothing = targets.map((sample) => sample.map(() => -1));
  assert.equal(model.loss(tokens, nothing), 0);
  const { loss, headGates } = model.lossAndGradients(tokens, nothing);
  assert.equal(loss, 0);
  for (const { data } of [...headGates, ...Object.values(model.gradients())]) {
    assert.ok(data.every((number) => number === 0));
  }
  model.dispose();
});

test('no sequences, or empty ones, are answered with nothing', () => {
  const model = new AttentionOnlyTransformer(options);
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
  model.dispose();
});

test('one sequence without a batch axis is answered without one', () => {
  const model = new AttentionOnlyTransformer(options);
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
  model.dispose();
});

test('tokens are taken in every form', () => {
  const model = new AttentionOnlyTransformer(options);
  const expected = model.forward(tokens);
  const data = tokens.flat();
  const shape = [2, 5];
  for (const form of [
    { data, shape },
    { data: Int32Array.from(data), dims: shape },
    { data: Uint8Array.from(data), shape },
    { data: BigInt64Array.from(data, BigInt), dims: shape },
    tokens.map((sample) => Uint16Array.from(sample)),
  ]) {
    assert.deepEqual(model.forward(form), expected);
  }
  const [sequence] = tokens;
  assert.deepEqual(model.forward(Int32Array.from(sequence)), model.forward(sequence));
  model.dispose();
});

test('a causal model knows nothing of later tokens', () => {
  const model = new AttentionOnlyTransformer({ ...options, causal: true });
  const logits = model.forward([0, 1, 2, 3, 4, 0]).logits.data.slice(0, 4 * 5);
  const changed = model.forward([0, 1, 2, 3, 1, 1]).logits.data.slice(0, 4 * 5);
  assert.deepEqual(changed, logits);
  assert.ok(maxDifference(model.forward([0, 1, 2, 3]).logits.data, logits) <= 1e-6);
  model.dispose();
});
