// Checkpoints of eight families there and back, and files as on the Hub. tests/native compares results and gradients.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { init, loadSafetensors, saveSafetensors, Tensor, Transformer } from 'headwise';
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
      again.dispose();
    }
    model.dispose();
  });
}

test('a folder of a checkpoint is read in Node, from one file or several', (t) => {
  const folder = temporaryFolder(t);
  const { config, tensors, model } = readCheckpoint(checkpointNames[0]);
  const write = (name, content) => writeFileSync(`${folder}/${name}`, content);
  const read = (...given) => Transformer.fromPretrained(...given).stateDict();
  assertFails(() => read(folder), 'invalid-file', /^folder: expected config.json and .* ENOENT/);
  write('config.json', JSON.stringify(config));
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
    const model = read();
    const same = Transformer.fromPretrained(ofHub(hub.get(record.same)));
    assert.deepEqual(model.stateDict(), same.stateDict());
    assert.deepEqual(run(model), run(same));
    model.dispose();
    same.dispose();
  });
}
