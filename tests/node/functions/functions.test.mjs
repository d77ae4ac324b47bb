import assert from 'node:assert/strict';
import test from 'node:test';
import {
  init,
  maskedSoftmax,
  positionalEncoding,
  scaledDotProductAttention,
  splitHeads,
  Tensor,
  transposeOutput,
  transposeQkv,
} from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

await init();

/** Softmax over the first `count` scores, in float64. */
function softmax(scores, count) {
  const exponentials = scores.map((score, i) => (i < count ? Math.exp(score) : 0));
  const sum = exponentials.reduce((a, b) => a + b, 0);
  return exponentials.map((exponential) => (sum > 0 ? exponential / sum : 0));
}

/** Attention of one head in float64: rows of queries, keys and values. */
function pool(queries, keys, values, lengths) {
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const weights = queries.map((query, i) => {
    const scores = keys.map((key) => dot(query, key) / Math.sqrt(query.length));
    return softmax(scores, lengths[i]);
  });
  const output = weights.map((row) =>
    values[0].map((_, e) =>
      dot(
        row,
        values.map((v) => v[e]),
      ),
    ),
  );
  return { weights, output };
}

test('maskedSoftmax agrees with float64 for every length', () => {
  const scores = Tensor.randn([5, 2, 9], 1);
  const bySample = [9, 5, 1, 0, 8];
  const byQuery = bySample.map((length) => [length, 9 - length]);
  for (const [validLens, lengthOf] of [
    [undefined, () => 9],
    [bySample, (sample) => bySample[sample]],
    [byQuery, (sample, query) => byQuery[sample][query]],
  ]) {
    const expected = scores
      .toArray()
      .map((rows, sample) => rows.map((row, query) => softmax(row, lengthOf(sample, query))));
    const weights = maskedSoftmax(scores, validLens);
    assert.ok(weights instanceof Tensor);
    assert.deepEqual(weights.shape, [5, 2, 9]);
    assert.ok(maxDifference(weights.data, expected.flat(2)) <= 1e-6);
  }
});

test('maskedSoftmax gives empty rows zeros or the same weight everywhere', () => {
  const scores = [[[NaN, Infinity]], [[1, 2]]];
  assert.deepEqual(maskedSoftmax(scores, [0, 0]).data, new Float32Array(4));
  const uniform = maskedSoftmax(scores, [0, 0], { emptyRows: 'uniform' });
  assert.deepEqual(uniform.data, new Float32Array(4).fill(0.5));
});

test('maskedSoftmax never reads masked scores', () => {
  for (const bad of [NaN, Infinity, -Infinity]) {
    assert.deepEqual(maskedSoftmax([[[1, 1, bad]]], [2]).toArray(), [[[0.5, 0.5, 0]]]);
  }
});

test('maskedSoftmax writes to the memory it is given', () => {
  const scores = Tensor.randn([1, 2, 3], 1);
  const expected = maskedSoftmax(scores);
  const array = new Float32Array(6);
  assert.equal(maskedSoftmax(scores, undefined, { out: array }).data, array);
  assert.deepEqual(array, expected.data);
  const tensor = Tensor.zeros([1, 2, 3]);
  assert.equal(maskedSoftmax(scores, undefined, { out: tensor }), tensor);
  assert.deepEqual(tensor, expected);
  // In place: input and output may be the same.
  assert.equal(maskedSoftmax(scores, undefined, { out: scores }).data, scores.data);
  assert.deepEqual(scores, expected);
});

test('maskedSoftmax of more numbers than go through memory at a time', () => {
  const [batch, length] = [9, 129];
  const size = length * length;
  const scores = Tensor.randn([batch, length, length], 1);
  const byQuery = Array.from({ length: batch }, (_, b) =>
    Array.from({ length }, (_, i) => (7 * b + i) % (length + 1)),
  );
  const lengths = { none: undefined, bySample: byQuery.map((lens) => lens[40]), byQuery };
  for (const [name, validLens] of Object.entries(lengths)) {
    const weights = maskedSoftmax(scores, validLens);
    for (let b = 0; b < batch; b++) {
      const own = new Tensor(scores.data.slice(b * size, (b + 1) * size), [1, length, length]);
      const alone = maskedSoftmax(own, validLens && [validLens[b]]);
      assert.deepEqual(weights.data.slice(b * size, (b + 1) * size), alone.data, `${name} ${b}`);
    }
    // The result may lie over scores that are still to be read.
    const memory = new Float32Array(scores.data.length + size);
    memory.set(scores.data);
    const moved = new Tensor(memory.subarray(0, scores.data.length), scores.shape);
    const out = memory.subarray(size);
    assert.deepEqual(maskedSoftmax(moved, validLens, { out }).data, weights.data, name);
  }
});

test('scaledDotProductAttention agrees with float64', () => {
  const queries = Tensor.randn([2, 3, 18, 5], 1);
  const keys = Tensor.randn([2, 3, 11, 5], 2);
  const values = Tensor.randn([2, 3, 11, 7], 3);
  const byQuery = [0, 1].map((b) => Array.from({ length: 18 }, (_, i) => (5 * b + i) % 12));
  const lengths = { none: undefined, bySample: [11, 4], byQuery };
  for (const [name, validLens] of Object.entries(lengths)) {
    const lengthsOf = (b) =>
      name === 'byQuery' ? byQuery[b] : new Array(18).fill(validLens?.[b] ?? 11);
    const expected = queries
      .toArray()
      .map((heads, b) =>
        heads.map((rows, h) =>
          pool(rows, keys.toArray()[b][h], values.toArray()[b][h], lengthsOf(b)),
        ),
      );
    const options = { validLens, returnWeights: true };
    const result = scaledDotProductAttention(queries, keys, values, options);
    assert.deepEqual(result.output.shape, [2, 3, 18, 7]);
    assert.deepEqual(result.attentionWeights.shape, [2, 3, 18, 11]);
    const flat = (key) => expected.flat().flatMap((head) => head[key].flat());
    assert.ok(maxDifference(result.output.data, flat('output')) <= 4e-6);
    assert.ok(maxDifference(result.attentionWeights.data, flat('weights')) <= 2e-6);

    const plain = scaledDotProductAttention(queries, keys, values, { validLens });
    assert.deepEqual(Object.keys(plain), ['output']);
    assert.deepEqual(plain.output.shape, result.output.shape);
    assert.ok(maxDifference(plain.output.data, result.output.data) <= 1e-6);
  }
});

test('scaledDotProductAttention gives empty rows zeros or the mean of all values', () => {
  const queries = [[[[1]]]];
  const values = [[[[1], [3]]]];
  const keys = [[[[NaN], [1]]]];
  const pooled = (emptyRows) =>
    scaledDotProductAttention(queries, keys, values, { validLens: [0], emptyRows }).output.at(
      0,
      0,
      0,
      0,
    );
  assert.equal(pooled(), 0);
  assert.equal(pooled('uniform'), 2);
});

test('transposeQkv and transposeOutput follow the chapter and invert each other', () => {
  const X = Tensor.randn([2, 3, 8], 1);
  for (const numHeads of [1, 2, 4, 8]) {
    const split = transposeQkv(X, numHeads);
    const size = 8 / numHeads;
    assert.deepEqual(split.shape, [2 * numHeads, 3, size]);
    for (let j = 0; j < 8; j++) {
      const head = Math.floor(j / size);
      assert.equal(split.at(numHeads + head, 2, j % size), X.at(1, 2, j));
    }
    assert.deepEqual(transposeOutput(split, numHeads), X);
  }
});

test('splitHeads moves the heads beside the batch', () => {
  const X = Tensor.randn([2, 3, 8], 1);
  for (const numHeads of [1, 2, 4, 8]) {
    const split = splitHeads(X, numHeads);
    assert.deepEqual(split.shape, [2, numHeads, 3, 8 / numHeads]);
    assert.deepEqual(split.data, transposeQkv(X, numHeads).data);
  }
});

test('positionalEncoding gives d2l’s sinusoids', () => {
  assert.deepEqual(positionalEncoding(1, 4).toArray(), [[0, 1, 0, 1]]);
  for (const numHiddens of [1, 6, 7]) {
    const P = positionalEncoding(61, numHiddens);
    assert.deepEqual(P.shape, [61, numHiddens]);
    const expected = Array.from({ length: 61 }, (_, i) =>
      Array.from({ length: numHiddens }, (_, column) => {
        const angle = i / 10000 ** ((2 * Math.floor(column / 2)) / numHiddens);
        return [Math.sin, Math.cos][column % 2](angle);
      }),
    );
    assert.ok(maxDifference(P.data, expected.flat()) <= 6e-8);
  }
});

test('nothing in, nothing out', () => {
  assert.deepEqual(maskedSoftmax(Tensor.zeros([0, 2, 3])).shape, [0, 2, 3]);
  assert.deepEqual(maskedSoftmax(Tensor.zeros([2, 3, 0]), [0, 0]).shape, [2, 3, 0]);
  assert.deepEqual(transposeQkv(Tensor.zeros([2, 0, 4]), 2).shape, [4, 0, 2]);
  assert.deepEqual(transposeOutput(Tensor.zeros([0, 2, 2]), 2).shape, [0, 2, 4]);
  const [q, k] = [Tensor.ones([1, 1, 2, 3]), Tensor.ones([1, 1, 0, 3])];
  const { output } = scaledDotProductAttention(q, k, k);
  assert.deepEqual(output, Tensor.zeros([1, 1, 2, 3]));
  assert.deepEqual(splitHeads(Tensor.zeros([0, 3, 4]), 2).shape, [0, 2, 3, 2]);
  assert.deepEqual(positionalEncoding(0, 4).shape, [0, 4]);
});
