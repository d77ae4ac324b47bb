// Passes of models against the formula in float64.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AttentionOnlyTransformer, init } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';
import * as reference from '../lib/transformer-reference.mjs';
import { transformerProblems } from '../lib/transformers.mjs';

await init();

const flat = (nested) => nested.flat(Infinity);

/** The problem's model, and what it is in float64. */
function modelOf({ options, pruned }) {
  const model = new AttentionOnlyTransformer(options);
  model.pruneHeads(pruned);
  const { numHeads, causal } = model;
  const headSize = options.numHiddens / options.numHeads;
  return [model, { numHeads, headSize, causal, layerNorm: options.layerNorm ?? false }];
}

/** Gates (batch, heads) of every layer in float64, 1 where none is given. */
const gatesOf = ({ batch, gates }, { numHeads }) =>
  numHeads.map((heads, layer) => {
    const given = gates[layer] ?? Array(heads).fill(1);
    const rows = Array.isArray(given[0]) ? given : Array(batch).fill(given);
    return { data: Float64Array.from(flat(rows)), shape: [batch, heads] };
  });

/** How `loss` changes with each of the numbers, by central differences. */
const slopes = (numbers, loss) =>
  Array.from(numbers, (before, i) => {
    const step = 1e-5;
    numbers[i] = before + step;
    const more = loss();
    numbers[i] = before - step;
    const less = loss();
    numbers[i] = before;
    return (more - less) / (2 * step);
  });

for (const problem of transformerProblems) {
  const { name, tokens, targets, gates, batch, length } = problem;
  const given = { headGates: gates };

  test(`${name}: logits, weights and loss are those of float64`, () => {
    const [model, settings] = modelOf(problem);
    const parameters = reference.inFloat64(model.stateDict());
    const expected = reference.forward(settings, parameters, tokens, gatesOf(problem, settings));
    const { logits, attentionWeights } = model.forward(tokens, { ...given, returnWeights: true });
    assert.deepEqual(logits.shape, [batch, length, model.vocabularySize]);
    assert.ok(maxDifference(logits.data, flat(expected.logits)) <= 1e-5);
    assert.equal(attentionWeights.length, model.numLayers);
    attentionWeights.forEach((weights, layer) => {
      assert.deepEqual(weights.shape, [batch, model.numHeads[layer], length, length]);
      assert.ok(maxDifference(weights.data, flat(expected.weights[layer])) <= 2e-6);
    });
    const without = model.forward(tokens, given);
    assert.equal('attentionWeights' in without, false);
    assert.ok(maxDifference(without.logits.data, flat(expected.logits)) <= 1e-5);
    const loss = reference.crossEntropy(expected.logits, targets);
    assert.ok(Math.abs(model.loss(tokens, targets, given) - loss) <= 3e-6);
    model.dispose();
  });

  test(`${name}: gradients are the slopes of the loss in float64`, () => {
    const [model, settings] = modelOf(problem);
    const parameters = reference.inFloat64(model.stateDict());
    const float64Gates = gatesOf(problem, settings);
    const loss = () => {
      const { logits } = reference.forward(settings, parameters, tokens, float64Gates);
      return reference.crossEntropy(logits, targets);
    };
    const result = model.lossAndGradients(tokens, targets, given);
    assert.ok(Math.abs(result.loss - loss()) <= 3e-6);
    const gradients = model.gradients();
    assert.deepEqual(Object.keys(gradients), Object.keys(parameters));
    for (const [parameter, gradient] of Object.entries(gradients)) {
      assert.deepEqual(gradient.shape, parameters[parameter].shape);
      const expected = slopes(parameters[parameter].data, loss);
      assert.ok(maxDifference(gradient.data, expected) <= 1e-5, parameter);
    }
    result.headGates.forEach((gradient, layer) => {
      assert.deepEqual(gradient.shape, [batch, model.numHeads[layer]]);
      assert.ok(maxDifference(gradient.data, slopes(float64Gates[layer].data, loss)) <= 1e-5);
    });
    model.dispose();
  });
}

const { options, tokens, targets } = transformerProblems.at(-1);

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
