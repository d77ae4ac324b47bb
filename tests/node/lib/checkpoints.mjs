// The small models of tests/data/models: random parameters, as their frameworks write them, with
// results and gradients computed by PyTorch in float64.
import { readdirSync, readFileSync } from 'node:fs';
import { loadSafetensors, Transformer } from 'headwise';
import { dataFile } from './records.mjs';
import { parseSafetensors } from './safetensors.mjs';

export const checkpointNames = readdirSync(dataFile('models'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));

const file = (name) => readFileSync(dataFile(`models/${name}`));

const lengthsOf = ({ data, shape: [rows, columns] }) =>
  Array.from({ length: rows }, (_, row) =>
    data.subarray(row * columns, (row + 1) * columns).reduce((sum, bit) => sum + bit, 0),
  );

/** The checkpoint, and the inputs of PyTorch's results. */
export function readCheckpoint(name) {
  const expected = parseSafetensors(file(`${name}.expect.safetensors`));
  const checkpoint = {
    config: JSON.parse(file(`${name}.json`)),
    tensors: { ...loadSafetensors(file(`${name}.safetensors`)).tensors },
  };
  const lens = expected['in.mask'] && lengthsOf(expected['in.mask']);
  const isTranslation = 'in.target' in expected;
  return {
    ...checkpoint,
    model: () => Transformer.fromPretrained(checkpoint),
    /** Tokens or pixels. */
    input: expected[isTranslation ? 'in.target' : 'in.tokens'] ?? expected['in.pixels'],
    options: {
      ...(isTranslation
        ? { source: expected['in.tokens'], sourceValidLens: lens }
        : lens && { validLens: lens }),
      ...('in.types' in expected && { segments: expected['in.types'] }),
    },
  };
}
