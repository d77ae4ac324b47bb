// Files with the names, dtypes and fields of the checkpoints that most people use.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { init, loadSafetensors, Tensor, Transformer } from 'headwise';
import { assertFails } from '../lib/compare.mjs';
import { dataFile, readRecords } from '../lib/records.mjs';

await init();

const records = new Map(readRecords('hub/index.txt').map((record) => [record.name, record]));

function checkpointOf({ file, config }) {
  const { tensors } = loadSafetensors(readFileSync(dataFile(`hub/${file}.safetensors`)));
  return { config: JSON.parse(config), tensors };
}

const run = (model) =>
  model.vocabularySize === 0
    ? model.forward(
        new Tensor(
          Float32Array.from({ length: 16 }, (_, i) => (i % 5) - 2),
          [1, 1, 4, 4],
        ),
      )
    : model.forward([[1, 3, 0, 4]], model.numEncoderLayers > 0 ? { source: [[2, 4, 0, 1]] } : {});

for (const [name, record] of records) {
  test(`${name} is read`, () => {
    const checkpoint = checkpointOf(record);
    if (record.message) {
      const [code, message] = record.message.split('; ');
      assertFails(() => Transformer.fromPretrained(checkpoint), code, message);
      return;
    }
    const model = Transformer.fromPretrained(checkpoint);
    const same = Transformer.fromPretrained(checkpointOf(records.get(record.same)));
    assert.deepEqual(model.stateDict(), same.stateDict());
    assert.deepEqual(run(model), run(same));
    assert.deepEqual(model.config(), checkpoint.config);
    for (const [key, tensor] of Object.entries(model.stateDict({ names: 'pretrained' }))) {
      assert.deepEqual(tensor, checkpoint.tensors[key], key);
    }
    model.dispose();
    same.dispose();
  });
}
