// NaN in padded tokens never reaches a position that does not see them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, Transformer } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

await init();

const padding = 7;
const options = {
  ...{ vocabularySize: 8, maxLength: 8, numHiddens: 12, numLayers: 2, numHeads: 2, seed: 2 },
  // Untied, so that only padded tokens read the row of NaN.
  tiedEmbeddings: false,
};
const kinds = {
  'pre-norm': {},
  'post-norm': { normFirst: false, embeddingNorm: true, positions: 'sinusoidal', causal: false },
  'rotary, gated, shared heads': {
    ...{ positions: 'rotary', norm: 'rms', gated: true, activation: 'silu', numKvHeads: 1 },
  },
  'encoder and decoder': { encoder: { numLayers: 2 } },
};
const [length, seen] = [6, 4];
const rows = (pad) => [
  [1, 2, 3, 4, pad, pad],
  [5, 6, 1, 0, 2, 3],
];
const lens = [seen, length];

/** Numbers of the positions that are not padding. */
const real = ({ data, shape: [, , size] }) => [
  ...data.subarray(0, seen * size),
  ...data.subarray(length * size, 2 * length * size),
];

for (const [name, kind] of Object.entries(kinds)) {
  test(name, () => {
    const model = new Transformer({ ...options, ...kind });
    const dict = model.stateDict();
    dict['embedding.weight'].data.fill(NaN, padding * 12, padding * 12 + 12);
    model.loadStateDict(dict);
    const pass = (pad) =>
      kind.encoder
        ? model.forward(rows(0), { source: rows(pad), sourceValidLens: lens }).encoderHidden
        : model.forward(rows(pad), { validLens: lens }).hidden;
    const [got, expected] = [pass(padding), pass(0)];
    assert.ok(maxDifference(real(got), real(expected)) <= 5e-6);
    assert.ok(real(got).every(Number.isFinite));
    assert.ok(got.data.subarray(seen * 12, length * 12).every(Number.isNaN));
    if (kind.encoder) {
      const given = { source: rows(padding), sourceValidLens: lens };
      assert.ok(model.forward(rows(0), given).hidden.data.every(Number.isFinite));
    }
    model.dispose();
  });
}
