import assert from 'node:assert/strict';
import test from 'node:test';
import {
  additiveAttention,
  init,
  MultiHeadAttention,
  scaledDotProductAttention,
  Tensor,
} from 'headwise';
import { maxDifference } from '../lib/compare.mjs';

await init();

/**
 * Which keys each query sees, a line a query: x for seen, . for masked. Queries are zero, so that what
 * is seen weighs the same; values are rows of the identity, so that the output must repeat the
 * weights.
 */
function seen(numQueries, numKeys, options) {
  const queries = Tensor.zeros([1, 1, numQueries, 2]);
  const keys = Tensor.randn([1, 1, numKeys, 2], 1);
  const values = Tensor.zeros([1, 1, numKeys, numKeys]);
  for (let key = 0; key < numKeys; key++) values.data[key * numKeys + key] = 1;
  const pool = (weightsStage) =>
    scaledDotProductAttention(queries, keys, values, {
      ...options,
      weightsStage,
      returnWeights: true,
    });
  const { output, attentionWeights } = pool('softmax');
  const masked = pool('masked').attentionWeights;
  assert.deepEqual(output.data, attentionWeights.data);
  return Array.from({ length: numQueries }, (_, i) => {
    const weights = [...attentionWeights.data.subarray(i * numKeys, (i + 1) * numKeys)];
    const row = weights.map((weight) => (weight > 0 ? 'x' : '.'));
    const count = row.filter((mark) => mark === 'x').length;
    row.forEach((mark, j) => {
      assert.ok(Math.abs(weights[j] - (mark === 'x' ? 1 / count : 0)) <= 1e-7);
      if (options?.emptyRows !== 'uniform') {
        assert.equal(masked.data[i * numKeys + j] === -Infinity, mark === '.');
      }
    });
    return row.join('');
  });
}

const expectSeen = (numQueries, numKeys, options, expected) =>
  assert.deepEqual(seen(numQueries, numKeys, options), expected);

/** Masks written as rows are read: x for allowed. */
const booleanMask = (...rows) => rows.map((row) => [...row].map((mark) => mark === 'x'));
const floatMask = (...rows) =>
  rows.map((row) => [...row].map((mark) => (mark === 'x' ? 0 : -Infinity)));

test('lengths leave a prefix, by sample or by query', () => {
  expectSeen(2, 4, {}, ['xxxx', 'xxxx']);
  expectSeen(2, 4, { validLens: [3] }, ['xxx.', 'xxx.']);
  expectSeen(3, 4, { validLens: [[4, 1, 0]] }, ['xxxx', 'x...', '....']);
});

test('causal queries see keys up to their own position, from the top left', () => {
  const causal = { causal: true };
  expectSeen(3, 3, causal, ['x..', 'xx.', 'xxx']);
  expectSeen(2, 4, causal, ['x...', 'xx..']);
  expectSeen(4, 2, causal, ['x.', 'xx', 'xx', 'xx']);
  expectSeen(2, 5, { causal: true, queryOffset: 2 }, ['xxx..', 'xxxx.']);
  expectSeen(2, 3, { causal: true, queryOffset: 9 }, ['xxx', 'xxx']);
  expectSeen(2, 3, { causal: false }, ['xxx', 'xxx']);
});

test('bottom-right puts the last query at the last key; queries before the first see nothing', () => {
  const causal = { causal: 'bottom-right' };
  expectSeen(3, 3, causal, ['x..', 'xx.', 'xxx']);
  expectSeen(2, 4, causal, ['xxx.', 'xxxx']);
  expectSeen(5, 2, causal, ['..', '..', '..', 'x.', 'xx']);
  expectSeen(3, 2, { ...causal, emptyRows: 'uniform' }, ['xx', 'x.', 'xx']);
});

test('a window limits the distance from a query’s own position', () => {
  const window = (left, right) => ({ window: [left, right] });
  expectSeen(4, 5, window(1, 1), ['xx...', 'xxx..', '.xxx.', '..xxx']);
  expectSeen(3, 3, window(0, 0), ['x..', '.x.', '..x']);
  expectSeen(3, 4, window(Infinity, 0), ['x...', 'xx..', 'xxx.']);
  expectSeen(3, 4, window(0, Infinity), ['xxxx', '.xxx', '..xx']);
  expectSeen(3, 4, window(Infinity, Infinity), ['xxxx', 'xxxx', 'xxxx']);
  expectSeen(3, 4, window(Number.MAX_SAFE_INTEGER, 1e12), ['xxxx', 'xxxx', 'xxxx']);
  // Past the last key
  expectSeen(4, 2, window(1, 0), ['x.', 'xx', '.x', '..']);
});

test('a window stands where causality puts the query', () => {
  const window = [1, 2];
  expectSeen(3, 5, { causal: true, window }, ['x....', 'xx...', '.xx..']);
  expectSeen(3, 5, { causal: 'bottom-right', window }, ['.xx..', '..xx.', '...xx']);
  expectSeen(2, 6, { window, queryOffset: 2 }, ['.xxxx.', '..xxxx']);
  expectSeen(4, 2, { causal: 'bottom-right', window: [0, 0] }, ['..', '..', 'x.', '.x']);
});

test('a boolean mask says what may be attended to, and −∞ added to a score masks alike', () => {
  const rows = ['x.x', '.x.', '...', 'xxx'];
  const bytes = Uint8Array.from(booleanMask(...rows).flat());
  for (const mask of [
    booleanMask(...rows),
    floatMask(...rows),
    { data: bytes, shape: [4, 3] },
    { data: [...bytes].map(Boolean), dims: [4, 3] },
    new Tensor(floatMask(...rows).flat(), [4, 3]),
  ]) {
    expectSeen(4, 3, { mask }, rows);
  }
  const uniform = { mask: booleanMask(...rows), emptyRows: 'uniform' };
  expectSeen(4, 3, uniform, ['x.x', '.x.', 'xxx', 'xxx']);
});

test('all masks apply together', () => {
  const all = {
    validLens: [5],
    mask: booleanMask('xx.xxx'),
    causal: true,
    window: [3, 7],
    queryOffset: 1,
  };
  expectSeen(6, 6, all, [
    'xx....', // causality
    'xx....', // the mask
    'xx.x..',
    '.x.xx.', // the window
    '...xx.', // the length
    '...xx.',
  ]);
  const others = { validLens: [[2, 4]], mask: floatMask('..xx'), causal: 'bottom-right' };
  expectSeen(2, 4, others, ['....', '..xx']);
});

test('a row that any kind of mask empties is zero, or uniform over every key', () => {
  for (const options of [
    { validLens: [0] },
    { validLens: [[0, 0]] },
    { mask: booleanMask('...', '...') },
    { mask: floatMask('...') },
    { window: [1, 1], queryOffset: 9 },
    // Together only: the length leaves key 0, the mask the others.
    { validLens: [1], mask: booleanMask('.xx') },
  ]) {
    expectSeen(2, 3, options, ['...', '...']);
    expectSeen(2, 3, { ...options, emptyRows: 'uniform' }, ['xxx', 'xxx']);
  }
  expectSeen(2, 0, {}, ['', '']);
  expectSeen(2, 0, { emptyRows: 'uniform' }, ['', '']);
});

/** The mask written out in full: (2, 3, 4, 5). */
function writtenOut({ data, shape }) {
  const full = [2, 3, 4, 5];
  const numbers = data.constructor.from({ length: 120 }, (_, index) => {
    const place = full.map((_, axis) => {
      const inner = full.slice(axis + 1).reduce((product, size) => product * size, 1);
      return Math.floor(index / inner) % full[axis];
    });
    const offset = shape.reduce(
      (sum, size, axis) => sum * size + (size === 1 ? 0 : place[4 - shape.length + axis]),
      0,
    );
    return data[offset];
  });
  return { data: numbers, shape: full };
}

test('a mask of any shape that broadcasts is that mask written out', () => {
  const layer = new MultiHeadAttention({ numHiddens: 6, numHeads: 3, seed: 1 });
  const queries = Tensor.randn([2, 4, 6], 1);
  const keys = Tensor.randn([2, 5, 6], 2);
  const forward = (mask) => layer.forward(queries, keys, keys, { mask, returnWeights: true });
  const shapes = [0, 1, 2, 3, 4].flatMap((rank) =>
    Array.from({ length: 2 ** rank }, (_, repeated) =>
      [2, 3, 4, 5].slice(4 - rank).map((size, axis) => ((repeated >> axis) & 1 ? 1 : size)),
    ),
  );
  assert.equal(shapes.length, 31);
  shapes.forEach((shape, i) => {
    const added = Tensor.randn(shape, i + 1);
    const bytes = { data: Uint8Array.from(added.data, (x) => Number(x > -0.5)), shape };
    const minusInfinity = {
      data: Float32Array.from(bytes.data, (bit) => (bit ? 0 : -Infinity)),
      shape,
    };
    for (const [mask, full] of [
      [added, added],
      [bytes, bytes],
      [minusInfinity, bytes],
    ]) {
      assert.deepEqual(forward(mask), forward(writtenOut(full)), `shape ${shape}`);
    }
  });
  layer.dispose();
});

test('the mask of a function without heads has none: (batch, queries, keys)', () => {
  const [Q, K] = [Tensor.randn([2, 3, 4], 1), Tensor.randn([2, 5, 4], 2)];
  const parameters = {
    W_q: Tensor.randn([6, 4], 3),
    W_k: Tensor.randn([6, 4], 4),
    w_v: Tensor.randn([1, 6], 5),
  };
  const validLens = [
    [1, 2, 3],
    [5, 4, 0],
  ];
  const mask = validLens.map((lens) =>
    lens.map((length) => Array.from({ length: 5 }, (_, key) => key < length)),
  );
  const attend = (options) => additiveAttention(Q, K, K, parameters, options).output;
  assert.ok(maxDifference(attend({ mask }).data, attend({ validLens }).data) <= 1e-6);
});
