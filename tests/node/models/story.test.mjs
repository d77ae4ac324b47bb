// A trained model, where one is at hand: stories260K of karpathy/tinyllamas, with what PyTorch makes of it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { init, loadSafetensors, Transformer } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

const folder = process.env.HEADWISE_STORIES;
const skip = folder ? false : 'HEADWISE_STORIES names no folder of a model that tells stories';

test("a trained model tells the story that PyTorch's tells", { skip }, async () => {
  await init();
  const read = (name) => readFileSync(join(folder, name));
  const model = Transformer.fromPretrained({
    config: JSON.parse(read('config.json')),
    tensors: loadSafetensors(read('model.safetensors')).tensors,
  });
  const { tensors: expected, metadata } = loadSafetensors(read('once.safetensors'));
  const tokens = Array.from(expected['in.tokens'].data, Number);
  const result = model.forward([tokens], { returnWeights: true });
  const assertNear = (name, got, { data }) => {
    const largest = data.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
    assert.ok(maxDifference(got.data, data) <= 2e-5 * largest, name);
  };
  assertNear('logits', result.logits, expected['out.logits']);
  assert.equal(result.attentionWeights.length, 5);
  for (const [layer, weights] of result.attentionWeights.entries()) {
    assert.equal(weights.shape[1], 8);
    assertNear(`layer ${layer}`, weights, expected[`out.attention.${layer}`]);
  }
  const told = Number(metadata.prompt_tokens);
  const story = await model.generate(tokens.slice(0, told), {
    maxNewTokens: tokens.length - told,
  });
  assert.deepEqual(story, tokens.slice(told));
  model.dispose();
});
