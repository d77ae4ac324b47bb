// Malformed configs and tensors of `fromPretrained`. tests/native tries every tensor and field.
import assert from 'node:assert/strict';
import test from 'node:test';
import { HeadwiseError, init, Transformer } from 'headwise';
import { checkpointNames, readCheckpoint } from '../lib/checkpoints.mjs';
import { assertFails } from '../lib/compare.mjs';

await init();

const load = (config, tensors) => () => Transformer.fromPretrained({ config, tensors }).dispose();
const gpt2 = readCheckpoint('gpt2-a');

test('tensors that are missing or of integers are named', () => {
  const { 'wte.weight': embedding, ...rest } = gpt2.tensors;
  const { data, shape } = embedding;
  const integers = { dtype: 'I32', data: new Int32Array(data.length), shape };
  for (const [problem, tensors] of [
    ["'wte.weight' is missing", rest],
    ["'wte.weight' expected floats, got I32", { ...rest, 'wte.weight': integers }],
  ]) {
    assertFails(load(gpt2.config, tensors), 'invalid-state-dict', `tensors: ${problem}`);
  }
});

test('large unused members of a config are skipped, and too many values refused', () => {
  let nested = [0];
  for (let level = 0; level < 40; level++) nested = [nested, nested];
  const labels = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [i, `label ${i}`]));
  load({ ...gpt2.config, id2label: labels, ['k'.repeat(200_000)]: labels }, gpt2.tensors)();
  assert.throws(load({ ...gpt2.config, nested }, gpt2.tensors), HeadwiseError);
});

for (const name of checkpointNames) {
  const { config, tensors } = readCheckpoint(name);

  test(`${name}: any value of any field of the config makes a model or an error`, () => {
    const values = [null, 'text', -1, 2 ** 31, {}, [1]];
    for (const field of [...Object.keys(config), 'pruned_heads', 'rope_scaling']) {
      for (const value of values) {
        try {
          load({ ...config, [field]: value }, tensors)();
        } catch (error) {
          assert.ok(error instanceof HeadwiseError, `${field} ${value}: ${error.stack}`);
        }
      }
    }
  });
}

test('a config names each field that is missing or malformed, all at once', () => {
  const size = 'expected an integer from 1 to 2147483647';
  assertFails(
    load({ ...gpt2.config, n_head: null, n_embd: 'wide' }, gpt2.tensors),
    'invalid-option',
    `config.n_embd: ${size}, got 'wide'\nconfig.n_head: ${size}, got nothing`,
  );
});

test('a config and tensors of the wrong kind are told', () => {
  const { config, tensors } = gpt2;
  const kind = "config: expected the object of a checkpoint's config.json, got ";
  assertFails(load('{}', tensors), 'invalid-type', `${kind}"{}"`);
  assertFails(load(undefined, tensors), 'invalid-type', `${kind}undefined`);
  const circle = {};
  circle.circle = circle;
  assertFails(load(circle, tensors), 'invalid-type', /^config: expected what JSON can hold/);
  assertFails(load(config, undefined), 'invalid-type', /^tensors: expected an object of tensors/);
  assertFails(
    () => Transformer.fromPretrained({ config, tensors, device: 'gpu' }),
    'unknown-option',
    'options: expected only config, tensors, gguf, dropout, weights, seed, optimizer, got device',
  );
  const made = new Transformer({
    ...{ vocabularySize: 3, maxLength: 4, numHiddens: 4, numHeads: 2 },
  });
  assertFails(
    () => made.stateDict({ names: 'pretrained' }),
    'invalid-option',
    "names: expected 'headwise' for a model that no checkpoint was read into, got 'pretrained'",
  );
  assertFails(
    () => made.config(),
    'invalid-option',
    'config: expected a model that was read from a checkpoint, got another',
  );
  made.dispose();
});
