import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { assertFails, maxDifference } from '../lib/compare.mjs';
import { positions } from '../lib/tensors.mjs';

await init();

const length = 9;
const sizes = { querySize: 5, keySize: 4, valueSize: 3 };
const options = { numHiddens: 12, numHeads: 4, bias: true, ...sizes, numKvHeads: 2, seed: 1 };

const makeInputs = (seed = 1) => [
  Tensor.randn([2, length, 5], seed),
  Tensor.randn([2, length, 4], seed + 1),
  Tensor.randn([2, length, 3], seed + 2),
];
const inputs = makeInputs();

const part = (tensors, begin, end) => tensors.map((tensor) => positions(tensor, begin, end));

/** Runs `use` with a layer and an empty cache of it, and disposes of both. */
function withCache(maxLength, use) {
  const layer = new MultiHeadAttention(options);
  const cache = layer.createCache({ batchSize: 2, maxLength });
  try {
    return use(layer, cache);
  } finally {
    cache.dispose();
    layer.dispose();
  }
}

const near = (actual, expected) =>
  assert.ok(maxDifference(actual.data, expected.data) <= 1e-6, 'not near');

test('decoding in chunks of any sizes equals the causal pass', () => {
  for (const chunks of [[9], [1, 1, 1, 1, 1, 1, 1, 1, 1], [5, 1, 1, 1, 1], [4, 3, 2], [1, 8]]) {
    withCache(length, (layer, cache) => {
      const causal = { causal: true, returnWeights: true };
      const whole = layer.forward(...inputs, causal);
      let begin = 0;
      for (const chunk of chunks) {
        assert.equal(cache.length, begin);
        const end = begin + chunk;
        const result = layer.forward(...part(inputs, begin, end), { ...causal, cache });
        near(result.output, positions(whole.output, begin, end));
        assert.deepEqual(result.attentionWeights.shape, [2, 4, chunk, end]);
        for (let i = 0; i < chunk; i++) {
          const row = (tensor, query) => tensor.toArray()[1][3][query].slice(0, end);
          const expected = row(whole.attentionWeights, begin + i);
          assert.ok(maxDifference(row(result.attentionWeights, i), expected) <= 1e-6);
        }
        begin = end;
      }
      assert.equal(cache.length, length);
    });
  }
});

test('a window looks back into the cache', () =>
  withCache(length, (layer, cache) => {
    const window = { causal: true, window: [2, Infinity] };
    const whole = layer.forward(...inputs, window).output;
    for (let i = 0; i < length; i++) {
      const { output } = layer.forward(...part(inputs, i, i + 1), { ...window, cache });
      near(output, positions(whole, i, i + 1));
    }
  }));

test('lengths and masks speak of cached and new keys together', () => {
  for (const masks of [
    {},
    { validLens: [9, 4] },
    {
      validLens: [
        [9, 7, 0],
        [1, 6, 8],
      ],
    },
    { mask: [true, true, false, true, true, true, false, true, true] },
    { causal: 'bottom-right' },
  ]) {
    withCache(length, (layer, cache) => {
      layer.forward(...part(inputs, 0, 6), { cache });
      const given = { ...masks, returnWeights: true };
      const result = layer.forward(...part(inputs, 6, 9), { ...given, cache });
      const [queries] = part(inputs, 6, 9);
      const expected = layer.forward(queries, inputs[1], inputs[2], given);
      near(result.output, expected.output);
      near(result.attentionWeights, expected.attentionWeights);
    });
  }
  withCache(length, (layer, cache) => {
    layer.forward(...part(inputs, 0, 6), { cache });
    assertFails(
      () => layer.forward(...part(inputs, 6, 9), { cache, validLens: [9, 10] }),
      'invalid-value',
      'validLens: expected integers from 0 to 9, got 10',
    );
    assert.equal(cache.length, 6);
  });
});

test('samples of a batch may have different lengths', () =>
  withCache(length, (layer, cache) => {
    // Sample 1 was padded from position 4 on with what must not count.
    const padded = makeInputs();
    padded[1].data.fill(NaN, (length + 4) * 4, (length + 8) * 4);
    padded[2].data.fill(Infinity, (length + 4) * 3, (length + 8) * 3);
    layer.forward(...part(padded, 0, 8), { cache });
    const last = layer.forward(...part(padded, 8, 9), { cache, validLens: [9, 4] }).output;
    const [queries] = part(inputs, 8, 9);
    [9, 4].forEach((own, sample) => {
      const [, keys, values] = part(inputs, 0, own);
      const expected = layer.forward(queries, keys, values).output;
      assert.ok(maxDifference(last.toArray()[sample][0], expected.toArray()[sample][0]) <= 1e-6);
    });
  }));

test('without keys and values a forward attends to the cache and adds nothing', () =>
  withCache(20, (layer, cache) => {
    const [queries, keys, values] = inputs;
    layer.forward(Tensor.zeros([2, 0, 5]), keys, values, { cache });
    const masks = { validLens: [9, 3] };
    const expected = layer.forward(queries, keys, values, masks).output;
    for (let time = 0; time < 3; time++) {
      near(layer.forward(queries, null, null, { ...masks, cache }).output, expected);
      assert.equal(cache.length, length);
    }
    assertFails(
      () => layer.forward(queries, null, null),
      'invalid-cache',
      'cache: expected one beside null keys and values, got none',
    );
    for (const [k, v] of [
      [null, values],
      [keys, null],
    ]) {
      assertFails(
        () => layer.forward(queries, k, v, { cache }),
        'invalid-type',
        /^(keys|values): /,
      );
    }
    assert.equal(cache.length, length);
  }));

test('an empty cache alone leaves every row empty', () =>
  withCache(1, (layer, cache) => {
    const result = layer.forward(inputs[0], null, null, { cache, returnWeights: true });
    assert.deepEqual(result.attentionWeights.shape, [2, 4, 9, 0]);
    const bias = layer.stateDict()['W_o.bias'].data;
    assert.ok(result.output.data.every((x, i) => x === bias[i % 12]));
  }));

test('a full cache is an error that leaves it usable', () =>
  withCache(8, (layer, cache) => {
    assert.deepEqual([cache.batchSize, cache.maxLength, cache.length], [2, 8, 0]);
    const whole = layer.forward(...inputs, { causal: true }).output;
    const feed = (begin, end) =>
      layer.forward(...part(inputs, begin, end), { causal: true, cache }).output;
    feed(0, 6);
    assertFails(() => feed(6, 9), 'cache-full', 'cache: expected room for 3 positions, got 2 of 8');
    assert.equal(cache.length, 6);
    near(feed(6, 8), positions(whole, 6, 8));
    assertFails(() => feed(8, 9), 'cache-full', 'cache: expected room for 1 positions, got 0 of 8');
  }));

test('truncate and reset forget, and what comes next takes the place', () =>
  withCache(length, (layer, cache) => {
    const whole = layer.forward(...inputs, { causal: true }).output;
    const feed = (tensors, begin, end) =>
      layer.forward(...part(tensors, begin, end), { causal: true, cache }).output;
    feed(inputs, 0, 5);
    feed(makeInputs(50), 5, 9);
    for (const bad of [10, -1, 1.5, NaN, '1']) {
      assertFails(
        () => cache.truncate(bad),
        'invalid-value',
        /^length: expected an integer from 0 to 9, got /,
      );
    }
    assert.equal(cache.length, 9);
    cache.truncate(5);
    assert.equal(cache.length, 5);
    near(feed(inputs, 5, 9), positions(whole, 5, 9));
    cache.reset();
    assert.equal(cache.length, 0);
    near(feed(inputs, 0, 9), whole);
  }));

test('a cache goes with its own layer, its batch size and known sizes', () =>
  withCache(length, (layer, cache) => {
    const twin = new MultiHeadAttention(options);
    assertFails(
      () => twin.forward(...inputs, { cache }),
      'invalid-cache',
      "cache: expected one that this layer made, got another layer's",
    );
    twin.dispose();
    const one = [Tensor.ones([1, 1, 5]), Tensor.ones([1, 1, 4]), Tensor.ones([1, 1, 3])];
    assertFails(
      () => layer.forward(...one, { cache }),
      'invalid-cache',
      'cache: expected a batch size of 1, got 2',
    );
    assert.equal(cache.length, 0);
    const unknown = new MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
    const make = () => unknown.createCache({ batchSize: 1, maxLength: 1 });
    assertFails(make, 'sizes-unknown', /^createCache: /);
    unknown.dispose();
  }));

test('a call that fails for another reason leaves the cache as it was', () =>
  withCache(length, (layer, cache) => {
    layer.forward(...part(inputs, 0, 4), { cache });
    const expected = layer.forward(inputs[0], null, null, { cache });
    for (const bad of [
      { validLens: [1] },
      { mask: [NaN] },
      { window: [-1, 0] },
      { headGate: [1, 2] },
      { causal: 'top-left' },
      { out: { output: new Float32Array(3) } },
      { weightsStage: 'none' },
    ]) {
      assert.throws(() => layer.forward(...part(inputs, 4, 6), { ...bad, cache }), {
        name: 'HeadwiseError',
      });
    }
    assert.equal(cache.length, 4);
    assert.deepEqual(layer.forward(inputs[0], null, null, { cache }), expected);
  }));

test('a cache that was disposed of says so, and disposing again does nothing', () =>
  withCache(length, (layer, cache) => {
    cache.dispose();
    cache.dispose();
    cache[Symbol.dispose]?.();
    const text = 'cache: expected one in use, got one that was disposed of';
    assertFails(() => layer.forward(...inputs, { cache }), 'disposed', text);
    assertFails(() => cache.truncate(0), 'disposed', text);
    assertFails(() => cache.reset(), 'disposed', text);
    assertFails(
      () => layer.forward(...inputs, { cache: {} }),
      'invalid-type',
      /^cache: expected one that createCache made, got /,
    );
  }));
