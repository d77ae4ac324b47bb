// Bad options, and calls on what can no longer be used. Bad tensors are in bad-inputs.test.mjs, what
// C++ can get wrong too is in errors.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from '../lib/compare.mjs';

const { init, MultiHeadAttention, Tensor } = headwise;

await init();

const options = { numHiddens: 8, numHeads: 2 };
const good = Tensor.ones([2, 4, 5]);
const heads = Tensor.ones([2, 1, 4, 5]);
const parameters = { W_q: Tensor.ones([3, 5]), W_k: Tensor.ones([3, 5]), w_v: Tensor.ones([1, 3]) };

const pool = (given) => headwise.scaledDotProductAttention(heads, heads, heads, given);
const poolAdditively = (given) => headwise.additiveAttention(good, good, good, parameters, given);

/** Checks that a forward pass and the pooling functions fail. */
function fails(given, code, message) {
  const forward = (layer) => layer.forward(good, good, good, given);
  assertFailsAndChangesNothing(options, forward, code, message);
  for (const call of [pool, poolAdditively]) assertFails(() => call(given), code, message);
}

/** Checks that each of the values fails for the option that `call` is made with. */
function assertFailsFor(call, name, values, expected) {
  for (const value of values) {
    const message = new RegExp(`^${name}: expected ${expected}, got `);
    assertFails(() => call({ [name]: value }), 'invalid-option', message);
  }
}

const notNumbers = ['1', null, 1n, true, [1], {}];

test('options of the constructor', () => {
  const fails = (given, code, message) =>
    assertFails(() => new MultiHeadAttention(given), code, message);
  const failsFor = (...rest) =>
    assertFailsFor((given) => new MultiHeadAttention({ ...options, ...given }), ...rest);
  const size = 'an integer from 1 to 2147483647';
  fails(undefined, 'invalid-option', `numHiddens: expected ${size}, got undefined`);
  fails(null, 'invalid-type', 'options: expected an object, got null');
  fails(8, 'invalid-type', 'options: expected an object, got 8');
  fails([8, 2], 'invalid-type', 'options: expected an object, got an array');
  fails(Int32Array.of(8, 2), 'invalid-type', 'options: expected an object, got an Int32Array');
  for (const name of [
    ...['numHiddens', 'numHeads', 'querySize', 'keySize', 'valueSize', 'outputSize'],
    ...['numKvHeads', 'attentionHiddens'],
  ]) {
    failsFor(name, [2.5, NaN, Infinity, ...notNumbers], size);
  }
  failsFor('dropout', notNumbers, 'a number from 0 to 1');
  failsFor('scale', notNumbers, 'a finite number');
  failsFor('softcap', notNumbers, 'a finite number from 0 on');
  for (const name of ['bias', 'outputProjection', 'biasKv', 'zeroAttention']) {
    failsFor(name, [0, 1, 'true', null], 'true or false');
  }
  failsFor('seed', [-1, 0.5, NaN, ...notNumbers], 'an integer from 0 to 9007199254740991');
  const words = ['dot', 'dot_product', 'Additive', '', ...notNumbers];
  failsFor('pooling', words, "'dot-product' or 'additive'");
  failsFor('projection', words, "'linear', 'convolution' or 'none'");
  failsFor('weights', words, "'float32', 'float16' or 'int8'");
});

test('options that headwise does not know are named, and with them what may have been meant', () => {
  const meant = {
    numheads: 'numHeads',
    num_heads: 'numHeads',
    numHead: 'numHeads',
    valid_lens: 'validLens',
  };
  const unknown = (call, name, known) =>
    assertFails(
      () => call({ [name]: undefined }),
      'unknown-option',
      `options: expected only ${known}, got ${name}` +
        (name in meant ? `; did you mean ${meant[name]}?` : ''),
    );
  const ofLayer =
    'numHiddens, numHeads, dropout, bias, outputBias, querySize, keySize, valueSize, outputSize, outputProjection, numKvHeads, ' +
    'pooling, attentionHiddens, projection, scale, softcap, rotary, biasKv, zeroAttention, weights, seed';
  for (const name of ['numheads', 'num_heads', 'numHead', 'kdim', 'batchFirst', 'x', '']) {
    unknown((given) => new MultiHeadAttention({ ...options, ...given }), name, ofLayer);
  }
  const shared = 'validLens, mask, causal, window, emptyRows, returnWeights, weightsStage, out';
  const layer = new MultiHeadAttention(options);
  for (const name of ['scale', 'softcap', 'queryOffset', 'attnMask', 'valid_lens']) {
    const forward = (given) => layer.forward(good, good, good, given);
    unknown(forward, name, `${shared}, headGate, cache, positions, keyMass, capture, requiresGrad`);
  }
  assert.equal(layer.querySize, undefined);
  for (const name of ['headGate', 'cache', 'dropout']) {
    unknown(pool, name, `${shared}, queryOffset, scale, softcap`);
  }
  for (const name of ['headGate', 'cache', 'scale', 'softcap']) {
    unknown(poolAdditively, name, `${shared}, queryOffset`);
  }
  unknown((given) => headwise.maskedSoftmax(good, [1, 1], given), 'axis', 'emptyRows, out');
});

test('options that are no object', () => {
  fails([3, 2], 'invalid-type', 'options: expected an object, got an array');
  fails(null, 'invalid-type', 'options: expected an object, got null');
  fails('zero', 'invalid-type', 'options: expected an object, got "zero"');
  fails(Int32Array.of(3, 2), 'invalid-type', 'options: expected an object, got an Int32Array');
});

test('values of options', () => {
  const failsFor = (name, values, expected) => {
    const forward = (given) => {
      const call = (layer) => layer.forward(good, good, good, given);
      const startsWith = new RegExp(`^${name}: expected `);
      assertFailsAndChangesNothing(options, call, 'invalid-option', startsWith);
      return pool(given);
    };
    assertFailsFor(forward, name, values, expected);
    assertFailsFor(poolAdditively, name, values, expected);
  };
  failsFor('emptyRows', ['ones', null, 0, true], "'zero' or 'uniform'");
  failsFor('returnWeights', [0, 1, 'true', null], 'true or false');
  const stages = "'raw', 'softcap', 'masked' or 'softmax'";
  failsFor('weightsStage', ['scores', 'Raw', '', null, 3, true], stages);
  const alignments = "true, false or 'bottom-right'";
  failsFor('causal', ['top-left', 'true', 'bottom_right', null, 0, 1], alignments);
  const noSides = [1.5, NaN, -Infinity, -1, 2 ** 53, '1', null, undefined, 1n, true];
  const windows = [
    ...[null, 3, 'all', true, {}, { left: 1, right: 1 }, [], [1], [1, 1, 1], Int32Array.of(1, 1)],
    ...noSides.flatMap((bad) => [
      [bad, 1],
      [1, bad],
    ]),
  ];
  failsFor('window', windows, 'two integers from 0 on or Infinity');
});

test('options of the pooling functions alone', () => {
  for (const call of [pool, poolAdditively]) {
    const values = [0.5, NaN, Infinity, ...notNumbers];
    assertFailsFor(call, 'queryOffset', values, 'an integer from 0 to 2147483647');
  }
  assertFailsFor(pool, 'scale', notNumbers, 'a finite number');
  assertFailsFor(pool, 'softcap', notNumbers, 'a finite number from 0 on');
});

test('heads of the transposes that are no integers', () => {
  const heads = (call, what) => {
    for (const value of [undefined, null, 1.5, NaN, '1', 1n]) {
      assertFails(
        () => call(Tensor.ones([2, 2, 2]), value),
        'invalid-option',
        new RegExp(`^numHeads: expected a divisor of the ${what} axis of X \\(2\\), got`),
      );
    }
  };
  heads(headwise.transposeQkv, 'last');
  heads(headwise.splitHeads, 'last');
  heads(headwise.transposeOutput, 'first');
});

test('positions that cannot be', () => {
  for (const bad of [undefined, null, 1.5, NaN, Infinity, '1', 1n]) {
    assertFails(
      () => headwise.positionalEncoding(bad, 4),
      'invalid-option',
      /^length: expected an integer from 0 to 2147483647, got/,
    );
    assertFails(
      () => headwise.positionalEncoding(4, bad),
      'invalid-option',
      /^numHiddens: expected an integer from 1 to 2147483647, got/,
    );
  }
});

test('state dicts that are none', () => {
  for (const [bad, text] of [
    [undefined, 'undefined'],
    [null, 'null'],
    ['W_q', '"W_q"'],
    [[good], 'an array'],
  ]) {
    assertFailsAndChangesNothing(
      options,
      (layer) => layer.loadStateDict(bad),
      'invalid-type',
      `stateDict: expected an object of tensors by name, got ${text}`,
    );
  }
});

test('a disposed layer', () => {
  const layer = new MultiHeadAttention(options);
  assert.equal(layer.disposed, false);
  layer.forward(good, good, good);
  layer.dispose();
  layer.dispose();
  layer[Symbol.dispose]();
  assert.equal(layer.disposed, true);
  assert.equal(layer.numHeads, 2);
  const message = 'layer: expected one in use, got one that was disposed of';
  assertFails(() => layer.forward(good, good, good), 'disposed', message);
  assertFails(() => layer.forward(), 'disposed', message);
  assertFails(() => layer.train(), 'disposed', message);
  assertFails(() => layer.eval(), 'disposed', message);
  assertFails(() => layer.stateDict(), 'disposed', message);
  assertFails(() => layer.loadStateDict({}), 'disposed', message);
  assertFails(() => layer.createCache({ batchSize: 1, maxLength: 1 }), 'disposed', message);
});

test('properties of a layer cannot be set', () => {
  // The size of results is reckoned from them: one that could be changed would spoil memory.
  const layer = new MultiHeadAttention({ ...options, seed: 1 });
  for (const name of [
    'numHiddens',
    'numHeads',
    'numKvHeads',
    'outputSize',
    'pooling',
    'projection',
    'dropout',
    'bias',
    'seed',
    'querySize',
    'training',
  ]) {
    const before = layer[name];
    try {
      layer[name] = 1;
    } catch (error) {
      assert.ok(error instanceof TypeError);
    }
    assert.equal(layer[name], before, name);
  }
  layer.dispose();
});
