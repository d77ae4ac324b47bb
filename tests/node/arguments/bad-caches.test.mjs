// Calls with caches that only JavaScript can get wrong. What it shares with C++ is in errors.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from '../lib/compare.mjs';

await init();

const options = { numHiddens: 8, numHeads: 2, querySize: 5, keySize: 5, valueSize: 5, seed: 3 };
const good = Tensor.randn([2, 4, 5], 1);

/** Runs `use` with a layer and a cache of it that holds four positions of eight. */
function withCache(use) {
  const layer = new MultiHeadAttention(options);
  const cache = layer.createCache({ batchSize: 2, maxLength: 8 });
  layer.forward(good, good, good, { cache });
  use(layer, cache);
  cache.dispose();
  layer.dispose();
}

test('caches that are none', () => {
  for (const [cache, got] of [
    [null, 'null'],
    [true, 'true'],
    [8, '8'],
    ['cache', '"cache"'],
    [{}, 'an object'],
    [{ batchSize: 2, maxLength: 8, length: 0 }, 'an object'],
    [new MultiHeadAttention(options), 'an object'],
  ]) {
    const message = `cache: expected one that createCache made, got ${got}`;
    for (const keysAndValues of [good, null]) {
      const forward = (layer) => layer.forward(good, keysAndValues, keysAndValues, { cache });
      assertFailsAndChangesNothing(options, forward, 'invalid-type', message);
    }
  }
});

test('options of createCache', () => {
  const layer = new MultiHeadAttention(options);
  const fails = (given, code, message) =>
    assertFails(() => layer.createCache(given), code, message);
  const size = 'expected an integer from 1 to 2147483647';
  fails(undefined, 'invalid-option', `batchSize: ${size}, got undefined`);
  fails({ batchSize: 2 }, 'invalid-option', `maxLength: ${size}, got undefined`);
  fails(null, 'invalid-type', 'options: expected an object, got null');
  fails(8, 'invalid-type', 'options: expected an object, got 8');
  for (const bad of [1.5, NaN, Infinity, '8', null, 8n, true]) {
    const message = (name) => new RegExp(`^${name}: ${size}, got`);
    fails({ batchSize: bad, maxLength: 8 }, 'invalid-option', message('batchSize'));
    fails({ batchSize: 2, maxLength: bad }, 'invalid-option', message('maxLength'));
  }
  fails(
    { batchSize: 2, maxLength: 8, length: 0 },
    'unknown-option',
    'options: expected only batchSize, maxLength, precision, got length',
  );
  layer.dispose();
});

test('caches beyond all memory', () => {
  const layer = new MultiHeadAttention(options);
  const largest = 2 ** 31 - 1;
  for (const [batchSize, maxLength] of [
    [largest, largest],
    [1, largest],
    [largest, 1],
    // So many numbers that 32 bits count few of them, or none.
    [2 ** 16, 2 ** 16],
    [2 ** 13, 2 ** 16],
    [2 ** 27, 4],
    [2 ** 27 + 1, 1],
  ]) {
    assertFails(
      () => layer.createCache({ batchSize, maxLength }),
      'out-of-memory',
      'memory: not enough for tensors of these sizes',
    );
  }
  layer.createCache({ batchSize: 1, maxLength: 1 }).dispose();
  layer.dispose();
});

test('keys without values, values without keys', () =>
  withCache((layer, cache) => {
    const aTensor = 'expected a tensor, { data, shape } or nested arrays of numbers';
    const fails = (keys, values, message) => {
      const forward = () => layer.forward(good, keys, values, { cache });
      assertFails(forward, 'invalid-type', message);
      assert.equal(cache.length, 4);
    };
    fails(null, good, `keys: ${aTensor}, got null`);
    fails(good, null, `values: ${aTensor}, got null`);
    fails(undefined, undefined, `keys: ${aTensor}, got undefined`);
    fails(null, undefined, `keys: ${aTensor}, got null`);
  }));

test('a layer that was disposed of leaves its cache to be disposed of', () =>
  withCache((layer, cache) => {
    layer.dispose();
    const message = 'layer: expected one in use, got one that was disposed of';
    assertFails(() => layer.forward(good, good, good, { cache }), 'disposed', message);
    cache.truncate(1);
    cache.reset();
    assert.equal(cache.length, 0);
  }));

test('properties of a cache cannot be set', () =>
  withCache((_, cache) => {
    for (const name of ['batchSize', 'maxLength', 'length']) {
      const before = cache[name];
      assert.throws(() => (cache[name] = 1), TypeError);
      assert.equal(cache[name], before);
    }
  }));
