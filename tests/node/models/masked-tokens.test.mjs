// Padded tokens, NaN included, change nothing at the others, wherever they are.
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
const length = 6;
const real = [1, 2, 3, 4];
const other = [5, 6, 1, 0, 2, 3];
const seen = Object.fromEntries(
  Object.entries({ behind: '111100', before: '001111', among: '101011' }).map(([place, bits]) => [
    place,
    [Array.from(bits, Number), new Array(length).fill(1)],
  ]),
);

/** Tokens of which the mask is true, and `pad` where it is not. */
const padded = ([own], pad) => {
  const rest = real.values();
  return [own.map((bit) => (bit ? rest.next().value : pad)), other];
};
const rowsOf = ({ data, shape: [, , size] }, mask, bit) =>
  mask
    .flat()
    .flatMap((own, row) => (own === bit ? [...data.subarray(row * size, (row + 1) * size)] : []));

for (const [name, kind] of Object.entries(kinds)) {
  test(name, () => {
    const model = new Transformer({ ...options, ...kind });
    const dict = model.stateDict();
    dict['embedding.weight'].data.fill(NaN, padding * 12, padding * 12 + 12);
    model.loadStateDict(dict);
    const pass = (tokens, given) =>
      kind.encoder
        ? model.forward([other, other], { source: tokens, ...given }).encoderHidden
        : model.forward(tokens, given).hidden;
    const expected = [real, other].flatMap((tokens) => [
      ...(kind.encoder
        ? model.forward([other], { source: [tokens] }).encoderHidden.data
        : model.forward([tokens]).hidden.data),
    ]);
    for (const [place, mask] of Object.entries(seen)) {
      const tokens = padded(mask, padding);
      const byMask = { [kind.encoder ? 'sourceKeyMask' : 'keyMask']: mask };
      const byLength = { [kind.encoder ? 'sourceValidLens' : 'validLens']: [4, length] };
      for (const given of place === 'behind' ? [byMask, byLength] : [byMask]) {
        const got = pass(tokens, given);
        assert.ok(maxDifference(rowsOf(got, mask, 1), expected) <= 5e-6, place);
        assert.ok(rowsOf(got, mask, 0).every(Number.isNaN), place);
        if (kind.encoder) {
          const { hidden } = model.forward([other, other], { source: tokens, ...given });
          assert.ok(hidden.data.every(Number.isFinite));
        }
      }
    }
    model.dispose();
  });
}

test('a left-padded batch is decoded and trained as its rows are alone', async () => {
  for (const positions of ['learned', 'sinusoidal', 'rotary']) {
    const model = new Transformer({ ...options, positions, maxLength: 5 });
    const cache = model.createCache({ batchSize: 2, maxLength: 8 });
    const [tokens, keyMask] = [padded(seen.before, padding).map((row) => row.slice(0, 4)), []];
    tokens[1] = [5, 6, 1, 0];
    const rows = [
      [1, 2],
      [5, 6, 1, 0],
    ];
    const dict = model.stateDict();
    dict['embedding.weight'].data.fill(NaN, padding * 12, padding * 12 + 12);
    model.loadStateDict(dict);
    keyMask.push([0, 0, 1, 1], [1, 1, 1, 1]);
    for (let chunk = tokens; ; chunk = [[3], [2]]) {
      const { logits } = model.forward(chunk, { keyMask, cache });
      rows.forEach((row, i) => {
        const alone = model.forward(row).logits.data.slice(-8);
        const own = logits.data.slice(0, (i + 1) * chunk[0].length * 8).slice(-8);
        assert.ok(maxDifference(own, alone) <= 5e-6, positions);
      });
      if (chunk !== tokens) break;
      rows[0].push(3);
      rows[1].push(2);
      keyMask.forEach((row) => row.push(1));
    }
    const forgotten = {
      code: 'invalid-option',
      message: /^keyMask: expected one of cached and new/,
    };
    assert.throws(() => model.forward([[3], [2]], { cache }), forgotten);
    const given = { maxNewTokens: 3 };
    const generated = await model.generate([padding, padding, 1, 2], {
      ...given,
      keyMask: [0, 0, 1, 1],
    });
    assert.deepEqual(generated, await model.generate([1, 2], given));
    const targets = [
      [-1, -1, 2, 3],
      [6, 1, 0, 2],
    ];
    const loss = model.loss(tokens, targets, { keyMask: [[0, 0, 1, 1], new Array(4).fill(1)] });
    const alone = 2 * model.loss([1, 2], [2, 3]) + 4 * model.loss([5, 6, 1, 0], targets[1]);
    assert.ok(Math.abs(loss - alone / 6) <= 1e-5, positions);
    model.dispose();
  }
});

test('positions of tokens are counted past the padding token wherever it is', () => {
  const model = new Transformer({
    ...{
      ...options,
      causal: false,
      positionOffset: padding + 1,
      paddingToken: padding,
      maxLength: 4,
    },
  });
  const alone = model.forward(real).hidden.data;
  for (const [place, mask] of Object.entries(seen)) {
    const [tokens] = padded(mask, padding);
    const got = model.forward([tokens], { keyMask: [mask[0]] }).hidden;
    assert.ok(maxDifference(rowsOf(got, [mask[0]], 1), alone) <= 5e-6, place);
  }
  // Without a mask, padding is attended to; it stands at the row before the first.
  const dict = model.stateDict();
  dict['position.weight'].data.fill(NaN, padding * 12, (padding + 1) * 12);
  model.loadStateDict(dict);
  assert.ok(model.forward(real).hidden.data.every(Number.isFinite));
  assert.ok(model.forward([1, padding]).hidden.data.every(Number.isNaN));
  model.dispose();
});
