// The native library wrote golden-models.txt: what agrees with it agrees with the native library.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AttentionOnlyTransformer,
  inductionScores,
  init,
  keyScores,
  measureHeadImportance,
  patternScores,
} from 'headwise';
import { maxDifference } from '../lib/compare.mjs';
import { taskOf, transformerOptionsOf } from '../lib/model-records.mjs';
import { readRecords } from '../lib/records.mjs';

await init();

const batchOf = (record) =>
  taskOf(record).batch(
    record.number('batch_seed'),
    record.number('batch_size'),
    record.number('first'),
  );

async function resultsOf(record) {
  const batch = batchOf(record);
  const { tokens, targets, keys } = batch;
  const model = new AttentionOnlyTransformer(transformerOptionsOf(record));
  const { logits, attentionWeights } = model.forward(tokens, { returnWeights: true });
  const patterns = attentionWeights.flatMap((weights) => patternScores(weights, { causal: true }));
  const results = {
    logits: logits.data,
    patterns: patterns.flatMap((scores) => Object.values(scores)),
    induction: attentionWeights.flatMap((weights) => inductionScores(weights, tokens)),
    right_keys: attentionWeights.flatMap((weights) => keyScores(weights, keys)),
  };
  for (const measure of ['gradient', 'ablation', 'confidence', 'entropy']) {
    const importance = await measureHeadImportance(model, { measure, batches: [batch] });
    results[measure] = importance.flat();
  }
  const { loss, headGates } = model.lossAndGradients(tokens, targets);
  results.loss = [loss];
  results.gate_gradients = headGates.flatMap(({ data }) => [...data]);
  results.losses = [1, 2, 3, 4].map(() => model.trainStep(tokens, targets));
  model.dispose();
  return results;
}

for (const record of readRecords('golden-models.txt')) {
  test(`native and WebAssembly agree: ${record.text('name')}`, async () => {
    for (const [part, { data, shape }] of Object.entries(batchOf(record))) {
      assert.deepEqual([...data], record.numbers(part));
      assert.equal(shape[0], record.number('batch_size'));
    }
    if (record.text('num_hiddens') === undefined) return;
    for (const [name, numbers] of Object.entries(await resultsOf(record))) {
      assert.ok(maxDifference(numbers, record.numbers(name)) <= 1e-5, name);
    }
  });
}
