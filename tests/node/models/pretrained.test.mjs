// Checkpoints of eight families there and back, files as on the Hub, and malformed ones. tests/native compares results
// and gradients, and tries every tensor and field.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  exportCheckpoint,
  HeadwiseError,
  init,
  loadSafetensors,
  saveSafetensors,
  Tensor,
  Transformer,
} from 'headwise';
import { checkpointNames, readCheckpoint } from '../lib/checkpoints.mjs';
import { temporaryFolder } from '../lib/child.mjs';
import { assertFails } from '../lib/compare.mjs';
import { dataFile, readRecords } from '../lib/records.mjs';

await init();

const bytesOf = ({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

for (const name of checkpointNames) {
  const checkpoint = readCheckpoint(name);
  const { input, options, tensors, config } = checkpoint;

  test(`${name}: the checkpoint comes back out bit for bit, and a pruned one back in`, () => {
    const model = checkpoint.model();
    const out = model.stateDict({ names: 'pretrained' });
    for (const [key, tensor] of Object.entries(out)) {
      assert.deepEqual(tensor.shape, tensors[key].shape, key);
      assert.ok(bytesOf(tensor).equals(bytesOf(tensors[key])), key);
    }
    const left = Object.keys(tensors).filter((key) => !(key in out));
    assert.ok(
      left.every((key) => /position_ids$|\.attn\.bias$|^pooler\./.test(key)),
      left,
    );
    assert.deepEqual(model.config(), config);

    const { numHeads, numKvHeads } = model.attention(0);
    // All heads of some models share one key-value head: none can go alone.
    if (numKvHeads > 1) {
      const last = Array.from({ length: numHeads / numKvHeads }, (_, i) => numHeads - 1 - i);
      model.pruneHeads({ 0: last });
      if (model.numEncoderLayers > 0) {
        model.pruneHeads({ 0: [0] }, { side: 'cross' });
        model.pruneHeads({ 1: [1] }, { side: 'encoder' });
      }
      const pruned = model.config();
      assert.deepEqual(pruned.pruned_heads, { 0: last.sort((a, b) => a - b) });
      const again = Transformer.fromPretrained({
        config: JSON.parse(JSON.stringify(pruned)),
        tensors: loadSafetensors(saveSafetensors(model.stateDict({ names: 'pretrained' }))).tensors,
      });
      assert.deepEqual(again.numHeads, model.numHeads);
      assert.deepEqual(again.config(), pruned);
      assert.deepEqual(again.forward(input, options), model.forward(input, options));
    }
  });
}

test('a folder of a checkpoint is read in Node, from one file or several', (t) => {
  const folder = temporaryFolder(t);
  const { config, tensors, model } = readCheckpoint(checkpointNames[0]);
  const write = (name, content) => writeFileSync(`${folder}/${name}`, content);
  const read = (...given) => Transformer.fromPretrained(...given).stateDict();
  assertFails(() => read(folder), 'invalid-file', /^folder: expected config.json and .* ENOENT/);
  write('config.json', JSON.stringify(config));
  write('pytorch_model.bin', '');
  const pickled = /got pytorch_model\.bin; save_pretrained of Transformers converts it$/;
  assertFails(() => read(folder), 'invalid-file', pickled);
  const names = Object.keys(tensors);
  const files = { 'a.safetensors': names.slice(1), 'b.safetensors': names.slice(0, 1) };
  const weightMap = {};
  for (const [file, part] of Object.entries(files)) {
    write(file, saveSafetensors(Object.fromEntries(part.map((name) => [name, tensors[name]]))));
    for (const name of part) weightMap[name] = file;
  }
  write('model.safetensors.index.json', JSON.stringify({ weight_map: weightMap }));
  const expected = model().stateDict();
  assert.deepEqual(read(folder, { dropout: 0.5 }), expected);
  write('model.safetensors', saveSafetensors(tensors));
  for (const name of Object.keys(files)) rmSync(`${folder}/${name}`);
  assert.deepEqual(read(pathToFileURL(folder)), expected);
  assertFails(() => read(folder, { config }), 'unknown-option', /^options: .* got config$/);
});

const hub = new Map(readRecords('hub/index.txt').map((record) => [record.name, record]));
const ofHub = ({ file, config }) => ({
  config: JSON.parse(config),
  tensors: loadSafetensors(readFileSync(dataFile(`hub/${file}.safetensors`))).tensors,
});
const run = (model) =>
  model.vocabularySize === 0
    ? model.forward(Tensor.randn([1, 1, 4, 4], 1))
    : model.forward([[1, 3, 0, 4]], model.numEncoderLayers > 0 ? { source: [[2, 4, 0, 1]] } : {});

for (const [name, record] of hub) {
  test(`${name}, with the names and fields of the Hub, is read or explained`, () => {
    const read = () => Transformer.fromPretrained(ofHub(record));
    if (record.message) {
      assertFails(read, ...record.message.split('; '));
      return;
    }
    const checkpoint = ofHub(record);
    const model = Transformer.fromPretrained(checkpoint);
    const same = Transformer.fromPretrained(ofHub(hub.get(record.same)));
    assert.deepEqual(model.stateDict(), same.stateDict());
    assert.deepEqual(run(model), run(same));
    assert.deepEqual(model.config(), checkpoint.config);
    for (const [key, tensor] of Object.entries(model.stateDict({ names: 'pretrained' }))) {
      assert.deepEqual(tensor, checkpoint.tensors[key], key);
    }
  });
}

const load = (config, tensors) => () => Transformer.fromPretrained({ config, tensors }).dispose();
const gpt2 = readCheckpoint('gpt2-a');

test('fields of a config are read, or named where no model has them', () => {
  for (const { checkpoint, fields, message } of readRecords('configs.txt')) {
    const text = readFileSync(dataFile(`models/${checkpoint}.json`), 'utf8');
    const config = JSON.parse(text.replace(/}\s*$/, `, ${fields}}`));
    const read = load(config, readCheckpoint(checkpoint).tensors);
    if (message) assertFails(read, 'invalid-option', message);
    else read();
  }
});

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

test('tensors that no model reads are left alone', () => {
  for (const { checkpoint, parameter } of readRecords('unread-tensors.txt')) {
    const { config, tensors } = readCheckpoint(checkpoint);
    const others = Object.fromEntries(parameter.map((name) => [name, Tensor.zeros([2, 3])]));
    load(config, { ...tensors, ...others })();
  }
});

test('large unused members of a config are skipped, and too many values refused', () => {
  let nested = [0];
  for (let level = 0; level < 40; level++) nested = [nested, nested];
  const labels = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [i, `label ${i}`]));
  load({ ...gpt2.config, id2label: labels, ['k'.repeat(200_000)]: labels }, gpt2.tensors)();
  assert.throws(load({ ...gpt2.config, nested }, gpt2.tensors), HeadwiseError);
});

test('a config and tensors of the wrong kind are told', () => {
  const { config, tensors } = gpt2;
  const kind = "config: expected the object of a checkpoint's config.json, got ";
  assertFails(load('{}', tensors), 'invalid-type', `${kind}"{}"`);
  assertFails(load(undefined, tensors), 'invalid-type', `${kind}undefined`);
  const circle = {};
  circle.circle = circle;
  assertFails(load(circle, tensors), 'invalid-type', /^config: expected what JSON can hold/);
  const notANumber = "config.layer_norm_epsilon: expected a number, got 'NaN'";
  assertFails(load({ ...config, layer_norm_epsilon: NaN }, tensors), 'invalid-option', notANumber);
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
});

test('exports leave out defaults that Transformers 5 takes only with a decimal point', () => {
  for (const [name, defaults] of [
    ['bart-c', { encoder_layerdrop: 0, decoder_layerdrop: 0 }],
    ['gemma2-c', { attn_logit_softcapping: 50, final_logit_softcapping: 30 }],
  ]) {
    const { config, tensors } = readCheckpoint(name);
    const model = Transformer.fromPretrained({ config: { ...config, ...defaults }, tensors });
    for (const pruned of ['zeroed', 'removed']) {
      const exported = exportCheckpoint(model, { pruned });
      for (const field of Object.keys(defaults)) assert.ok(!(field in exported.config), field);
      const again = Transformer.fromPretrained(exported);
      const source = model.numEncoderLayers > 0 && { source: [1, 2, 3] };
      assert.deepEqual(
        again.forward([3, 1, 4], { ...source }),
        model.forward([3, 1, 4], { ...source }),
      );
    }
  }
});
