// What `fromPretrained` says of malformed configs and checkpoints.
import assert from 'node:assert/strict';
import test from 'node:test';
import { HeadwiseError, init, loadSafetensors, saveSafetensors, Transformer } from 'headwise';
import { checkpointNames, readCheckpoint } from '../lib/checkpoints.mjs';
import { assertFails } from '../lib/compare.mjs';

await init();

const isRead = (name) => !/position_ids$|\.attn\.bias$|^pooler\./.test(name);
const bare = (name) => name.replace(/^(model|transformer)\./, '');
/** Whether the tensor is the embedding's once more. Among these, Llama alone is not tied. */
const isCopy = ({ config }, name) =>
  name === 'lm_head.weight' && config.tie_word_embeddings !== false;

const load = (config, tensors) => () => Transformer.fromPretrained({ config, tensors }).dispose();
const without = (object, name) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
const shapeText = (shape) => `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
/** Without axes of size 1 before the others, which a checkpoint may have. */
const withoutOnes = (shape) => shape.slice(shape.findIndex((size) => size !== 1));

for (const name of checkpointNames) {
  const checkpoint = readCheckpoint(name);
  const { config, tensors } = checkpoint;
  const isNeeded = (tensor) => isRead(tensor) && !isCopy(checkpoint, tensor);

  test(`${name}: every tensor that is missing, misshapen or of integers is named`, () => {
    for (const [tensor, { shape, data }] of Object.entries(tensors)) {
      const missing = load(config, without(tensors, tensor));
      if (isNeeded(tensor)) {
        assertFails(missing, 'invalid-state-dict', `tensors: '${bare(tensor)}' is missing`);
      } else missing();
      if (!isRead(tensor)) continue;

      const longer = [shape[0] + 1, ...shape.slice(1)];
      const count = longer.reduce((product, size) => product * size, 1);
      const misshapen = { ...tensors, [tensor]: { data: new Float32Array(count), shape: longer } };
      assertFails(
        load(config, misshapen),
        'invalid-state-dict',
        `tensors: '${tensor}' expected ${shapeText(withoutOnes(shape))}, got ${shapeText(longer)}`,
      );

      const integers = { dtype: 'I32', data: new Int32Array(data.length), shape };
      assertFails(
        load(config, { ...tensors, [tensor]: integers }),
        'invalid-state-dict',
        `tensors: '${tensor}' expected floats, got I32`,
      );

      assertFails(
        load(config, { ...tensors, [`other.${tensor}`]: { shape, data } }),
        'invalid-state-dict',
        `tensors: 'other.${tensor}' is unexpected`,
      );
    }
  });

  test(`${name}: all that is missing is one error`, () => {
    assert.throws(load(config, {}), (error) => {
      assert.ok(error instanceof HeadwiseError);
      for (const tensor of Object.keys(tensors)) {
        assert.equal(error.message.includes(`'${bare(tensor)}' is missing`), isNeeded(tensor));
      }
      return true;
    });
  });

  test(`${name}: a truncated file is one error`, () => {
    const file = saveSafetensors(tensors);
    for (const length of [0, 7, 8, 100, file.length / 2, file.length - 1]) {
      assert.throws(
        () => load(config, loadSafetensors(file.slice(0, Math.floor(length))).tensors)(),
        (error) => error instanceof HeadwiseError && error.code === 'invalid-file',
      );
    }
  });

  test(`${name}: no value of any field of the config makes anything but a model or an error`, () => {
    const values = [null, true, 'text', -1, 0, 1, 1.5, 2 ** 31, 1e300, [], {}, [1], { 0: [0] }];
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
  const { config, tensors } = readCheckpoint('gpt2-a');
  const fails = (changed, message) =>
    assertFails(load({ ...config, ...changed }, tensors), 'invalid-option', message);
  const size = 'an integer from 1 to 2147483647';
  fails({ n_embd: 'wide' }, `config.n_embd: expected ${size}, got 'wide'`);
  fails(
    { n_layer: null, n_head: 0 },
    `config.n_layer: expected ${size}, got nothing\nconfig.n_head: expected ${size}, got 0`,
  );
  fails({ scale_attn_by_inverse_layer_idx: true }, /^config\.scale_attn_by_inverse_layer_idx: /);
  fails({ model_type: 'mamba' }, /^config\.model_type: expected one of 'gpt2', .*, got 'mamba'$/);
  fails({ n_head: 3 }, /^numHeads: expected a divisor of numHiddens \(16\), got 3$/);
  fails(
    { pruned_heads: { 0: [0, 1] } },
    /^config\.pruned_heads: expected a head left in each layer, .*, got an object$/,
  );
  fails(
    { pruned_heads: { 7: [0] } },
    'config.pruned_heads: expected lists of the heads of layers, got an object',
  );
});

test('a config and tensors of the wrong kind are told', () => {
  const { config, tensors } = readCheckpoint('gpt2-a');
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
    'options: expected only config, tensors, dropout, weights, seed, optimizer, got device',
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
