// What padded tokens hold never reaches a position that does not see them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, Transformer } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

await init();

const padding = 7;
const options = {
  vocabularySize: 8,
  maxLength: 8,
  numHiddens: 12,
  numLayers: 2,
  numHeads: 3,
  seed: 2,
};
const kinds = {
  'pre-norm': {},
  'post-norm': { normFirst: false, embeddingNorm: true, positions: 'sinusoidal' },
  'rotary, gated, shared heads': {
    ...{
      positions: 'rotary',
      norm: 'rms',
      gated: true,
      activation: 'silu',
      numHeads: 2,
      numKvHeads: 1,
    },
  },
};
const [length, seen] = [6, 4];
const rows = (pad) => [
  [1, 2, 3, 4, pad, pad],
  [5, 6, 1, 0, 2, 3],
];
const validLens = [seen, length];

const near = (actual, expected) => assert.ok(maxDifference(actual, expected) <= 5e-6);

/** The model with the embedding of padding made `bad`. */
function spoilt(given, bad) {
  const model = new Transformer({ ...options, ...given });
  const dict = model.stateDict();
  dict['embedding.weight'].data.fill(bad, padding * 12, padding * 12 + 12);
  model.loadStateDict(dict);
  return model;
}

/** Numbers of the positions that are no padding. */
const real = ({ data, shape: [, , size] }) => [
  ...data.subarray(0, seen * size),
  ...data.subarray(length * size, 2 * length * size),
];

for (const [name, kind] of Object.entries(kinds)) {
  for (const bad of [NaN, Infinity, -Infinity]) {
    // Untied, so that what is spoilt is read by nothing but the padded tokens.
    const given = { ...kind, tiedEmbeddings: false };

    test(`${name}: ${bad} in padded tokens stays there`, () => {
      for (const causal of [true, false]) {
        const model = spoilt({ ...given, causal }, bad);
        const result = model.forward(rows(padding), { validLens, returnWeights: true });
        const expected = model.forward(rows(0), { validLens, returnWeights: true });
        near(real(result.hidden), real(expected.hidden));
        assert.ok(real(result.hidden).every(Number.isFinite));
        near(real(result.logits), real(expected.logits));
        const padded = result.hidden.data.subarray(seen * 12, length * 12);
        assert.ok(padded.every(Number.isNaN));
        for (const [layer, weights] of result.attentionWeights.entries()) {
          for (let head = 0; head < weights.shape[1]; head++) {
            for (let query = 0; query < seen; query++) {
              for (let key = 0; key < length; key++) {
                const weight = weights.at(0, head, query, key);
                const other = expected.attentionWeights[layer].at(0, head, query, key);
                near([weight], [other]);
                assert.equal(key >= seen ? weight : 0, 0);
              }
            }
          }
        }
        model.dispose();
      }
    });

    test(`${name}: ${bad} in a padded source stays there`, () => {
      const model = spoilt({ ...given, encoder: { numLayers: 2 } }, bad);
      const pass = (pad) =>
        model.forward(
          [
            [1, 2],
            [3, 4],
          ],
          { source: rows(pad), sourceValidLens: validLens },
        );
      const [result, expected] = [pass(padding), pass(0)];
      near(result.hidden.data, expected.hidden.data);
      assert.ok(result.hidden.data.every(Number.isFinite));
      near(real(result.encoderHidden), real(expected.encoderHidden));
      model.dispose();
    });
  }
}
