// What models are given and give beside the numbers, which calls.test.mjs checks.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AttentionOnlyTransformer, init } from 'headwise';
import { options, targets, tokens } from '../lib/transformers.mjs';

await init();

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

test('tokens may be typed arrays, alone or in rows', () => {
  const model = new AttentionOnlyTransformer(options);
  const expected = model.forward(tokens);
  assert.deepEqual(model.forward(tokens.map((sample) => Uint16Array.from(sample))), expected);
  const [sequence] = tokens;
  assert.deepEqual(model.forward(Int32Array.from(sequence)), model.forward(sequence));
  model.dispose();
});
