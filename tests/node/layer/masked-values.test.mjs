// What masked keys and values hold never reaches a result.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, scaledDotProductAttention, Tensor } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

await init();

const layers = [
  { numHeads: 3, bias: true },
  { numHeads: 2, numKvHeads: 1 },
  { numHeads: 2, pooling: 'additive' },
  { numHeads: 2, projection: 'convolution' },
  { numHeads: 2, projection: 'none' },
  { numHeads: 2, biasKv: true, zeroAttention: true },
];

const inputs = () => ({
  queries: Tensor.randn([2, 3, 6], 1),
  keys: Tensor.randn([2, 6, 6], 2),
  values: Tensor.randn([2, 6, 6], 3),
});

function spoil({ data, shape: [batch, length, size] }, key, bad) {
  for (let b = 0; b < batch; b++) {
    const first = (b * length + key) * size;
    data.fill(bad, first, first + size);
  }
}

/** Runs `use` with each layer's forward pass. */
function withEachLayer(use) {
  for (const options of layers) {
    const layer = new MultiHeadAttention({ numHiddens: 6, seed: 1, ...options });
    use(({ queries, keys, values }, given) => layer.forward(queries, keys, values, given), layer);
    layer.dispose();
  }
}

const near = (actual, expected, tolerance = 1e-6) =>
  assert.ok(maxDifference(actual.data, expected.data) <= tolerance);

// Keys 4 and 5 of each sample are for nobody, each mask in its own way.
const added = [0, -1, 2, 0.5, -Infinity, -Infinity];
const masksOfTheLastTwoKeys = [
  { validLens: [4, 4] },
  {
    validLens: [
      [4, 1, 3],
      [2, 0, 4],
    ],
  },
  { mask: [true, true, true, true, false, false] },
  { mask: added },
  { causal: true },
  { window: [1, 1] },
  { validLens: [4, 0], mask: added, causal: true },
];

test('NaN and infinity in keys and values that nobody sees change nothing', () => {
  const clean = inputs();
  withEachLayer((forward) => {
    for (const masks of masksOfTheLastTwoKeys) {
      for (const bad of [NaN, Infinity, -Infinity]) {
        const spoilt = inputs();
        for (const key of [4, 5]) {
          spoil(spoilt.keys, key, bad);
          spoil(spoilt.values, key, bad);
        }
        for (const weightsStage of ['masked', 'softmax']) {
          const expected = forward(clean, { ...masks, weightsStage, returnWeights: true });
          const result = forward(spoilt, { ...masks, weightsStage, returnWeights: true });
          near(result.output, expected.output);
          near(result.attentionWeights, expected.attentionWeights, 0);
          near(forward(spoilt, masks).output, expected.output);
        }
      }
    }
  });
});

test('NaN in a key or value reaches the queries that see it and no others', () => {
  const mask = [0, 1, 2].map((query) => [0, 1, 2, 3, 4, 5].map((key) => query !== 1 || key !== 2));
  withEachLayer((forward, layer) => {
    const expected = forward(inputs(), { mask }).output;
    for (const spoilt of ['keys', 'values']) {
      const given = inputs();
      spoil(given[spoilt], 2, NaN);
      const { output, attentionWeights } = forward(given, { mask, returnWeights: true });
      for (const sample of [0, 1]) {
        for (let e = 0; e < 6; e++) {
          assert.ok(Number.isNaN(output.at(sample, 0, e)));
          assert.ok(Math.abs(output.at(sample, 1, e) - expected.at(sample, 1, e)) <= 1e-6);
          assert.ok(Number.isNaN(output.at(sample, 2, e)));
        }
        for (let head = 0; head < layer.numHeads; head++) {
          assert.equal(attentionWeights.at(sample, head, 1, 2), 0);
          const weight = attentionWeights.at(sample, head, 0, 2);
          assert.equal(Number.isNaN(weight), spoilt === 'keys');
        }
      }
    }
  });
});

test('what one head masks another may read', () => {
  const layer = new MultiHeadAttention({ numHiddens: 6, numHeads: 3, seed: 1 });
  const { queries, keys, values } = inputs();
  const mask = [[[false]], [[true]], [[false]]];
  for (const emptyRows of ['zero', 'uniform']) {
    const result = layer.forward(queries, keys, values, { mask, emptyRows, returnWeights: true });
    const plain = layer.forward(queries, keys, values, { returnWeights: true }).attentionWeights;
    const weights = result.attentionWeights;
    for (let key = 0; key < 6; key++) {
      assert.equal(weights.at(1, 1, 2, key), plain.at(1, 1, 2, key));
      assert.equal(weights.at(1, 0, 2, key), emptyRows === 'zero' ? 0 : Math.fround(1 / 6));
    }
  }
  layer.dispose();
});

test('a masked key weighs 0 beside a NaN score, whatever masks it', () => {
  for (const masks of [
    { validLens: [2] },
    { mask: [true, true, false] },
    { mask: [0, 1, -Infinity] },
    { window: [0, 1] },
  ]) {
    const keys = [[[[NaN], [1], [1]]]];
    const values = [[[[1], [1], [1]]]];
    const { output, attentionWeights } = scaledDotProductAttention([[[[1]]]], keys, values, {
      ...masks,
      returnWeights: true,
    });
    assert.deepEqual([...attentionWeights.data], [NaN, NaN, 0]);
    assert.deepEqual([...output.data], [NaN]);
  }
});

test('the stages before the masks show what masked keys hold, the output still does not', () => {
  const layer = new MultiHeadAttention({ numHiddens: 6, numHeads: 3, seed: 1 });
  const { queries, keys, values } = inputs();
  const masks = { validLens: [4, 4] };
  const expected = layer.forward(queries, keys, values, masks).output;
  spoil(keys, 5, NaN);
  spoil(values, 5, NaN);
  for (const weightsStage of ['raw', 'softcap']) {
    const options = { ...masks, weightsStage, returnWeights: true };
    const { output, attentionWeights } = layer.forward(queries, keys, values, options);
    assert.ok(Number.isFinite(attentionWeights.at(0, 0, 0, 4)));
    assert.ok(Number.isNaN(attentionWeights.at(0, 0, 0, 5)));
    near(output, expected);
  }
  layer.dispose();
});

test('uniform empty rows read every value, masked ones included, and no key', () => {
  const layer = new MultiHeadAttention({ numHiddens: 6, numHeads: 3, seed: 1 });
  const { queries, keys, values } = inputs();
  const masks = { validLens: [0, 6], emptyRows: 'uniform' };
  const expected = layer.forward(queries, keys, values, masks).output;
  keys.data.fill(NaN, 0, 36);
  near(layer.forward(queries, keys, values, masks).output, expected, 0);
  values.data[35] = NaN;
  assert.ok(Number.isNaN(layer.forward(queries, keys, values, masks).output.at(0, 0, 0)));
  layer.dispose();
});

test('extra slots keep a row from being empty, so that it reads no masked value', () => {
  const options = { numHiddens: 6, numHeads: 3, zeroAttention: true, seed: 1 };
  const layer = new MultiHeadAttention(options);
  const { queries, keys, values } = inputs();
  values.data.fill(NaN);
  const masks = { validLens: [0, 0], emptyRows: 'uniform' };
  const { output } = layer.forward(queries, keys, values, masks);
  assert.ok(output.data.every((x) => x === 0));
  layer.dispose();
});
