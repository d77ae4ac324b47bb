// Weights and caches of less than 32 bits: what they hold, and that results are near those of floats.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Adam, init, loadSafetensors, MultiHeadAttention, saveSafetensors, Tensor } from 'headwise';
import { apart, assertFails, largestOf, maxDifference } from '../lib/compare.mjs';
import { positions } from '../lib/tensors.mjs';

await init();

const sizes = { querySize: 12, keySize: 12, valueSize: 12 };
const options = { numHiddens: 12, numHeads: 4, bias: true, ...sizes, seed: 3 };

/** Rounding inputs of products to 15 bits, three times over. */
const of15Bits = 4e-4;

const layers = {
  plain: options,
  'one head of awkward size': { ...options, numHiddens: 33, numHeads: 1 },
  grouped: { ...options, numHiddens: 64, numKvHeads: 2, rotary: {} },
  slots: { ...options, biasKv: true, zeroAttention: true },
  additive: { ...options, pooling: 'additive' },
  convolution: { ...options, projection: 'convolution' },
};

test('float16 weights are what float16 holds', () => {
  const whole = new MultiHeadAttention(options).stateDict();
  const layer = new MultiHeadAttention({ ...options, weights: 'float16' });
  assert.equal(layer.weights, 'float16');
  for (const [name, { data }] of Object.entries(layer.stateDict())) {
    for (const [i, number] of data.entries()) {
      // 11 bits of numbers from 2^−14 on, multiples of 2^−24 below.
      const exponent = Math.max(Math.floor(Math.log2(Math.abs(number) || 1e-30)), -14);
      const unit = 2 ** (exponent - 10);
      const original = whole[name].data[i];
      if (name.endsWith('.bias')) assert.equal(number, original);
      else assert.ok(Number.isInteger(number / unit) && Math.abs(number - original) <= unit / 2);
    }
  }
});

test('int8 weights are up to 127 times a factor of each output', () => {
  const whole = new MultiHeadAttention(options).stateDict();
  const rounded = new MultiHeadAttention({ ...options, weights: 'int8' }).stateDict();
  for (const name of ['W_q.weight', 'W_k.weight', 'W_v.weight', 'W_o.weight']) {
    for (let row = 0; row < 12; row++) {
      const numbers = rounded[name].data.subarray(row * 12, row * 12 + 12);
      const unit = largestOf({ data: numbers }) / 127;
      for (const [i, number] of numbers.entries()) {
        const integer = Math.round(number / unit);
        assert.ok(Math.abs(number - integer * unit) <= 1e-9);
        assert.ok(Math.abs(number - whole[name].data[row * 12 + i]) <= 0.501 * unit);
      }
    }
  }
  assert.deepEqual(rounded['W_q.bias'], whole['W_q.bias']);
});

for (const weights of ['float16', 'int8']) {
  test(`${weights} weights come back from a state dict and a file as they were`, () => {
    for (const settings of Object.values(layers)) {
      const layer = new MultiHeadAttention({ ...settings, weights });
      const dict = layer.stateDict();
      const { tensors } = loadSafetensors(saveSafetensors(dict));
      const copy = new MultiHeadAttention({ ...settings, seed: 9, weights });
      copy.loadStateDict(tensors);
      assert.deepEqual(copy.stateDict(), dict);
    }
  });

  test(`a layer of ${weights} weights computes with what they hold`, () => {
    for (const [name, settings] of Object.entries(layers)) {
      const layer = new MultiHeadAttention({ ...settings, weights });
      const floats = new MultiHeadAttention(settings);
      floats.loadStateDict(layer.stateDict());
      for (const queries of [1, 2, 5, 33]) {
        const X = Tensor.randn([2, queries, 12], 1);
        const Y = Tensor.randn([2, 7, 12], 2);
        const expected = floats.forward(X, Y, Y).output;
        const found = apart(layer.forward(X, Y, Y).output, expected);
        assert.ok(found <= of15Bits, `${name}, ${queries}: ${found}`);
      }
    }
  });

  test(`a layer of ${weights} weights is read from a state dict, copied, and has gradients`, () => {
    const dict = new MultiHeadAttention(options).stateDict();
    const layer = MultiHeadAttention.fromStateDict(dict, { numHeads: 4, weights });
    assert.equal(layer.weights, weights);
    assert.deepEqual(
      layer.stateDict(),
      new MultiHeadAttention({ ...options, weights }).stateDict(),
    );
    const X = Tensor.randn([1, 5, 12], 4);
    const { output } = layer.forward(X, X, X, { requiresGrad: true });
    assert.ok(layer.backward(output).queries.data.every(Number.isFinite));
  });

  test(`${weights} weights are not trained`, () => {
    const layer = new MultiHeadAttention({ ...options, weights });
    const before = layer.stateDict();
    const optimizer = new Adam(layer);
    const problem = `weights: expected 'float32' in what is trained, got "${weights}"`;
    assertFails(() => optimizer.step(), 'invalid-option', problem);
    assert.deepEqual(layer.stateDict(), before);
  });
}

/** Outputs and weights of decoding in chunks with both kinds of cache, as far apart as they come. */
function compareCaches(layer, inputs, chunks, passOptions) {
  const cacheSizes = { batchSize: 2, maxLength: 70 };
  const floats = layer.createCache(cacheSizes);
  const halves = layer.createCache({ ...cacheSizes, precision: 'float16' });
  assert.deepEqual([floats.precision, halves.precision], ['float32', 'float16']);
  let most = 0;
  let begin = 0;
  for (const chunk of chunks) {
    const part = inputs.map((tensor) => positions(tensor, begin, begin + chunk));
    const [expected, found] = [floats, halves].map((cache) =>
      layer.forward(...part, { ...passOptions, returnWeights: true, cache }),
    );
    const weights = maxDifference(found.attentionWeights.data, expected.attentionWeights.data);
    most = Math.max(most, apart(found.output, expected.output), weights);
    begin += chunk;
  }
  assert.equal(halves.length, begin);
  [floats, halves].forEach((cache) => cache.dispose());
  return most;
}

test('a cache of 16 bits gives what one of floats gives', () => {
  for (const [name, settings] of Object.entries(layers)) {
    const layer = new MultiHeadAttention(settings);
    const inputs = [1, 2, 3].map((seed) => Tensor.randn([2, 65, 12], seed));
    for (const chunks of [
      [1, 1, 1, 1],
      [33, 1, 3, 1],
      [7, 40, 2],
      [64, 1],
    ]) {
      for (const passOptions of [{}, { causal: true }, { causal: true, window: [19, 0] }]) {
        const found = compareCaches(layer, inputs, chunks, passOptions);
        assert.ok(found <= of15Bits, `${name}, ${chunks}: ${found}`);
      }
    }
  }
});

test('what is masked in a cache of 16 bits may be NaN or infinite', () => {
  const layer = new MultiHeadAttention({ ...options, projection: 'none', bias: false });
  for (const number of [NaN, Infinity, -Infinity]) {
    const X = Tensor.randn([1, 20, 12], 5);
    for (const key of [2, 17]) X.data[key * 12 + 5] = number;
    const cache = layer.createCache({ batchSize: 1, maxLength: 20, precision: 'float16' });
    layer.forward(X, X, X, { cache });
    const query = positions(X, 0, 1);
    const mask = [Array.from({ length: 20 }, (_, key) => key > 2 && key !== 17)];
    const masked = layer.forward(query, null, null, { cache, mask }).output;
    assert.ok(masked.data.every(Number.isFinite));
    const seen = layer.forward(query, null, null, { cache }).output;
    assert.ok(!seen.data.every(Number.isFinite));
    cache.dispose();
  }
});

test('other precisions are refused', () => {
  assertFails(
    () => new MultiHeadAttention({ ...options, weights: 'int4' }),
    'invalid-option',
    `weights: expected 'float32', 'float16' or 'int8', got "int4"`,
  );
  const layer = new MultiHeadAttention(options);
  assertFails(
    () => layer.createCache({ batchSize: 1, maxLength: 1, precision: 'int8' }),
    'invalid-option',
    `precision: expected 'float32' or 'float16', got "int8"`,
  );
});
